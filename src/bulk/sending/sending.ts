import { setImmediate as turn } from 'node:timers/promises';
import { CallError, isTooLarge } from '../../client/call-error.ts';
import type { Execution } from '../execution/execution.ts';
import type { BatchAnswer, Verdict } from '../matching/row-verdict.ts';
import type { BulkRow, RowOutcome, StopReason } from '../results/row-outcome.ts';
import { cutBatch, groupsOf, type SerializedBatch, serializeBatch } from './batches.ts';
import { BudgetError } from './limiter.ts';
import { type DoubtfulBatch, type Round, recordOutcomes, settle, unknownOutcome, unsent } from './settling.ts';

/**
 * Sends rows in as many calls as it takes and gives each its outcome. Never throws for what a server does; what stops the run goes
 * to `stop`, and the rows that were not reached are `not_sent`. `doubts` are resolved first.
 */
export async function sendRows<Payload extends object>(
  rows: readonly BulkRow<Payload>[],
  run: Execution<Payload>,
  doubts: readonly DoubtfulBatch<Payload>[] = [],
): Promise<Map<number, RowOutcome<Payload>>> {
  const outcomes = new Map<number, RowOutcome<Payload>>();
  const queue: (readonly BulkRow<Payload>[])[] = [];
  for (const doubt of doubts) {
    const { clearDoubt } = await import('./second-look.ts');
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

/** Writes a batch down, waits for its permit, makes the call and settles its rows. */
async function sendBatch<Payload extends object>(
  rows: readonly BulkRow<Payload>[],
  run: Execution<Payload>,
): Promise<Round<Payload>> {
  const { operation, ledger, stop } = run;
  let serialized = serializeBatch(rows);
  // A batch that may be sent again without harm is written down ahead of its turn, so that no permit waits for the disk.
  const isAhead = operation.doubt === 'repeat' && !operation.read;
  let batch: number | undefined;
  let release: (() => void) | undefined;
  let sending = rows;
  try {
    if (isAhead) batch = await ledger.intent(serialized);
    if (!run.holdsPermit) release = await run.limiter.acquire();
    const before = isLookedAt(rows, run) ? await import('./before.ts') : undefined;
    const prepared = before && operation.read ? await before.readBefore(rows, run) : { rows, isPaid: false };
    if (!prepared) return unsent(rows, run);
    // The reading may have shown that rows need calls of different kinds.
    const [now = prepared.rows, ...others] = groupsOf(prepared.rows, run.rules);
    sending = now;
    serialized = others.length === 0 ? { ...serialized, rows: now } : serializeBatch(now);
    batch ??= await ledger.intent(serialized);
    const round = await callAndSettle(batch, serialized, run, { before, isPaid: prepared.isPaid, release });
    return others.length === 0 ? round : { ...round, repeat: [...round.repeat, ...others.flat()] };
  } catch (error) {
    stop.because(error);
    // The intent could not be written, or something not be read before it: nothing was sent.
    if (batch === undefined) return unsent(rows, run);
    // The journal broke while the batch was in doubt.
    return { outcomes: sending.map((row) => unknownOutcome(row, operation)), repeat: [] };
  } finally {
    release?.();
  }
}

/** Rows of new links have nothing that is known, or to be known, before they are sent. */
function isLookedAt<Payload extends object>(
  rows: readonly BulkRow<Payload>[],
  { operation }: Pick<Execution<Payload>, 'operation'>,
): boolean {
  return operation.read !== undefined || rows.some(({ refusal }) => refusal !== undefined);
}

interface Turn {
  /** The steps before a batch, loaded before its intent; undefined where there are none. */
  readonly before: typeof import('./before.ts') | undefined;
  /** The budget of the call is set aside already. */
  readonly isPaid: boolean;
  /** Releases the permit as soon as nothing more is to be asked of the server, while its answer is still worked on. */
  readonly release: (() => void) | undefined;
}

async function callAndSettle<Payload extends object>(
  batch: number,
  { rows, payloads, json }: SerializedBatch<Payload>,
  run: Execution<Payload>,
  { before, isPaid, release }: Turn,
): Promise<Round<Payload>> {
  const { operation, stop, rules, inDoubt } = run;
  // While the disk and its turn were waited for, another batch may have met what stops the run.
  if (stop.reason && !(isPaid && isBudget(stop.reason))) return await requeue(batch, rows, run);
  // Or have learnt how many rows the server takes.
  if (rows.length > rules.limit) return await requeue(batch, rows, run);
  const known = before?.knownVerdicts(rows, run) ?? [];
  const sent = rows.filter((_, nth) => !known[nth]);
  const whole = (verdicts: readonly Verdict[]): readonly Verdict[] => before?.withKnown(known, verdicts) ?? verdicts;
  if (sent.length === 0) return await settle(batch, rows, whole([]), run);
  const isCurrent = before?.currency(sent, run);
  if (isCurrent && !(await isCurrent())) return await (await import('./second-look.ts')).lookAgain(batch, rows, known, run);
  // Nothing comes between this and the call: of a budget, nothing is set aside for what is not sent after all.
  if (!isPaid && !run.mayCall()) return await requeue(batch, rows, run);
  try {
    const onDoubt = (): void => sent.forEach(({ index }) => void inDoubt.add(index));
    const isWhole = sent.length === rows.length;
    const asked = isWhole ? payloads : sent.map(({ payload }) => payload);
    const answer = await operation.call(asked, run.signal, isWhole ? json : undefined, { onDoubt, isCurrent });
    if (release && answer.verdicts.every((verdict) => verdict?.kind === 'done')) {
      release();
      await turn();
    }
    return await settle(batch, rows, whole(await verdictsOf(answer, batch, sent, run)), run);
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    const { enterDoubt, verdictsOfFailure } = await doubts();
    if (error.outcome === 'ambiguous') await enterDoubt(batch, sent, error.message, run);
    if (error.gaveUp === 'the target has changed since')
      return await (await import('./second-look.ts')).lookAgain(batch, rows, known, run);
    if (isTooLarge(error) && sent.length > 1) {
      rules.limit = Math.min(rules.limit, Math.ceil(sent.length / 2));
      return await requeue(batch, rows, run);
    }
    return await settle(batch, rows, whole(await verdictsOfFailure(error, batch, sent, run)), run);
  }
}

/**
 * Loaded when there is doubt or a refusal. Where that cannot be, because the program was replaced meanwhile, the command ends, and says that the
 * outcome is unknown; so says the journal, which has the intent alone.
 */
function doubts(): Promise<typeof import('./doubt.ts')> {
  return import('./doubt.ts');
}

/** The verdicts of an answer that has one on every row, and nothing else; what lacks, or is in doubt, is worked out. */
async function verdictsOf<Payload extends object>(
  answer: BatchAnswer,
  batch: number,
  rows: readonly BulkRow<Payload>[],
  run: Execution<Payload>,
): Promise<readonly Verdict[]> {
  const verdicts = answer.verdicts.filter((verdict) => verdict !== undefined);
  const isPlain = answer.surplus.length === 0 && run.inDoubt.size === 0 && verdicts.length === rows.length;
  return isPlain ? verdicts : (await doubts()).verdictsOfAnswer(answer, batch, rows, run);
}

/** A batch that is paid for is sent: otherwise readings before batches use up a small budget at every run, and no row is ever sent. */
function isBudget(reason: StopReason): boolean {
  return reason.kind === 'error' && reason.error instanceof BudgetError;
}

/** A batch that was begun and is not sent as it is: its rows are as they were before, to be sent in smaller ones unless the run stops. */
async function requeue<Payload extends object>(
  batch: number,
  rows: readonly BulkRow<Payload>[],
  run: Execution<Payload>,
): Promise<Round<Payload>> {
  const isWritten = await recordOutcomes(batch, [], rows, run);
  return isWritten && !run.stop.reason ? { outcomes: [], repeat: rows } : unsent(rows, run);
}
