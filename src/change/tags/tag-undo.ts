import { PartialError } from '../../base/errors.ts';
import { shellWord } from '../../base/quoted.ts';
import type { RevertibleRun } from '../../bulk/past-runs/reverted-changes.ts';
import { titleOf } from '../../bulk/past-runs/run-names.ts';
import { labelsOfChange, openTags, type TagChange, tagChangeOf, unfinishedTags } from '../../bulk/tag-run.ts';
import { confirm } from '../../cli/prompt.ts';
import type { Session } from '../../cli/session.ts';
import { type AccountTags, accountTags, addTags, isOneOf, renameTag } from '../../client/account-tags.ts';
import { isSameLabel } from '../../contract/tag-label.ts';
import { dryRunReport } from '../../output/planned-requests.ts';
import { plainQuantity } from '../../output/quantity.ts';
import { batchesOf, type Row, type RowsReport } from '../../output/report.ts';
import { accountLabel } from '../account-label.ts';
import { environmentOf } from '../environment.ts';
import { requireAnswer } from '../limits.ts';
import { type Pending, withPending } from '../rows/pending.ts';
import { changesNothing } from '../undo-parts.ts';
import { changedSince, countLinks, deletion, linksOf, tagKept } from './tag-removal.ts';
import { changeEach, inverse, recordedTags, type TagsReport, type TagsToRecord, tagRequests } from './tags.ts';

/** The undo of one tag's change. */
interface Step {
  /** The tag to delete, or the label after an addition or renaming. */
  readonly label: string;
  readonly change: TagChange;
  /** For the plan: `rename "promotion" to "promo"`. */
  readonly text: string;
  /** The reason why the step cannot be made. */
  readonly refusal?: string;
  /** Throws a PartialError if there is a refusal. */
  act(): Promise<unknown>;
}

/**
 * Undoes a run that changed tags and no links, or none any more. Tags that changed since are left unchanged and reported. While others may
 * still be changed by a call of the run, the undo is not whole, unless `force` is given.
 */
export async function undoTagRun(part: RevertibleRun, undo: Undo, session: Session): Promise<RowsReport> {
  const pending: Pending = { rows: 0, tags: 0 };
  const report = await revertTags(part, { ...undo, left: () => pending.tags }, pending, session);
  if (session.global.dryRun) return report;
  // If tags were changed, the command of the run would change them once more.
  const undone = { ...part.run, isSettledLater: part.run.isSettledLater && changesNothing(report) };
  return { ...report, outcome: () => withPending(report.outcome?.(), pending, undone) };
}

interface Undo extends Omit<TagsToRecord, 'change'> {
  readonly force?: boolean | undefined;
}

async function revertTags(
  part: RevertibleRun,
  { force, ...undo }: Undo,
  pending: Pending,
  session: Session,
): Promise<RowsReport> {
  const { run: undone } = part;
  const { begin } = undone;
  const { global, streams } = session;
  await requireAnswer(session, 'named');
  const change = inverse(tagChangeOf(begin));
  // A killed undo may have made all changes: then only its end must be recorded.
  const begun = await unfinishedTags(undo, environmentOf(session));
  const steps = await stepsOf(change, session);
  const open = tagsLeftOpen(part, steps).length;
  if (!force) pending.tags = open;
  else if (open > 0) await session.warn(`outcome unknown for ${plainQuantity(open, 'tag')} of run ${begin.run}: left unchanged`);
  const isSilent = global.quiet && global.yes;
  for (const { text, refusal } of isSilent ? [] : steps)
    await streams.message(`${text}${refusal === undefined ? '' : `: ${refusal}`}`, '  ');
  const doable = steps.filter(({ refusal }) => refusal === undefined);
  const work = async (label: string): Promise<Row> => {
    await steps.find((step) => step.label === label)?.act();
    return { label };
  };
  const labels = global.dryRun ? [] : steps.map(({ label }) => label);
  const textOf = (label: unknown): string => {
    const { rename, delete: deleted } = steps.find((step) => step.label === label)?.change ?? {};
    if (rename) return `Renamed tag "${rename.from}" to "${rename.to}"`;
    return `${deleted ? 'Deleted' : 'Restored'} tag "${label}"`;
  };
  const report: TagsReport = {
    ...changeEach(labels, work, { done: 'restored' }),
    sentence: ({ label }, { tick }) => `${tick} ${textOf(label)}`,
  };
  if (global.dryRun) {
    const requests = dryRunReport(doable.flatMap(({ change }) => tagRequests(change)));
    const shown = session.format() === 'json' ? requests : { ...report, notes: requests.notes };
    return doable.length === 0 ? { ...shown, rows: [] } : shown;
  }
  if (steps.length === 0) {
    const nothing = { ...report, rows: [], notes: () => [`${undo.what}: nothing to change`] };
    if (pending.tags === 0) await recordedTags(report, { ...undo, change: begun ?? {} }, session);
    return nothing;
  }
  if (doable.length === 0) {
    const rows: Row[] = [];
    for await (const some of batchesOf(report)) rows.push(...some);
    return { ...report, rows };
  }
  const question =
    undo.direction === 'redo' ? `Redo run ${begin.undoes ?? begin.run}` : `Undo run ${begin.run} (${titleOf(begin)})`;
  await confirm(`${question} of ${accountLabel(session)}?`, session);
  return await recordedTags(report, { ...undo, change: begun ?? combined(doable) }, session);
}

/**
 * Returns the tags of the run that a call without an answer may still change: neither the account nor an earlier undo shows that it was
 * applied.
 */
function tagsLeftOpen({ run, reverted: { reversals } }: RevertibleRun, steps: readonly Step[]): string[] {
  const isSeen = isOneOf(steps.flatMap(({ change }) => labelsOfChange(change)));
  return openTags(run, reversals).filter((label) => !isSeen(label));
}

/** Its undo must not touch what others have done. */
function combined(steps: readonly Step[]): TagChange {
  const changes = steps.map(({ change }) => change);
  return {
    ...changes.find(({ rename }) => rename),
    add: changes.flatMap(({ add = [] }) => add),
    delete: changes.flatMap(({ delete: deleted = [] }) => deleted),
  };
}

/** Returns the steps of a tag change that are not done yet. */
async function stepsOf({ rename, add = [], delete: deleted = [] }: TagChange, session: Session): Promise<Step[]> {
  const { client } = session;
  const tags = await accountTags(client);
  const toDelete = deleted.flatMap((label) => tags.spelled(label) ?? []);
  const counts = toDelete.length > 0 ? await countLinks(toDelete, session) : [];
  const remove = deletion(toDelete, session, changedSince);
  const step = (word: 'add' | 'delete', label: string, act: Step['act']): Step => {
    return { label, change: { [word]: [label] }, text: `${word} ${JSON.stringify(label)}`, act };
  };
  return [
    ...(rename ? renaming(rename, tags, session) : []),
    ...add
      .filter((label) => tags.spelled(label) === undefined)
      .map((label) => step('add', label, () => addTags(client, [label]))),
    ...toDelete.map((label) => {
      const links = linksOf(label, counts);
      const removal = step('delete', label, () => remove(label));
      return links > 0 ? refused(removal, changedSince(links), tagKept(label, changedSince(links))) : removal;
    }),
  ];
}

type Rename = NonNullable<TagChange['rename']>;

function refused(step: Omit<Step, 'act'>, refusal: string, error: PartialError): Step {
  return { ...step, refusal, act: () => Promise.reject(error) };
}

function renaming(rename: Rename, { labels, spelled }: AccountTags, { client }: Session): Step[] {
  const { from, to } = rename;
  const [old, other] = [spelled(from), spelled(to)];
  const isSpelling = isSameLabel(from, to);
  // If the labels differ only in case, only the exact text shows which one the tag has.
  if (isSpelling ? labels.includes(to) : other !== undefined && old === undefined) return [];
  const text = `rename ${JSON.stringify(from)} to ${JSON.stringify(to)}`;
  const step = { label: to, change: { rename }, text };
  const unless = (reason: string, hint?: string): Step[] => {
    const refusal = `changed since: ${reason}`;
    return [refused(step, refusal, new PartialError(`tag ${JSON.stringify(to)}: ${refusal}`, { hint }))];
  };
  if (old === undefined) return unless(`there is no tag ${JSON.stringify(from)}`);
  if (!isSpelling && other !== undefined)
    return unless(
      `there is another tag ${JSON.stringify(to)}`,
      `if nothing needs that tag: linkctl tags delete ${shellWord(to)}, and run the command again`,
    );
  return [{ ...step, act: () => renameTag(client, old, to, true) }];
}
