import { type CliError, LimitError, UnavailableError } from '../../base/errors.ts';
import { errorTraits } from '../../contract/errors.ts';
import { doubtful, type Verdict } from '../matching/verdict.ts';
import type { BulkRow, RowOutcome } from '../results/row-outcome.ts';
import { leftAside, outcomeOf, unrecorded } from './outcomes.ts';
import type { SendingContext } from './sending-context.ts';

/** How often a row is sent at most because it was left out, cooled down or found not to have happened. */
export const maximalRounds = 5;

/** What one call came to. */
export interface Round<Payload extends object> {
  readonly outcomes: readonly RowOutcome<Payload>[];
  /** Rows to send once more, or in smaller batches. */
  readonly repeat: readonly BulkRow<Payload>[];
}

/** Makes outcomes of the verdicts on a batch and writes them down; what is to be sent again cools down first where it must. */
export async function conclude<Payload extends object>(
  batch: number,
  rows: readonly BulkRow<Payload>[],
  verdicts: readonly Verdict[],
  context: SendingContext<Payload>,
  rounds: Map<number, number>,
): Promise<Round<Payload>> {
  const outcomes: RowOutcome<Payload>[] = [];
  const open: RowOutcome<Payload>[] = [];
  const repeat: BulkRow<Payload>[] = [];
  let cooling = 0;
  for (const [position, row] of rows.entries()) {
    const verdict = verdicts[position] ?? doubtful;
    if (verdict.kind === 'failed' && verdict.error.code === 1219) cooling += 1;
    if (verdict.kind === 'failed' && verdict.error.code === 1220) context.stop.because(linksUsedUp());
    if (verdict.kind === 'again' || (verdict.kind === 'failed' && errorTraits(verdict.error.code).temporary)) repeat.push(row);
    else (staysOpen(verdict, context) ? open : outcomes).push(outcomeOf(row, verdict, context.operation));
  }
  if (!(await record(batch, outcomes, repeat, context))) {
    const left = repeat.map((row) => leftAside(row, context));
    return { outcomes: [...outcomes.map(unrecorded), ...open, ...left], repeat: [] };
  }
  const exhausted = repeat.filter((row) => nextRound(rounds, row.index) > maximalRounds);
  if (exhausted.length > 0) context.stop.because(notTaken(exhausted.length, cooling));
  if (cooling > 0) context.throttle?.throttled();
  else if (outcomes.length > 0) context.throttle?.succeeded();
  if (cooling > 0 && !context.stop.reason) await coolDown(rounds.get(repeat[0]?.index ?? -1) ?? 1, context);
  return { outcomes: open.length > 0 ? [...outcomes, ...open] : outcomes, repeat };
}

/** Whether the next process of the run can still find out about a row in doubt: no line of the journal closes it then. */
function staysOpen<Payload extends object>(verdict: Verdict, { operation }: SendingContext<Payload>): boolean {
  if (verdict.kind !== 'doubtful') return false;
  return verdict.open === true || operation.doubt === 'repeat' || operation.doubt === 'look';
}

/**
 * Settles rows, and frees those of `left` that are not in doubt: the others stay open (D2). Whether it could be written down; where
 * not, the run stops (J7).
 */
export async function record<Payload extends object>(
  batch: number,
  outcomes: readonly RowOutcome<Payload>[],
  left: readonly BulkRow<Payload>[],
  { ledger, stop, inDoubt, before }: SendingContext<Payload>,
): Promise<boolean> {
  const released = inDoubt.size === 0 ? left : left.filter(({ index }) => !inDoubt.has(index));
  try {
    await ledger.settled(batch, outcomes, released);
    if (inDoubt.size > 0) for (const { index } of outcomes) inDoubt.delete(index);
    if (before.size > 0) for (const { index } of outcomes) before.delete(index);
    return true;
  } catch (error) {
    stop.because(error);
    return false;
  }
}

function nextRound(rounds: Map<number, number>, index: number): number {
  const round = (rounds.get(index) ?? 1) + 1;
  rounds.set(index, round);
  return round;
}

/** Full jitter on the base of throttling. */
async function coolDown<Payload extends object>(round: number, { system, signal }: SendingContext<Payload>): Promise<void> {
  const cap = Math.min(1000 * 2 ** (round - 1), 20_000);
  await system.sleep(Math.ceil(system.random() * cap), signal).catch(() => undefined);
}

function linksUsedUp(): CliError {
  return new LimitError('the account holds as many URLs as it may', {
    apiCode: 1220,
    hint: 'delete URLs or raise the limit, then run the same command again',
  });
}

function notTaken(count: number, cooling: number): CliError {
  return cooling > 0
    ? new UnavailableError(`the server still cools down (${count} rows)`, {
        apiCode: 1219,
        hint: 'run the same command again later',
      })
    : new UnavailableError(`the server did not take ${count} rows in ${maximalRounds} attempts`, {
        hint: 'run the same command again later',
      });
}
