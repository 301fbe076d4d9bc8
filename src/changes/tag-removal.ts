import { type CliError, NotFoundError, PartialError } from '../base/errors.ts';
import { shellWord } from '../base/shell-word.ts';
import { type EditedRow, editItemsOperation } from '../bulk/operations/edit.ts';
import { confirm } from '../cli/prompt.ts';
import { type Session, whereabouts } from '../cli/session.ts';
import { noTag } from '../client/api-messages.ts';
import { carriers, countCarriers, isOneOf, type LabelCount } from '../client/labelled-links.ts';
import { deleteTag, isNoTag } from '../client/tag-changes.ts';
import type { UrlRecord } from '../contract/records.ts';
import { foldLabel, labelExpression } from '../contract/tag-label.ts';
import { dryRunReport } from '../output/dry-run.ts';
import { grouped, quantity } from '../output/quantity.ts';
import { batchesOf, type Row, type RowsReport } from '../output/report.ts';
import { hashChangePresentation } from '../output/url-columns.ts';
import { keepsUndo } from './checked-rows.ts';
import { requireAnswer } from './consent.ts';
import { changeListed, type ListedChange } from './listed-change.ts';
import type { SelectedPage } from './selected-links.ts';
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
}

/**
 * Takes tags off their links by a run that can be undone, and deletes each when no link carries it any more (W4, U3). What got a tag
 * meanwhile keeps it: the API's own deletion would take it away without a record.
 */
export async function removeTags(removal: TagRemoval, session: Session): Promise<RowsReport> {
  await requireAnswer(session, 'named');
  const known = await knownRemoval(removal, session);
  const { found, missing, labels, change } = known;
  const { yes, dryRun } = session.global;
  const work = deletion(found, session);
  if (dryRun || (!yes && found.length > 0)) {
    for (const label of missing) await session.streams.message(`  ${JSON.stringify(label)} (not found)`);
  }
  if (found.length === 0) return dryRun ? dryRunReport([]) : changeEach(labels, work, change);
  const links = countedLinks(found, session);
  const run = await changeListed(detaching(known, links.pages, session), session);
  if (dryRun) return withDeletions(run, found, session);
  return links.isNone() ? await removeUnused(known, work, session) : afterRun(run, known, work, session);
}

async function knownRemoval(removal: TagRemoval, { client }: Session): Promise<KnownRemoval> {
  const { labels, into } = removal;
  const { tags } = await client.send('listTags', {});
  const known = new Map(tags.map(({ label }) => [foldLabel(label), label]));
  const isKnown = (label: string): boolean => known.has(foldLabel(label));
  return {
    ...removal,
    found: labels.filter(isKnown),
    spelled: labels.flatMap((label) => known.get(foldLabel(label)) ?? []),
    missing: labels.filter((label) => !isKnown(label)),
    target: into && (known.get(foldLabel(into)) ?? into),
    isNew: into !== undefined && !isKnown(into),
  };
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
  const { labels, found, into, target, options } = known;
  return {
    what: titleOf(known),
    links: { given: {}, filterAt: async () => undefined, severalDomains: edition === 'a', pages },
    given: { tags: { delete: labels, into } },
    kind: 'edit',
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
function withDeletions(run: RowsReport, found: readonly string[], session: Session): RowsReport {
  const deletions = found.map((label) => ({
    method: 'DELETE',
    path: `/tags/${encodeURIComponent(label)}`,
    query: {},
    body: null,
  }));
  async function* requests(): AsyncGenerator<Iterable<Row>> {
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
  await confirm(`Delete ${namedTags(found)}, used by no link, of ${whereabouts(session)}?`, session);
  const report = changeEach(labels, work, change);
  const run = { what: titleOf(known), change: { delete: known.spelled }, profile: session.profile };
  await makeTarget(known, session);
  return (await keepsUndo(options, session)) ? await recordedTags(report, run, session) : report;
}

/** The failed links of the run, then the tags; they stay where a link was not changed. */
function afterRun(run: RowsReport, known: KnownRemoval, work: Work, session: Session): RowsReport {
  const { labels, found, change } = known;
  let ending: CliError | undefined;
  let links = 0;
  let isOver = false;
  const tags = changeEach(labels, work, { ...change, links: () => links });
  async function* rows(): AsyncGenerator<Iterable<Row>> {
    await makeTarget(known, session);
    for await (const some of batchesOf(run)) {
      const all = [...some];
      const failed = all.filter((row) => run.failure?.(row) || run.unreached?.(row));
      links += all.length - failed.length;
      yield failed;
    }
    isOver = true;
    // From here on a signal ends the command at once: the same one deletes what is left.
    session.listenForSignals(() => undefined)();
    for (const line of run.notes?.() ?? []) await session.note(line);
    ending = run.outcome?.();
    if (!ending) yield* batchesOf(tags);
  }
  return {
    ...tags,
    rows: rows(),
    failure: (row) => run.failure?.(row) ?? tags.failure?.(row),
    ...(run.unreached && { unreached: run.unreached }),
    notes: () => (ending ? [`${namedTags(found)} kept: not all links were changed`] : []),
    outcome: () => ending ?? tags.outcome?.(),
    abandoned: () => (isOver ? tags : run).abandoned?.(),
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
