import { setImmediate as turn } from 'node:timers/promises';
import { CliError } from '../../base/errors.ts';
import { CallError, isTooLarge } from '../../client/call-error.ts';
import { cutBatch, groupsOf, type SerializedBatch, serializeBatch } from '../batches.ts';
import type { Verdict } from '../matching/verdict.ts';
import type { BulkOperation } from '../operations/operation.ts';
import type { BulkRow, RowOutcome } from '../results/row-outcome.ts';
import { BudgetError } from './counted-client.ts';
import { afterFailure, completed, enterDoubt, resolveDoubt } from './doubt.ts';
import { leftAside, unknownOutcome } from './outcomes.ts';
import type { DoubtfulBatch, SendingContext } from './sending-context.ts';
import { conclude, maximalRounds, type Round, record } from './settling.ts';
import type { Stop } from './stop.ts';

/**
 * Sends rows of one segment in as many calls as it takes and says what became of each. Never throws for what a server does;
 * what stops the run goes to `stop`, and the rows that were not reached are `not_sent`.
 */
export async function sendRows<Payload extends object>(
  rows: readonly BulkRow<Payload>[],
  context: SendingContext<Payload>,
  inDoubt: readonly DoubtfulBatch<Payload>[] = [],
): Promise<Map<number, RowOutcome<Payload>>> {
  const outcomes = new Map<number, RowOutcome<Payload>>();
  const rounds = new Map<number, number>();
  const queue: (readonly BulkRow<Payload>[])[] = [];
  for (const doubt of inDoubt) {
    for (const { index } of doubt.rows) context.inDoubt.add(index);
    const round = await inPlace(context, () => clearDoubt(doubt, context, rounds));
    for (const outcome of round.outcomes) outcomes.set(outcome.index, outcome);
    queue.push(...groupsOf(round.repeat, keyOf(context.operation)));
  }
  queue.push(...groupsOf(rows, keyOf(context.operation)));
  for (let next = queue.shift(); next; next = queue.shift()) {
    const [batch, rest] = cut(next, context);
    if (rest.length > 0) queue.unshift(rest);
    if (context.stop.reason) {
      for (const row of batch) outcomes.set(row.index, leftAside(row, context));
      continue;
    }
    const round = await sendBatch(batch, context, rounds).catch((error: unknown) => lostTrack(error, batch, context));
    for (const outcome of round.outcomes) outcomes.set(outcome.index, outcome);
    if (round.repeat.length > 0) queue.unshift(round.repeat);
    if (context.failFast && round.outcomes.some(({ status }) => status === 'failed')) context.stop.request({ kind: 'fail_fast' });
  }
  return outcomes;
}

/** The journal broke while a batch was in doubt. */
function lostTrack<Payload extends object>(
  error: unknown,
  rows: readonly BulkRow<Payload>[],
  { stop, operation }: SendingContext<Payload>,
): Round<Payload> {
  if (!(error instanceof CliError)) throw error;
  stop.because(error);
  return { outcomes: rows.map((row) => unknownOutcome(row, operation)), repeat: [] };
}

async function clearDoubt<Payload extends object>(
  { batch, rows }: DoubtfulBatch<Payload>,
  context: SendingContext<Payload>,
  rounds: Map<number, number>,
): Promise<Round<Payload>> {
  if (context.stop.reason) {
    return { outcomes: rows.map((row) => leftAside(row, context)), repeat: [] };
  }
  return conclude(batch, rows, await resolveDoubt(batch, rows, context, () => true), context, rounds);
}

function keyOf<Payload extends object>({ group }: BulkOperation<Payload>): ((row: BulkRow<Payload>) => string) | undefined {
  return group && (({ payload }) => group(payload));
}

function cut<Payload extends object>(rows: readonly BulkRow<Payload>[], { size, operation }: SendingContext<Payload>) {
  const { fitting } = operation;
  return cutBatch(rows, size.limit, fitting && ((bounded) => fitting(bounded.map(({ payload }) => payload))));
}

/** What may be sent again without harm is written down ahead of its turn, so that no place waits for the disk. */
async function sendBatch<Payload extends object>(
  rows: readonly BulkRow<Payload>[],
  context: SendingContext<Payload>,
  rounds: Map<number, number>,
): Promise<Round<Payload>> {
  const serialized = serializeBatch(rows);
  const isAhead = context.operation.doubt === 'repeat';
  const ahead = isAhead ? await begin(serialized, context) : undefined;
  if (isAhead && ahead === undefined) return notReached(rows, context);
  return await inPlace(context, async (leave) => {
    const isPaid = await watch(rows, context);
    const batch = ahead ?? (isPaid === undefined ? undefined : await begin(serialized, context));
    if (batch === undefined) return notReached(rows, context);
    return await sendBegun(batch, serialized, context, rounds, { isPaid: isPaid === true, leave });
  });
}

/** Does what asks the server something in a place among the calls under way, which it may leave before it is done. */
async function inPlace<Payload extends object, T>(
  { enter }: SendingContext<Payload>,
  work: (leave?: () => void) => Promise<T>,
): Promise<T> {
  const leave = await enter?.();
  return await work(leave).finally(leave);
}

/**
 * Reads what stands there before rows are first sent, where only that tells in doubt what became of them (D6). Answers whether the
 * budget of the call that follows is paid with it; undefined where the batch may not be sent.
 */
async function watch<Payload extends object>(
  rows: readonly BulkRow<Payload>[],
  context: SendingContext<Payload>,
): Promise<boolean | undefined> {
  const { operation, before, inDoubt, stop, signal } = context;
  if (!operation.witness) return false;
  const unseen = rows.filter(
    ({ index, payload }) => operation.needsWitness?.(payload) && !before.has(index) && !inDoubt.has(index),
  );
  if (unseen.length === 0) return false;
  if (stop.reason || !context.mayCall(2)) return undefined;
  try {
    const seen = await operation.witness(
      unseen.map(({ payload }) => payload),
      signal,
    );
    for (const [position, { index }] of unseen.entries()) before.set(index, seen[position] ?? '');
    return true;
  } catch (error) {
    stop.because(error);
    return undefined;
  }
}

interface Turn {
  /** The budget of the call is set aside already. */
  readonly isPaid: boolean;
  /** To be called as soon as nothing more is to be asked of the server, while what it said is still worked on. */
  readonly leave: (() => void) | undefined;
}

async function sendBegun<Payload extends object>(
  batch: number,
  { rows, payloads, json }: SerializedBatch<Payload>,
  context: SendingContext<Payload>,
  rounds: Map<number, number>,
  { isPaid, leave }: Turn,
): Promise<Round<Payload>> {
  // While the disk and its turn were waited for, another batch may have met what stops the run.
  if (context.stop.reason && !(isPaid && isBudget(context.stop))) return await leftOut(batch, rows, context);
  // Or have heard how many rows the server takes.
  if (rows.length > context.size.limit) return await putBack(batch, rows, context);
  // Nothing comes between this and the call: of a budget, nothing is set aside for what is not sent after all.
  if (!isPaid && !context.mayCall()) return await leftOut(batch, rows, context);
  const mayRepeat = ({ index }: BulkRow): boolean => (rounds.get(index) ?? 1) < maximalRounds;
  let verdicts: readonly Verdict[];
  try {
    const onDoubt = (): void => rows.forEach(({ index }) => void context.inDoubt.add(index));
    const answer = await context.operation.call(payloads, context.signal, json, onDoubt);
    if (leave && answer.verdicts.every((verdict) => verdict?.kind === 'done')) {
      leave();
      await turn();
    }
    verdicts = await completed(answer, batch, rows, context, mayRepeat);
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    if (error.outcome === 'ambiguous') await enterDoubt(batch, rows, error.message, context);
    if (isTooLarge(error) && rows.length > 1) {
      context.size.limit = Math.min(context.size.limit, Math.ceil(rows.length / 2));
      return await putBack(batch, rows, context);
    }
    verdicts = await afterFailure(error, batch, rows, context, mayRepeat);
  }
  return conclude(batch, rows, verdicts, context, rounds);
}

/** What is paid for goes out: otherwise looks before batches use up a small budget at every run, and no row is ever sent (D33). */
function isBudget({ reason }: Stop): boolean {
  return reason?.kind === 'error' && reason.error instanceof BudgetError;
}

/** A batch that was begun and is not sent any more: its rows are as they were before. */
async function leftOut<Payload extends object>(
  batch: number,
  rows: readonly BulkRow<Payload>[],
  context: SendingContext<Payload>,
): Promise<Round<Payload>> {
  await record(batch, [], rows, context);
  return notReached(rows, context);
}

/** A batch that was begun and is to be sent in smaller ones. */
async function putBack<Payload extends object>(
  batch: number,
  rows: readonly BulkRow<Payload>[],
  context: SendingContext<Payload>,
): Promise<Round<Payload>> {
  return (await record(batch, [], rows, context)) ? { outcomes: [], repeat: rows } : notReached(rows, context);
}

function notReached<Payload extends object>(rows: readonly BulkRow<Payload>[], context: SendingContext<Payload>): Round<Payload> {
  return { outcomes: rows.map((row) => leftAside(row, context)), repeat: [] };
}

/** Undefined where the batch may not be sent: its intent could not be written (J7), or the listing not be read before it. */
async function begin<Payload extends object>(
  serialized: SerializedBatch<Payload>,
  { ledger, stop, before }: SendingContext<Payload>,
): Promise<number | undefined> {
  try {
    return await ledger.intent(
      serialized,
      before.size === 0 ? undefined : serialized.rows.map(({ index }) => before.get(index) ?? ''),
    );
  } catch (error) {
    stop.because(error);
    return undefined;
  }
}
