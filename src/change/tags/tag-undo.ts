import { PartialError } from '../../base/errors.ts';
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
  /** In the order in which they are made. */
  readonly changes: readonly TagChange[];
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
  const isDeletion = (label: unknown): boolean =>
    steps.some((step) => step.label === label && step.changes[0]?.delete !== undefined);
  const report: TagsReport = {
    ...changeEach(labels, work, { done: 'restored' }),
    sentence: ({ label }, { tick }) => `${tick} ${isDeletion(label) ? 'Deleted' : 'Restored'} tag "${label}"`,
  };
  if (global.dryRun) {
    const requests = dryRunReport(doable.flatMap(({ changes }) => changes.flatMap(tagRequests)));
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
  const isSeen = isOneOf(steps.flatMap(({ changes }) => changes).flatMap(labelsOfChange));
  return openTags(run, reversals).filter((label) => !isSeen(label));
}

/** Its undo must not touch what others have done. */
function combined(steps: readonly Step[]): TagChange {
  const changes = steps.flatMap((step) => step.changes);
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
  const isKnown = (label: string): boolean => tags.spelled(label) !== undefined;
  const other = rename && labelInTheWay(rename, tags);
  const toDelete = deleted.flatMap((label) => (other && isSameLabel(label, other) ? [] : (tags.spelled(label) ?? [])));
  const toCount = [...toDelete, ...(other === undefined ? [] : [other])];
  const counts = toCount.length > 0 ? await countLinks(toCount, session) : [];
  const remove = deletion(toCount, session, changedSince);
  const unused = other !== undefined && linksOf(other, counts) === 0 ? { label: other, remove } : undefined;
  const renames = rename ? renaming(rename, tags, unused, session) : [];
  const isFreed = (label: string): boolean =>
    rename !== undefined && isSameLabel(rename.from, label) && renames.some(({ refusal }) => refusal === undefined);
  const toAdd = add.filter((label) => !isKnown(label) || isFreed(label));
  const step = (word: 'add' | 'delete', label: string, act: Step['act']): Step => {
    return { label, changes: [{ [word]: [label] }], text: `${word} ${JSON.stringify(label)}`, act };
  };
  return [
    ...renames,
    ...toAdd.map((label) => step('add', label, () => addTags(client, [label]))),
    ...toDelete.map((label) => {
      const links = linksOf(label, counts);
      const removal = step('delete', label, () => remove(label));
      return links > 0 ? refused(removal, changedSince(links), tagKept(label, changedSince(links))) : removal;
    }),
  ];
}

type Rename = NonNullable<TagChange['rename']>;

/** Returns the tag that has got the label to restore meanwhile. */
function labelInTheWay({ from, to }: Rename, { spelled }: AccountTags): string | undefined {
  return isSameLabel(from, to) || spelled(from) === undefined ? undefined : spelled(to);
}

function refused(step: Omit<Step, 'act'>, refusal: string, error: PartialError): Step {
  return { ...step, refusal, act: () => Promise.reject(error) };
}

/** `unused`: no link has the tag in the way, so it can be deleted. The undo of this undo adds it again. */
function renaming(
  rename: Rename,
  { labels, spelled }: AccountTags,
  unused: { readonly label: string; remove(label: string): Promise<unknown> } | undefined,
  { client }: Session,
): Step[] {
  const { from, to } = rename;
  const [old, other] = [spelled(from), spelled(to)];
  const isSpelling = isSameLabel(from, to);
  // If the labels differ only in case, only the exact text shows which one the tag has.
  if (isSpelling ? labels.includes(to) : other !== undefined && old === undefined) return [];
  const text = `rename ${JSON.stringify(from)} to ${JSON.stringify(to)}`;
  const step = { label: to, changes: [{ rename }], text };
  const unless = (reason: string): Step[] => {
    const refusal = `changed since: ${reason}`;
    return [refused(step, refusal, new PartialError(`tag ${JSON.stringify(to)}: ${refusal}`))];
  };
  if (old === undefined) return unless(`there is no tag ${JSON.stringify(from)}`);
  const act = () => renameTag(client, old, to, true);
  if (isSpelling || other === undefined) return [{ ...step, act }];
  if (!unused) return unless(`there is another tag ${JSON.stringify(to)}`);
  const { label, remove } = unused;
  return [
    {
      ...step,
      changes: [{ delete: [label] }, { rename }],
      text: `delete the unused tag ${JSON.stringify(label)}, then ${text}`,
      act: () => remove(label).then(act),
    },
  ];
}
