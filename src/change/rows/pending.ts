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
  const { run } = begin;
  const rows = plainQuantity(untraceableRows, 'row');
  throw new UnknownOutcomeError(
    `outcome unknown for ${rows} of run ${run}: undo would not find their links; nothing was changed`,
    {
      hint: `${repeatText(begin)}, then: linkctl undo ${run}; to undo the other rows now and give these up: linkctl undo ${run} --force`,
    },
  );
}

export function repeatText(begin: DoneRun['begin']): string {
  // The title of an undo names the command that it undoes.
  const command = begin.undoes === undefined ? titleOf(begin) : `undo ${begin.undoes}`;
  return `repeat the command of the run (${command})`;
}

/** Says how to undo a run of which a tag may still be changed. */
export function settleTagsText({ begin, isSettledLater }: Pick<DoneRun, 'begin' | 'isSettledLater'>): string {
  return `${isSettledLater ? `${repeatText(begin)}, then` : 'check the tags, then repeat'}: linkctl undo ${begin.run}`;
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
  const { run } = begin;
  const what = rows > 0 ? plainQuantity(rows, 'row') : plainQuantity(tags, 'tag');
  const leave = force ? '' : `; to give them up: linkctl undo ${run} --force`;
  const given = force ? 'they are given up, and the next undo goes further back; ' : '';
  // An undo does not find links of untraceable rows, however often it is repeated.
  const ways = `; the command of the run (${titleOf(begin)}) names their destinations: ${waysText(begin, begin, '--again --dedupe')}`;
  const check = `${given}check with: linkctl list${leave}${unrepeatableRows > 0 ? ways : ''}`;
  const links = rows > untraceableRows && !force ? `check the links, then repeat: linkctl undo ${run}${leave}` : check;
  return new CliError('unknown', `outcome unknown for ${what} of run ${run}: they may still be applied`, {
    details: outcome ? [outcome.message] : [],
    hint: tags > 0 ? `${settleTagsText(undone)}${leave}` : links,
  });
}
