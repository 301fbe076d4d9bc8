import type { System } from '../base/system.ts';
import type { Verdict } from './matching/verdict.ts';
import type { BulkOperation } from './operations/operation.ts';
import { type BulkRow, type RowOutcome, type StopReason, startTally, type Tally } from './results/row-outcome.ts';
import { leftAside } from './sending/outcomes.ts';
import { sendRows } from './sending/sending.ts';
import type { Ledger, SendingContext } from './sending/sending-context.ts';
import { createStop } from './sending/stop.ts';

export interface InlineSettings<Payload extends object> {
  readonly system: Pick<System, 'sleep' | 'random'>;
  /** Items in one call at most. */
  readonly batchSize: number;
  /** Ends waits and calls: the command's time is over. */
  readonly signal: AbortSignal;
  readonly failFast?: boolean | undefined;
  /** Looks at rows in doubt, where the operation's policy is `read_back`; one verdict per payload. */
  readonly readBack?: ((payloads: readonly Payload[], signal: AbortSignal) => Promise<readonly Verdict[]>) | undefined;
  /** Something odd that changes nothing: the answer held records that nobody asked for. */
  readonly warn?: ((message: string) => void) | undefined;
}

export interface InlineResult<Payload extends object> {
  /** In the order of the payloads. */
  readonly outcomes: readonly RowOutcome<Payload>[];
  readonly tally: Tally;
  readonly stop: StopReason | undefined;
}

/**
 * Does a few things that were typed on the command line: the matching and the classes of a long run, without its journal. `line`
 * is the number of the operand. Ends with `runEnd(tally, stop)`.
 */
export async function runInline<Payload extends object>(
  operation: BulkOperation<Payload>,
  payloads: readonly Payload[],
  { system, batchSize, signal, failFast = false, readBack, warn }: InlineSettings<Payload>,
): Promise<InlineResult<Payload>> {
  const stop = createStop();
  const rows = payloads.map((payload, index) => ({ index, line: index + 1, item: payload, payload }) satisfies BulkRow<Payload>);
  const context: SendingContext<Payload> = {
    operation,
    ledger: noLedger,
    system,
    stop,
    signal,
    size: { limit: batchSize },
    failFast,
    mayCall: () => true,
    inDoubt: new Set(),
    before: new Map(),
    readBack:
      readBack &&
      ((_batch, inDoubt) =>
        readBack(
          inDoubt.map(({ payload }) => payload),
          signal,
        )),
    onSurplus: (records) => warn?.(`the answer holds ${records.length} records that nobody asked for`),
  };
  const found = await sendRows(rows, context);
  const outcomes = rows.map((row) => found.get(row.index) ?? leftAside(row, context));
  const tally = startTally();
  for (const outcome of outcomes) tally.add(outcome);
  return { outcomes, tally, stop: stop.reason };
}

const noLedger: Ledger<object> = {
  intent: async () => 0,
  ambiguous: async () => {},
  settled: async () => {},
};
