import { type CliError, NotFoundError, PartialError } from '../base/errors.ts';
import { shellWord } from '../base/shell-word.ts';
import { type EditedRow, editItemsOperation } from '../bulk/operations/edit.ts';
import type { RunSteps } from '../bulk/run-plan.ts';
import { type TagChange, unfinishedTags } from '../bulk/tag-run.ts';
import { confirm } from '../cli/prompt.ts';
import { type Session, whereabouts } from '../cli/session.ts';
import { carriers, countCarriers, type LabelCount } from '../client/labelled-links.ts';
import { noTag } from '../client/subject.ts';
import { accountTags, addTags, deleteTag, isNoTag } from '../client/tag-changes.ts';
import { labelExpression } from '../contract/tag-label.ts';
import { dryRunReport } from '../output/dry-run.ts';
import { grouped, quantity } from '../output/quantity.ts';
import { batchesOf, type Row, type RowsReport } from '../output/report.ts';
import { hashChangePresentation } from '../output/url-columns.ts';
import type { SelectedPage } from '../select/selected-links.ts';
import type { ListedChange } from './change.ts';
import { withoutLabels } from './decide/tags.ts';
import { requireAnswer } from './limits.ts';
import { environmentOf } from './report.ts';
import { runPlannedChange, unfinishedTagsOf } from './run.ts';
import { keepsUndo } from './sending.ts';
import { changeEach, type LabelChange, namedTags, recordedTags } from './tags.ts';

/** Tags that go, with or without another one in their place. */
interface TagRemoval {
  readonly labels: readonly string[];
  readonly into?: string;
  readonly options: { readonly undo?: boolean; readonly ignoreMissing?: boolean };
  readonly change: LabelChange;
}

/** A removal, and which of its tags exist. */
interface KnownRemoval extends TagRemoval {
  readonly found: readonly string[];
  readonly missing: readonly string[];
  /** The other tag as it is spelled. */
  readonly target: string | undefined;
  /** The tags to delete, and the other tag if it does not exist. */
  readonly tags: TagChange;
  /** An unfinished run deletes them, and changes no links. */
  readonly isAlone: boolean;
}

/**
 * Takes tags off their links by a run that can be undone, and deletes each when no link carries it any more. What got a tag
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
  const removals = removalsOf(known, work, session);
  const run = await runPlannedChange({ ...detaching(known, session), tags: removals }, session);
  if (dryRun) return withDeletions(run, known, session);
  return run.runRows === undefined ? await removeUnused(known, work, session) : withRemovals(run, known, removals, session);
}

/** Of an unfinished run of the same command the tags at its beginning count: since then it may have deleted them. */
async function knownRemoval(removal: TagRemoval, session: Session): Promise<KnownRemoval> {
  const { labels, into, options } = removal;
  const what = titleOf(removal);
  const keeps = options.undo !== false && !session.global.dryRun;
  const ofLinks = keeps ? await unfinishedTagsOf({ what, ...identified(removal) }, session) : undefined;
  const alone = keeps && !ofLinks ? await unfinishedTags({ what }, environmentOf(session)) : undefined;
  const begun = ofLinks ?? alone;
  const { spelled } = await accountTags(session.client, begun?.delete);
  const target = into && (spelled(into) ?? into);
  const added = begun ? begun.add : target !== undefined && spelled(target) === undefined ? [target] : undefined;
  return {
    ...removal,
    found: labels.filter((label) => spelled(label) !== undefined),
    missing: labels.filter((label) => spelled(label) === undefined),
    target,
    // In this order, as runs are compared by the text of their options.
    tags: { delete: begun?.delete ?? labels.flatMap((label) => spelled(label) ?? []), ...(added && { add: added }) },
    isAlone: alone !== undefined,
  };
}

/** The run of a removal is found by these. */
function identified({ labels, into }: TagRemoval) {
  return { kind: 'edit', links: { given: {} }, given: { labels, into } } as const;
}

/** A run of edits by hash: each link loses those of the tags that it has, and gets the other one. */
function detaching(known: KnownRemoval, session: Session): ListedChange<EditedRow> {
  const { found, target, options } = known;
  async function* pages(): AsyncGenerator<SelectedPage> {
    for await (const { rows, read, linkOf } of carriers(session, found)) {
      yield { links: rows.map((record) => ({ target: linkOf(record), record })), read };
    }
  }
  return {
    what: titleOf(known),
    ...identified(known),
    links: { given: {}, filterAt: async () => undefined, severalDomains: session.edition === 'a', pages },
    verb: 'change',
    question: { verb: questionOf(found, target) },
    options,
    presentation: { ...hashChangePresentation('urls', 'Changed'), doing: 'changing the tags of' },
    decide: ({ record }) => withoutLabels(record, found, target),
    operation: editItemsOperation,
    payload: (link, fields) => ({ ...link, ...fields }),
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

/** `--dry-run`: shows what would come before the run, and after it. */
function withDeletions(run: RowsReport, { found, tags }: KnownRemoval, session: Session): RowsReport {
  if (session.format() === 'json') {
    async function* requests(): AsyncGenerator<Iterable<Row>> {
      yield (tags.add ?? []).map((label) => ({ method: 'POST', path: '/tags', query: {}, body: { label } }));
      yield* batchesOf(run);
      yield found.map((label) => ({ method: 'DELETE', path: `/tags/${encodeURIComponent(label)}`, query: {}, body: null }));
    }
    return { ...run, rows: requests() };
  }
  return { ...run, notes: () => (run.notes?.() ?? []).toSpliced(-1, 0, `then ${namedTags(found)} would be deleted`) };
}

/** Without links there is nothing to take off: the deletions alone are a run, without rows. */
async function removeUnused(known: KnownRemoval, work: Work, session: Session): Promise<RowsReport> {
  const { labels, found, change, options, tags } = known;
  if (!known.isAlone) await confirm(`Delete ${namedTags(found)}, used by no link, of ${whereabouts(session)}?`, session);
  const report = changeEach(labels, work, change);
  const prepare = () => addTags(session.client, tags.add);
  if (await keepsUndo(options, session)) {
    return await recordedTags(report, { what: titleOf(known), change: tags, profile: session.profile }, session, prepare);
  }
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

function removalsOf({ labels, change, tags }: KnownRemoval, work: Work, { client }: Session): Removals {
  const rows: Row[] = [];
  const report = changeEach(labels, work, { ...change, links: () => removals.links });
  const removals: Removals = {
    change: tags,
    rows,
    report,
    links: 0,
    isBegun: false,
    before: () => addTags(client, tags.add),
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

type Work = (label: string) => Promise<Row>;

/** Deletes a tag that no link carries any more; throws why it stays. All are counted before the first is deleted. */
export function deletion(found: readonly string[], session: Session): Work {
  const { client, streams } = session;
  const step = (read: number): void => streams.progress.step(() => `${grouped(read)} links read`);
  let counts: LabelCount[] | undefined;
  return async (label) => {
    if (!found.includes(label)) {
      const { message, hint } = noTag({ label });
      throw new NotFoundError(message, { apiCode: 1309, hint });
    }
    counts ??= await countCarriers(session, found, step);
    const links = counts.find((one) => one.label === label)?.links ?? 0;
    if (links > 0) {
      throw new PartialError(`tag ${JSON.stringify(label)} was kept: ${quantity(links, 'link')} got it meanwhile`, {
        hint: `linkctl list --by-tags ${shellWord(labelExpression(label))}`,
      });
    }
    await deleteTag(client, label).catch((error: unknown) => {
      // Somebody else deleted it.
      if (!isNoTag(error)) throw error;
    });
    return { label };
  };
}
