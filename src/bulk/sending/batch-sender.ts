import { setImmediate as turn } from 'node:timers/promises';
import { CallError, isTooLarge } from '../../client/call-error.ts';
import { lacksKey } from '../../contract/records.ts';
import type { Execution } from '../execution/execution.ts';
import type { BatchAnswer, Verdict } from '../matching/row-verdict.ts';
import { cutBatch, groupsOf, type SerializedBatch, serializeBatch } from '../operations/batches.ts';
import type { BulkRow, RowOutcome } from '../results/row-outcome.ts';
import { BudgetError, type Reserved } from './limiter.ts';
import { type RecordedBatch, type Round, recordOutcomes, settle, unknownOutcome, unsent } from './settling.ts';

/** Resolves `doubts`, then sends `rows` in batches. If the run stops, the remaining rows are `not_sent`, or `unknown` if in doubt. */
export async function sendRows(
  rows: readonly BulkRow[],
  run: Execution,
  doubts: readonly RecordedBatch[] = [],
): Promise<Map<number, RowOutcome>> {
  const outcomes = new Map<number, RowOutcome>();
  const queue: (readonly BulkRow[])[] = [];
  for (const doubt of doubts) {
    const { clearDoubt } = await import('./resolving.ts');
    const round = await clearDoubt(doubt, run);
    for (const outcome of round.outcomes) outcomes.set(outcome.index, outcome);
    queue.push(...groupsOf(round.repeat, run.rules));
  }
  queue.push(...groupsOf(rows, run.rules));
  for (let next = queue.shift(); next; next = queue.shift()) {
    const [batch, rest] = cutBatch(next, run.rules);
    if (rest.length > 0) queue.unshift(rest);
    const round = run.stop.reason ? unsent(batch, run) : await sendBatch(batch, run);
    for (const outcome of round.outcomes) outcomes.set(outcome.index, outcome);
    queue.unshift(...groupsOf(round.repeat, run.rules));
    if (run.plan.failFast && round.outcomes.some(({ status }) => status === 'failed')) run.stop.request({ kind: 'fail_fast' });
  }
  return outcomes;
}

/** Records the intent of a batch, acquires a permit, makes the call and settles the rows. */
async function sendBatch(rows: readonly BulkRow[], run: Execution): Promise<Round> {
  const { operation, ledger, stop } = run;
  let serialized = serializeBatch(rows);
  // If repeating is harmless, the intent is recorded before the permit is acquired, so that no permit is held during the fsync.
  const isAhead = operation.doubt === 'repeat' && !operation.read;
  let batch: number | undefined;
  let release: (() => void) | undefined;
  let sending = rows;
  let reserved: Reserved | undefined;
  try {
    if (isAhead) batch = await ledger.intent(serialized);
    if (!run.holdsPermit) release = await run.limiter.acquire();
    // Only batches whose links are read first, or with rows that are not sent, need this module.
    const isSeen = operation.read || rows.some(({ refusal }) => refusal) || lacksKey(serialized.json);
    const before = isSeen ? await import('./links-before.ts') : undefined;
    const onReserved = (given: Reserved): void => {
      reserved = given;
    };
    const prepared = before && operation.read ? await before.readBefore(rows, run, onReserved) : rows;
    if (!prepared) return unsent(rows, run);
    // After the reading, rows may need different kinds of calls.
    const [now = prepared, ...others] = groupsOf(prepared, run.rules);
    sending = now;
    serialized = others.length === 0 ? { ...serialized, rows: now } : serializeBatch(now);
    batch ??= await ledger.intent(serialized);
    const round = await callAndSettle(batch, serialized, run, { before, reserved, release });
    return others.length === 0 ? round : { ...round, repeat: [...round.repeat, ...others.flat()] };
  } catch (error) {
    stop.because(error);
    // Recording the intent, or reading before it, failed: nothing was sent.
    if (batch === undefined) return unsent(rows, run);
    // The journal could not be written after the intent, so the outcome of the batch is unknown.
    return { outcomes: sending.map((row) => unknownOutcome(row, operation)), repeat: [] };
  } finally {
    reserved?.(false);
    release?.();
  }
}

interface Turn {
  /** Loaded before the intent; undefined if no row needs it. */
  readonly before: typeof import('./links-before.ts') | undefined;
  /** Of a call that has been reserved in the budget. */
  readonly reserved: Reserved | undefined;
  /** Releases the permit once no further request is needed, so that another batch is sent while the answer is processed. */
  readonly release: (() => void) | undefined;
}

async function callAndSettle(
  batch: number,
  { rows, payloads, json }: SerializedBatch,
  run: Execution,
  { before, reserved, release }: Turn,
): Promise<Round> {
  const { operation, stop, rules, inDoubt } = run;
  const { reason } = stop;
  const whole = { batch, rows };
  // A reserved call is made despite an exhausted budget. Otherwise readings could use up a small budget in every run.
  const isStopped = reason && !(reserved && reason.kind === 'error' && reason.error instanceof BudgetError);
  // During the fsync or the wait for a permit, another batch may have stopped the run or lowered the batch limit.
  if (isStopped || rows.length > rules.limit) return await requeue(whole, run);
  const known = before?.knownVerdicts(rows, run) ?? [];
  const sent = rows.filter((_, nth) => !known[nth]);
  const asked = { batch, rows: sent };
  const merged = (verdicts: readonly Verdict[]): readonly Verdict[] => before?.mergeVerdicts(known, verdicts) ?? verdicts;
  if (sent.length === 0) return await settle(whole, merged([]), run);
  const isCurrent = before?.freshnessCheck(sent, run);
  if (isCurrent && !(await isCurrent())) return await (await import('./resolving.ts')).settleChanged(whole, known, run);
  // Reserved right before the call, so that no budget is spent on calls that are not made.
  if (reserved) reserved(true);
  else if (!run.reserveCalls()) return await requeue(whole, run);
  try {
    const onDoubt = (): void => sent.forEach(({ index }) => void inDoubt.add(index));
    const isWhole = sent.length === rows.length;
    const items = isWhole ? payloads : sent.map(({ payload }) => payload);
    const answer = await operation.call(items, run.signal, isWhole ? json : undefined, { onDoubt, isCurrent });
    if (release && answer.verdicts.every((verdict) => verdict?.kind === 'done')) {
      release();
      await turn();
    }
    return await settle(whole, merged(await verdictsOf(answer, asked, run)), run);
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    const { enterDoubt, verdictsOfFailure } = await doubts();
    if (error.outcome === 'ambiguous') await enterDoubt(asked, error.message, run);
    if (error.gaveUp === 'the target has changed since')
      return await (await import('./resolving.ts')).settleChanged(whole, known, run);
    if (isTooLarge(error) && sent.length > 1) {
      rules.limit = Math.min(rules.limit, Math.ceil(sent.length / 2));
      return await requeue(whole, run);
    }
    return await settle(whole, merged(await verdictsOfFailure(error, asked, run)), run);
  }
}

/** Imported only for doubt or refusals. If the program was replaced meanwhile, the command reports an unknown outcome. */
function doubts(): Promise<typeof import('./doubt.ts')> {
  return import('./doubt.ts');
}

/** Returns the verdicts of a complete answer; otherwise resolves missing rows and rows in doubt. */
async function verdictsOf(answer: BatchAnswer, sent: RecordedBatch, run: Execution): Promise<readonly Verdict[]> {
  const verdicts = answer.verdicts.filter((verdict) => verdict !== undefined);
  const isPlain = answer.surplus.length === 0 && run.inDoubt.size === 0 && verdicts.length === sent.rows.length;
  return isPlain ? verdicts : (await doubts()).verdictsOfAnswer(answer, sent, run);
}

/** Releases the rows of a batch that was not sent as planned. They are sent in smaller batches unless the run stops. */
async function requeue({ batch, rows }: RecordedBatch, run: Execution): Promise<Round> {
  const isWritten = await recordOutcomes(batch, [], rows, run);
  return isWritten && !run.stop.reason ? { outcomes: [], repeat: rows } : unsent(rows, run);
}
