import { type CliError, UnknownOutcomeError } from '../../base/errors.ts';
import { CallError } from '../../client/call-error.ts';
import { type Execution, outdated } from '../execution/execution.ts';
import { again, type Doubtful, doubtful, unresolved, type Verdict } from '../matching/row-verdict.ts';
import { kindOf } from '../operations/operation.ts';
import type { BulkRow } from '../results/row-outcome.ts';
import { knownVerdicts, withKnown } from './links-before.ts';
import { type DoubtfulBatch, maximalRounds, type Round, roundOf, settle, unsent } from './settling.ts';

type Rows = readonly BulkRow[];

/** The one place that resolves a doubt. Rows are not sent again if `isLast` is set, or if they have used up their rounds. */
export async function resolveDoubt(batch: number, rows: Rows, run: Execution, isLast = false): Promise<readonly Verdict[]> {
  // After an error that stops the run not one more call is made.
  if (run.stop.reason?.kind === 'error') return rows.map(() => unresolved);
  const unlessLast = (verdict: Verdict, position: number): Verdict => {
    const isOver = isLast || roundOf(rows[position]?.index ?? -1, run) >= maximalRounds;
    return verdict.kind === 'again' && isOver ? doubtful : verdict;
  };
  switch (run.operation.doubt) {
    case 'repeat':
      return rows.map((_, position) => unlessLast(again, position));
    case 'inspect':
      return (await inspect(rows, run)).map(unlessLast);
    case 'read_back': {
      const verdicts = await readBack(batch, rows, run);
      // A link that a conclusive reading did not find was certainly not made: only this policy takes rows out of doubt.
      for (const [position, { index }] of rows.entries()) if (verdicts[position]?.kind === 'again') run.inDoubt.delete(index);
      return verdicts;
    }
    case 'leave':
      return rows.map(() => doubtful);
  }
}

/** Only the listing shows what was made of rows without a hash of their own. Loaded when it is needed, as little else does. */
async function readBack(batch: number, rows: Rows, run: Execution): Promise<readonly Verdict[]> {
  const payloads = rows.map(({ payload }) => payload);
  if (run.plan.isOneOff) return await (await import('../checked/possible-links.ts')).candidatesOf(payloads, run);
  return await (await import('../checked/reading-back.ts')).readBackBatch(batch, payloads, run);
}

/** Without permission to ask, rows stay as they are: open if they are in doubt. */
export async function inspect(
  rows: Rows,
  { operation, inDoubt, priorDestinations, stop, signal, mayCall, system }: Execution,
): Promise<readonly Verdict[]> {
  const left = rows.map(({ index }) => (inDoubt.has(index) ? unresolved : again));
  if (!operation.inspect || stop.reason?.kind === 'error' || !mayCall()) return left;
  try {
    const sought = rows.map(({ index, payload, listed }) => ({
      payload,
      inDoubt: inDoubt.has(index),
      priorDestination: priorDestinations.get(index),
      listed,
    }));
    const seen = await operation.inspect(sought, signal);
    const readAt = system.elapsed();
    // A link to be deleted is compared with the plan, which only a reading of the whole batch does.
    const isSeen = ({ index, payload }: BulkRow) => inDoubt.has(index) && kindOf(payload, operation) !== 'delete';
    return seen.map((verdict, nth) => {
      const row = rows[nth];
      return verdict.kind === 'again' && row && isSeen(row) ? { ...verdict, readAt } : verdict;
    });
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    const doubts = left.filter((verdict) => verdict.kind === 'doubtful');
    stop.because(doubts.length > 0 && operation.doubt !== 'repeat' ? doubtOf(error, doubts) : error);
    return left;
  }
}

export function doubtOf(error: CliError, inDoubt: readonly Doubtful[]): CliError {
  const candidates = inDoubt.flatMap((verdict) => verdict.candidates ?? []);
  const subject = inDoubt.length === 1 ? 'it' : `${inDoubt.length} rows`;
  const message = error.kind === 'unknown' ? error.message : `outcome of ${subject} unknown: ${error.message}`;
  return new UnknownOutcomeError(message, {
    hint:
      candidates.length > 0
        ? 'check these links before repeating the command'
        : (error.hint ?? 'check with linkctl list before repeating the command'),
    details: [...error.details, ...candidates.map((shortUrl) => `possibly created: ${shortUrl}`)],
    cause: error,
  });
}

export async function clearDoubt({ batch, rows }: DoubtfulBatch, run: Execution): Promise<Round> {
  // A row that was refused was in the batch, and in no call.
  for (const { index, refusal } of rows) if (refusal === undefined) run.inDoubt.add(index);
  const release = run.holdsPermit ? undefined : await run.limiter.acquire();
  try {
    if (run.stop.reason) return unsent(rows, run);
    const known = knownVerdicts(rows, run);
    const open = rows.filter((_, nth) => !known[nth]);
    return await settle(batch, rows, withKnown(known, open.length === 0 ? [] : await resolveDoubt(batch, open, run)), run);
  } finally {
    release?.();
  }
}

/** The rows of a call that was not made, or not once more, because a link is different by now. Of those in doubt only a reading says more. */
export async function lookAgain(
  batch: number,
  rows: readonly BulkRow[],
  known: readonly (Verdict | undefined)[],
  run: Execution,
): Promise<Round> {
  const open = rows.filter(({ index }, nth) => !known[nth] && run.inDoubt.has(index));
  const resolved = new Map((await resolveDoubt(batch, open, run)).map((verdict, nth) => [open[nth], verdict]));
  const verdicts = rows.map((row, nth) => known[nth] ?? resolved.get(row) ?? again);
  return await settle(batch, rows.map(outdated), verdicts, run);
}
