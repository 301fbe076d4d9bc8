import { CliError, type FailureKind, UnknownOutcomeError } from '../../base/errors.ts';
import type { DoneRun } from '../../bulk/past-runs/done-run.ts';
import { titleOf } from '../../bulk/past-runs/run-names.ts';
import { waysText } from '../../bulk/past-runs/second-links.ts';
import { plainQuantity } from '../../output/quantity.ts';

/** What calls of an undone run that had no answer may still apply, so that there is nothing to undo yet. */
export interface Pending {
  rows: number;
  tags: number;
}

/** Throws if only the command of the run can find out about its rows. Once the run is undone, the same command no longer resumes it. */
export function assertSettled({ begin, isSettledLater, untraceableRows }: DoneRun): void {
  if (!isSettledLater || untraceableRows === 0) return;
  const rows = plainQuantity(untraceableRows, 'row');
  const revert = revertText(begin);
  throw new UnknownOutcomeError(
    `outcome unknown for ${rows} of run ${begin.run}: undo would not find their links; nothing was changed`,
    { hint: `${repeatText(begin)}, then: ${revert}; to undo the other rows now and give these up: ${revert} --force` },
  );
}

export function repeatText({ direction = 'undo', undoes, ...begin }: DoneRun['begin']): string {
  return undoes === undefined ? `repeat the command of the run (${titleOf(begin)})` : `linkctl ${direction} ${undoes}`;
}

/** An undo is reverted by a redo of the run that it undoes. */
function revertText({ direction, undoes, run }: DoneRun['begin']): string {
  return `linkctl ${direction === 'undo' ? `redo ${undoes}` : `undo ${run}`}`;
}

/** Says how to undo a run of which a tag may still be changed. */
export function settleTagsText({ begin, isSettledLater }: Pick<DoneRun, 'begin' | 'isSettledLater'>): string {
  return `${isSettledLater ? `${repeatText(begin)}, then` : 'check the tags, then repeat'}: ${revertText(begin)}`;
}

/** How an undo ends that went through all rows. One that stopped goes on with the same command. */
const through: ReadonlySet<FailureKind> = new Set(['partial', 'rejected', 'not_found', 'failed']);

/** What may still be applied after the undo matters more than what was left unchanged. By force, the undo has given it up. */
export function withPending(
  outcome: CliError | undefined,
  { rows, tags }: Pending,
  undone: DoneRun,
  force = false,
): CliError | undefined {
  const { begin, untraceableRows, unrepeatableRows } = undone;
  if (rows + tags === 0 || (outcome && !through.has(outcome.kind))) return outcome;
  const revert = revertText(begin);
  const what = rows > 0 ? plainQuantity(rows, 'row') : plainQuantity(tags, 'tag');
  const leave = force ? '' : `; to give them up: ${revert} --force`;
  const given = force ? 'they are given up, and the next undo goes further back; ' : '';
  // An undo does not find links of untraceable rows, however often it is repeated.
  const ways = `; the command of the run (${titleOf(begin)}) names their destinations: ${waysText(begin, begin, '--again --dedupe')}`;
  const check = `${given}check with: linkctl list${leave}${unrepeatableRows > 0 ? ways : ''}`;
  // The command of an undo makes its changes, which can be reverted then. That of another run would make them only to be undone.
  const settle = begin.undoes === undefined ? 'check the links, then repeat' : `${repeatText(begin)}, then`;
  const links = rows > untraceableRows && !force ? `${settle}: ${revert}${leave}` : check;
  return new CliError('unknown', `outcome unknown for ${what} of run ${begin.run}: they may still be applied`, {
    details: outcome ? [outcome.message] : [],
    hint: tags > 0 ? `${settleTagsText(undone)}${leave}` : links,
  });
}
