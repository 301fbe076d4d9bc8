import { errorTraits } from '../../contract/errors.ts';
import { type UnappliedField, unappliedText } from '../../link/same.ts';
import { type Execution, pause } from '../execution/execution.ts';
import { type Done, type Doubtful, doubtful, unresolved, type Verdict } from '../matching/row-verdict.ts';
import { type BulkOperation, kindOf } from '../operations/operation.ts';
import { type BulkRow, doneStatuses, mayBeNew, type RowError, type RowOutcome } from '../results/row-outcome.ts';
import type { Stop } from './stop.ts';

/** Maximum number of times a row is sent. An answer may omit or temporarily refuse it, or a check may find it not applied. */
export const maximalRounds = 5;

export interface Round {
  readonly outcomes: readonly RowOutcome[];
  /** Rows to send again, possibly in smaller batches. */
  readonly repeat: readonly BulkRow[];
}

/** Rows whose intent has this number in the journal. */
export interface RecordedBatch {
  readonly batch: number;
  readonly rows: readonly BulkRow[];
}

/** Turns verdicts into outcomes and records them. Waits after 1219, so that rows are not sent again too early. */
export async function settle({ batch, rows }: RecordedBatch, verdicts: readonly Verdict[], run: Execution): Promise<Round> {
  const { operation, stop, limiter } = run;
  const outcomes: RowOutcome[] = [];
  const open: RowOutcome[] = [];
  const repeat: BulkRow[] = [];
  let cooling = 0;
  for (const [position, row] of rows.entries()) {
    const verdict = verdicts[position] ?? doubtful;
    if (verdict.kind === 'failed' && verdict.error.code === 1219) cooling += 1;
    if (verdict.kind === 'failed' && verdict.error.code === 1220) stop.because((await import('./refusals.ts')).linksUsedUp());
    if (verdict.kind === 'again' && verdict.readAt !== undefined)
      repeat.push({ ...row, before: verdict.record, readAt: verdict.readAt });
    else if (verdict.kind === 'again' || isTemporary(verdict)) repeat.push(row);
    else if (verdict.kind === 'doubtful' && (verdict.open || isSettledLater(operation))) open.push(outcomeOf(row, verdict, run));
    else outcomes.push(outcomeOf(row, verdict, run));
  }
  if (!(await recordOutcomes(batch, outcomes, repeat, run))) {
    return { outcomes: [...outcomes.map(unrecorded), ...open, ...unsent(repeat, run).outcomes], repeat: [] };
  }
  for (const { index } of repeat) run.rounds.set(index, roundOf(index, run) + 1);
  const exhausted = repeat.filter(({ index }) => roundOf(index, run) > maximalRounds);
  if (exhausted.length > 0) stop.because((await import('./refusals.ts')).notTaken(exhausted.length, cooling, maximalRounds));
  if (cooling > 0) limiter.throttled();
  else if (outcomes.length > 0) limiter.succeeded();
  if (cooling > 0 && !stop.reason) await coolDown(roundOf(repeat[0]?.index ?? -1, run), run);
  return { outcomes: open.length > 0 ? [...outcomes, ...open] : outcomes, repeat };
}

/** If true, a later process can settle rows in doubt, so the journal leaves them open. Otherwise they stay unknown. */
export function isSettledLater({ doubt }: BulkOperation): boolean {
  return doubt === 'repeat' || doubt === 'inspect';
}

/** Records outcomes and releases rows of `repeat` not in doubt. Stops the run and returns false if the journal cannot be written. */
export async function recordOutcomes(
  batch: number,
  outcomes: readonly RowOutcome[],
  repeat: readonly BulkRow[],
  { ledger, stop, inDoubt, priorDestinations, rounds }: Execution,
): Promise<boolean> {
  const released = inDoubt.size === 0 ? repeat : repeat.filter(({ index }) => !inDoubt.has(index));
  const failed = outcomes.filter(({ index, status }) => status === 'failed' && inDoubt.has(index));
  try {
    // The journal lacks the doubt if an earlier process was killed. `undo` needs it, because a part of the row may have been applied.
    if (failed.length > 0) await ledger.ambiguous(batch, failed, 'no answer');
    await ledger.settled(batch, outcomes, released);
  } catch (error) {
    stop.because(error);
    return false;
  }
  for (const kept of [inDoubt, priorDestinations, rounds]) {
    if (kept.size > 0) for (const { index } of outcomes) kept.delete(index);
  }
  return true;
}

/** True if the row was refused temporarily: it was not applied and may be sent again. */
export function isTemporary(verdict: Verdict): boolean {
  return verdict.kind === 'failed' && errorTraits(verdict.error.code).temporary === true;
}

export function roundOf(index: number, { rounds }: Execution): number {
  return rounds.get(index) ?? 1;
}

async function coolDown(round: number, run: Execution): Promise<void> {
  const cap = Math.min(1000 * 2 ** (round - 1), 20_000);
  await pause(Math.ceil(run.system.random() * cap), run);
}

/** A done row fails if its record shows another value than requested. */
export function outcomeOf(row: BulkRow, verdict: Verdict, run: Execution): RowOutcome {
  const { operation } = run;
  if (verdict.kind === 'failed') return { ...row, status: 'failed', error: verdict.error };
  if (verdict.kind !== 'done') return unknownOutcome(row, operation, verdict);
  const { evidence } = verdict;
  // A deleted link has no record, so the one from before is reported.
  const record = verdict.record ?? (kindOf(row.payload, operation) === 'delete' ? (row.before ?? undefined) : undefined);
  const matchedByPosition = evidence === 'position' ? true : undefined;
  const isOlder = record !== undefined && run.older.has(record.hash);
  const mayBeOlder = operation.mayBeOlder?.(row.payload, verdict) ? true : undefined;
  const perhapsNew = isOlder ? undefined : (verdict.perhapsNew ?? mayBeOlder);
  if (verdict.skipped) return { ...row, status: 'skipped', record };
  const differences = record ? (operation.notApplied?.(row.payload, record) ?? []) : [];
  if (differences.length === 0) {
    const { index, line, item, payload, before } = row;
    const status = isOlder ? 'existing' : operation.statusOf(payload, verdict);
    const seenLate = run.inDoubt.has(index) && mayBeNew({ status, perhapsNew }) ? true : undefined;
    return { index, line, item, payload, before, status, record, matchedByPosition, perhapsNew, seenLate };
  }
  const existed = isOlder || (perhapsNew ? undefined : (verdict.existed ?? existedBefore(row, verdict, run)));
  return { ...row, status: 'failed', record, matchedByPosition, perhapsNew, existed, error: notAppliedError(differences) };
}

/** True for a row that makes a link and got one that existed. An edit may have been applied whatever the answer shows: it may be old. */
function existedBefore({ index, payload, before }: BulkRow, done: Done, { operation, inDoubt }: Execution): true | undefined {
  if (inDoubt.has(index) || kindOf(payload, operation) !== 'shorten') return undefined;
  return before || operation.statusOf(payload, done) === 'existing' ? true : undefined;
}

/** Ends rows that are not sent again: `unknown` if an attempt may have been applied, otherwise `not_sent`. */
export function unsent(rows: readonly BulkRow[], { inDoubt, operation, stop }: Execution): Round {
  const outcomes = rows.map((row) => (inDoubt.has(row.index) ? unknownOutcome(row, operation) : notSent(row, stop)));
  return { outcomes, repeat: [] };
}

function notSent(row: BulkRow, { reason }: Stop): RowOutcome {
  // Here `unknown` describes other rows, so this row has no error.
  const isOurs = reason?.kind === 'error' && reason.error.kind !== 'unknown';
  const error = isOurs ? { code: reason.error.apiCode ?? 0, message: reason.error.message } : undefined;
  return { ...row, status: 'not_sent', error };
}

export function outcomeOfFreeRow(row: BulkRow, sent: ReadonlyMap<number, RowOutcome>, { stop }: Execution): RowOutcome {
  if (!row.skip) return sent.get(row.index) ?? notSent(row, stop);
  const { status, reason } = row.skip;
  return reason === undefined ? { ...row, status } : { ...row, status, error: { code: 0, message: reason } };
}

/** Without a verdict, nothing was read because the run stops. `recorded`: the details that an earlier process gave. */
export function unknownOutcome(
  row: BulkRow,
  operation: BulkOperation,
  verdict: Verdict = unresolved,
  recorded?: string,
): RowOutcome {
  const { doubt } = operation;
  const { candidates = [], open }: Partial<Doubtful> = verdict.kind === 'doubtful' ? verdict : {};
  const details = candidates.length > 0 ? `possibly created: ${candidates.join(', ')}` : recorded;
  const error = { code: 0, message: 'outcome unknown', ...(details && { details }) };
  const resumable = isSettledLater(operation) || (doubt === 'read_back' && open) || undefined;
  return { ...row, status: 'unknown', error, repeatable: doubt === 'repeat' || undefined, resumable };
}

/** A row is not reported as done unless its outcome was recorded. */
function unrecorded(outcome: RowOutcome): RowOutcome {
  if (!doneStatuses.has(outcome.status)) return outcome;
  return { ...outcome, status: 'unknown', error: { code: 0, message: 'it was applied, but could not be recorded' } };
}

function notAppliedError(differences: readonly UnappliedField[]): RowError {
  return {
    code: 0,
    message: unappliedText(differences),
    details: differences
      .map(({ field, asked, got }) => {
        // The message names the only field.
        const name = differences.length > 1 ? `${field}: ` : '';
        return `${name}requested ${JSON.stringify(asked)}, got ${JSON.stringify(got)}`;
      })
      .join('; '),
  };
}
