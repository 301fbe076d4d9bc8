import { setImmediate as turn } from 'node:timers/promises';
import { CallError, isTooLarge } from '../../client/call-error.ts';
import type { Execution } from '../execution/execution.ts';
import type { BatchAnswer, Verdict } from '../matching/row-verdict.ts';
import { cutBatch, groupsOf, type SerializedBatch, serializeBatch } from '../operations/batches.ts';
import type { BulkRow, RowOutcome } from '../results/row-outcome.ts';
import { BudgetError } from './limiter.ts';
import { type DoubtfulBatch, type Round, recordOutcomes, settle, unknownOutcome, unsent } from './settling.ts';

/** Sends rows in as many calls as it takes, `doubts` first. What stops the run goes to `stop`, and the rows that were not reached are `not_sent`. */
export async function sendRows(
  rows: readonly BulkRow[],
  run: Execution,
  doubts: readonly DoubtfulBatch[] = [],
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

/** Writes a batch down, waits for its permit, makes the call and settles its rows. */
async function sendBatch(rows: readonly BulkRow[], run: Execution): Promise<Round> {
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
    // Rows of new links have nothing that is known, or to be known, before they are sent.
    const isSeen = operation.read !== undefined || rows.some(({ refusal }) => refusal !== undefined);
    const before = isSeen ? await import('./links-before.ts') : undefined;
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

interface Turn {
  /** The steps before a batch, loaded before its intent; undefined where there are none. */
  readonly before: typeof import('./links-before.ts') | undefined;
  /** The budget of the call is set aside already. */
  readonly isPaid: boolean;
  /** Releases the permit as soon as nothing more is to be asked of the server, while its answer is still worked on. */
  readonly release: (() => void) | undefined;
}

async function callAndSettle(
  batch: number,
  { rows, payloads, json }: SerializedBatch,
  run: Execution,
  { before, isPaid, release }: Turn,
): Promise<Round> {
  const { operation, stop, rules, inDoubt } = run;
  const { reason } = stop;
  // A batch that is paid for is sent: otherwise readings before batches use up a small budget at every run, and no row is ever sent.
  const isStopped = reason && !(isPaid && reason.kind === 'error' && reason.error instanceof BudgetError);
  // While the disk and its turn were waited for, another batch may have met what stops the run, or learnt how many rows the server takes.
  if (isStopped || rows.length > rules.limit) return await requeue(batch, rows, run);
  const known = before?.knownVerdicts(rows, run) ?? [];
  const sent = rows.filter((_, nth) => !known[nth]);
  const whole = (verdicts: readonly Verdict[]): readonly Verdict[] => before?.withKnown(known, verdicts) ?? verdicts;
  if (sent.length === 0) return await settle(batch, rows, whole([]), run);
  const isCurrent = before?.currency(sent, run);
  if (isCurrent && !(await isCurrent())) return await (await import('./resolving.ts')).lookAgain(batch, rows, known, run);
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
      return await (await import('./resolving.ts')).lookAgain(batch, rows, known, run);
    if (isTooLarge(error) && sent.length > 1) {
      rules.limit = Math.min(rules.limit, Math.ceil(sent.length / 2));
      return await requeue(batch, rows, run);
    }
    return await settle(batch, rows, whole(await verdictsOfFailure(error, batch, sent, run)), run);
  }
}

/** Loaded when there is doubt or a refusal. Where the program was replaced meanwhile, the command says that the outcome is unknown, as the journal does. */
function doubts(): Promise<typeof import('./doubt.ts')> {
  return import('./doubt.ts');
}

/** The verdicts of an answer that has one on every row, and nothing else; what lacks, or is in doubt, is worked out. */
async function verdictsOf(
  answer: BatchAnswer,
  batch: number,
  rows: readonly BulkRow[],
  run: Execution,
): Promise<readonly Verdict[]> {
  const verdicts = answer.verdicts.filter((verdict) => verdict !== undefined);
  const isPlain = answer.surplus.length === 0 && run.inDoubt.size === 0 && verdicts.length === rows.length;
  return isPlain ? verdicts : (await doubts()).verdictsOfAnswer(answer, batch, rows, run);
}

/** A batch that was begun and is not sent as it is: its rows are as they were before, to be sent in smaller ones unless the run stops. */
async function requeue(batch: number, rows: readonly BulkRow[], run: Execution): Promise<Round> {
  const isWritten = await recordOutcomes(batch, [], rows, run);
  return isWritten && !run.stop.reason ? { outcomes: [], repeat: rows } : unsent(rows, run);
}
