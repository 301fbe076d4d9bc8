import { type CliError, NotFoundError, PartialError } from '../base/errors.ts';
import { shellWord } from '../base/shell-word.ts';
import { type EditedRow, editItemsOperation } from '../bulk/operations/edit.ts';
import type { RunSteps } from '../bulk/run-plan.ts';
import { type TagChange, unfinishedTags } from '../bulk/tag-run.ts';
import { confirm } from '../cli/prompt.ts';
import { type Session, whereabouts } from '../cli/session.ts';
import { noTag } from '../client/absence.ts';
import { carriers, countCarriers, isOneOf, type LabelCount } from '../client/labelled-links.ts';
import { deleteTag, isNoTag } from '../client/tag-changes.ts';
import type { UrlRecord } from '../contract/records.ts';
import { foldLabel, labelExpression } from '../contract/tag-label.ts';
import { dryRunReport } from '../output/dry-run.ts';
import { grouped, quantity } from '../output/quantity.ts';
import { batchesOf, type Row, type RowsReport } from '../output/report.ts';
import { hashChangePresentation } from '../output/url-columns.ts';
import { requireAnswer } from './limits.ts';
import { environmentOf } from './report.ts';
import type { SelectedPage } from './rows/selected-links.ts';
import { changeListed, type ListedChange, unfinishedTagsOf } from './run.ts';
import { keepsUndo } from './sending.ts';
import { changeEach, type LabelChange, namedTags, recordedTags } from './tags.ts';

/** Tags that go, with or without another one in their place. */
interface TagRemoval {
  /** Each once. */
  readonly labels: readonly string[];
  readonly into?: string;
  readonly options: { readonly undo?: boolean; readonly ignoreMissing?: boolean };
  readonly change: LabelChange;
}

/** A removal, and which of its tags exist. */
interface KnownRemoval extends TagRemoval {
  readonly found: readonly string[];
  /** Those that exist, as the account spells them. */
  readonly spelled: readonly string[];
  readonly missing: readonly string[];
  /** The other tag as it is spelled; it may still be to be made. */
  readonly target: string | undefined;
  readonly isNew: boolean;
  /** An unfinished run deletes them, and changes no links. */
  readonly isAlone: boolean;
}

/**
 * Takes tags off their links by a run that can be undone, and deletes each when no link carries it any more (W4, U3). What got a tag
 * meanwhile keeps it: the API's own deletion would take it away without a record.
 */
export async function removeTags(removal: TagRemoval, session: Session): Promise<RowsReport> {
  await requireAnswer(session, 'named');
  const known = await knownRemoval(removal, session);
  const { found, missing, labels, change, isAlone } = known;
  const { yes, dryRun } = session.global;
  const work = deletion(found, session);
  if (dryRun || (!yes && found.length > 0)) {
    for (const label of missing) await session.streams.message(`  ${JSON.stringify(label)} (not found)`);
  }
  if (found.length === 0) return dryRun ? dryRunReport([]) : changeEach(labels, work, change);
  if (isAlone) return await removeUnused(known, work, session);
  const links = countedLinks(found, session);
  const removals = removalsOf(known, work, session);
  const run = await changeListed({ ...detaching(known, links.pages, session), tags: removals }, session);
  if (dryRun) return withDeletions(run, known, session);
  return links.isNone() ? await removeUnused(known, work, session) : withRemovals(run, known, removals, session);
}

/** What an unfinished run of the same command knew when it began counts: since then it may have deleted the tags. */
async function knownRemoval(removal: TagRemoval, session: Session): Promise<KnownRemoval> {
  const { labels, into, options } = removal;
  const what = titleOf(removal);
  const keeps = options.undo !== false && !session.global.dryRun;
  const ofLinks = keeps ? await unfinishedTagsOf({ what, ...identified(removal) }, session) : undefined;
  const alone = keeps && !ofLinks ? await unfinishedTags({ what }, environmentOf(session)) : undefined;
  const begun = ofLinks ?? alone;
  const { tags } = await session.client.send('listTags', {});
  const listed = [...tags.map(({ label }) => label), ...(begun?.delete ?? [])];
  const known = new Map(listed.map((label) => [foldLabel(label), label]));
  const isKnown = (label: string): boolean => known.has(foldLabel(label));
  const isNew = into !== undefined && (begun ? (begun.add ?? []).length > 0 : !isKnown(into));
  return {
    ...removal,
    found: labels.filter(isKnown),
    spelled: begun?.delete ?? labels.flatMap((label) => known.get(foldLabel(label)) ?? []),
    missing: labels.filter((label) => !isKnown(label)),
    target: into && (known.get(foldLabel(into)) ?? into),
    isNew,
    isAlone: alone !== undefined,
  };
}

/** What the run of a removal is found by. */
function identified({ labels, into }: TagRemoval) {
  return { kind: 'edit', links: { given: {} }, given: { labels, into } } as const;
}

/** What the removal does to the tags of the account. */
function tagChange({ spelled, isNew, target }: KnownRemoval): TagChange {
  return { delete: spelled, ...(isNew && target !== undefined && { add: [target] }) };
}

/** The links that carry the tags, and whether there were none when they were read. */
function countedLinks(found: readonly string[], session: Session) {
  let count: number | undefined;
  async function* pages(): AsyncGenerator<SelectedPage> {
    count = 0;
    for await (const { rows, read, linkOf } of carriers(session, found)) {
      count += rows.length;
      yield { links: rows.map((record) => ({ target: linkOf(record), record })), read };
    }
  }
  return { pages, isNone: () => count === 0 };
}

/** A run of edits by hash: each link loses those of the tags that it has, and gets the other one. */
function detaching(known: KnownRemoval, pages: () => AsyncIterable<SelectedPage>, { edition }: Session): ListedChange<EditedRow> {
  const { found, target, options } = known;
  return {
    what: titleOf(known),
    ...identified(known),
    links: { given: {}, filterAt: async () => undefined, severalDomains: edition === 'a', pages },
    verb: 'change',
    question: { verb: questionOf(found, target) },
    options,
    presentation: { ...hashChangePresentation('urls', 'Changed'), doing: 'changing the tags of' },
    decide: ({ record }) => ({ kind: 'change', fields: { tags: record ? instructions(record, found, target) : [] } }),
    operation: editItemsOperation,
    payload: (target, fields) => ({ ...target, ...fields }),
  };
}

function titleOf({ labels, into }: TagRemoval): string {
  const words = labels.map(shellWord).join(' ');
  return into === undefined ? `tags delete ${words}` : `tags merge ${words} --into ${shellWord(into)}`;
}

function questionOf(found: readonly string[], into: string | undefined): string {
  if (into !== undefined) return `Merge ${namedTags(found)} into ${JSON.stringify(into)} on`;
  return `Delete ${namedTags(found)} and detach ${found.length === 1 ? 'it' : 'them'} from`;
}

/** `+label` attaches, `-label` detaches, whatever the label begins with (2.2). */
function instructions({ tags }: UrlRecord, found: readonly string[], into: string | undefined): string[] {
  const attached = into === undefined || tags.some(isOneOf([into])) ? [] : [`+${into}`];
  return [...attached, ...tags.filter(isOneOf(found)).map((label) => `-${label}`)];
}

/** `--dry-run`: what would follow the run. */
function withDeletions(run: RowsReport, { found, isNew, target }: KnownRemoval, session: Session): RowsReport {
  const deletions = found.map((label) => ({
    method: 'DELETE',
    path: `/tags/${encodeURIComponent(label)}`,
    query: {},
    body: null,
  }));
  async function* requests(): AsyncGenerator<Iterable<Row>> {
    if (isNew) yield [{ method: 'POST', path: '/tags', query: {}, body: { label: target } }];
    yield* batchesOf(run);
    yield deletions;
  }
  if (session.format() === 'json') return { ...run, rows: requests() };
  const notes = (): string[] => {
    const [last = '', ...before] = [...(run.notes?.() ?? [])].reverse();
    return [...before.reverse(), `then ${namedTags(found)} would be deleted`, last];
  };
  return { ...run, notes };
}

/** Without links there is nothing to take off: the deletions alone are a run, without rows. */
async function removeUnused(known: KnownRemoval, work: Work, session: Session): Promise<RowsReport> {
  const { labels, found, change, options } = known;
  if (!known.isAlone) await confirm(`Delete ${namedTags(found)}, used by no link, of ${whereabouts(session)}?`, session);
  const report = changeEach(labels, work, change);
  const run = { what: titleOf(known), change: tagChange(known), profile: session.profile };
  const prepare = () => makeTarget(known, session);
  if (await keepsUndo(options, session)) return await recordedTags(report, run, session, prepare);
  await prepare();
  return report;
}

/** The steps of the run that are about tags, and what became of each. */
interface Removals extends RunSteps {
  readonly change: TagChange;
  readonly rows: readonly Row[];
  readonly report: RowsReport;
  links: number;
  isBegun: boolean;
}

function removalsOf(known: KnownRemoval, work: Work, session: Session): Removals {
  const rows: Row[] = [];
  const { labels, change } = known;
  const report = changeEach(labels, work, { ...change, links: () => removals.links });
  const removals: Removals = {
    change: tagChange(known),
    rows,
    report,
    links: 0,
    isBegun: false,
    before: () => makeTarget(known, session),
    async after(isStopped) {
      removals.isBegun = true;
      for await (const some of batchesOf(report)) {
        rows.push(...some);
        if (isStopped() && rows.length < labels.length) return false;
      }
      return true;
    },
  };
  return removals;
}

/** The failed links of the run, then the tags; they stay where a link was not changed. */
function withRemovals(run: RowsReport, { found }: KnownRemoval, removals: Removals, session: Session): RowsReport {
  let ending: CliError | undefined;
  const { report, rows: removed } = removals;
  async function* rows(): AsyncGenerator<Iterable<Row>> {
    for await (const some of batchesOf(run)) {
      const all = [...some];
      const failed = all.filter((row) => run.failure?.(row) || run.unreached?.(row));
      removals.links += all.length - failed.length;
      yield failed;
    }
    for (const line of run.notes?.() ?? []) await session.note(line);
    ending = run.outcome?.();
    yield removed;
  }
  return {
    ...report,
    rows: rows(),
    failure: (row) => run.failure?.(row) ?? report.failure?.(row),
    ...(run.unreached && { unreached: run.unreached }),
    notes: () => (ending && !removals.isBegun ? [`${namedTags(found)} kept: not all links were changed`] : []),
    outcome: () => ending ?? report.outcome?.(),
    abandoned: () => run.abandoned?.(),
  };
}

/** The other tag exists before links get it, also where none does. */
async function makeTarget({ target, isNew }: KnownRemoval, { client }: Session): Promise<void> {
  if (target !== undefined && isNew) await client.send('addTag', { body: { label: target } });
}

type Work = (label: string) => Promise<Row>;

/** Deletes a tag that no link carries any more; throws why it stays. All are counted before the first is deleted. */
export function deletion(found: readonly string[], session: Session): Work {
  const { client, streams } = session;
  const step = (read: number): void => streams.progress.step(() => `${grouped(read)} links read`);
  let counts: LabelCount[] | undefined;
  return async (label) => {
    if (!found.includes(label)) throw missingTag(label);
    counts ??= await countCarriers(session, found, step);
    const links = counts.find((one) => one.label === label)?.links ?? 0;
    if (links > 0) throw stillUsed(label, links);
    await deleteTag(client, label).catch((error: unknown) => {
      // Somebody else deleted it.
      if (!isNoTag(error)) throw error;
    });
    return { label };
  };
}

function missingTag(label: string): CliError {
  const { message, hint } = noTag({ label });
  return new NotFoundError(message, { apiCode: 1309, hint });
}

function stillUsed(label: string, links: number): CliError {
  return new PartialError(`tag ${JSON.stringify(label)} was kept: ${quantity(links, 'link')} got it meanwhile`, {
    hint: `linkctl list --by-tags ${shellWord(labelExpression(label))}`,
  });
}
