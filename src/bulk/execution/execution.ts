import type { System } from '../../base/system.ts';
import { keyFault } from '../../contract/records.ts';
import type { Images } from '../journal/images.ts';
import type { OpenIntent } from '../journal/journal-state.ts';
import type { Ledger } from '../journal/ledger.ts';
import type { BegunRun } from '../journal/new-run.ts';
import type { RecordedOutcomes } from '../journal/recorded-results.ts';
import type { BatchRules } from '../operations/batches.ts';
import type { BulkOperation } from '../operations/operation.ts';
import type { OutcomeFile } from '../results/outcome-files.ts';
import type { BulkRow, RowOutcome, Tally } from '../results/row-outcome.ts';
import type { RunEnvironment, RunPlan, RunRow } from '../run-plan.ts';
import type { CallCount, Limiter } from '../sending/limiter.ts';
import type { Stop } from '../sending/stop.ts';

/** The state of a run that its batches share. */
export interface Execution extends RunEnvironment {
  readonly plan: RunPlan;
  readonly operation: BulkOperation;
  readonly begun: BegunRun;
  readonly domain: string | undefined;
  readonly calls: CallCount;
  readonly ledger: Ledger;
  readonly stop: Stop;
  /** Aborts calls in flight, after the grace period of a signal or when the command's time is over. */
  readonly signal: AbortSignal | undefined;
  abort(): void;
  /** Decides which rows share a call. `limit` is the largest batch that the server accepts; it only shrinks. */
  readonly rules: BatchRules<BulkRow> & { limit: number };
  /** Permits for calls in flight, including reads. */
  readonly limiter: Limiter;
  /** The caller of `sendRows` holds one permit for all its batches. Otherwise each batch acquires one. */
  readonly holdsPermit: boolean;
  /** Reserves calls, by default one, or none in checked mode. Returns false and stops the run if `--budget` does not allow them. */
  readonly reserveCalls: (calls?: number) => boolean;
  /** For each reserved call that a reading may show to be needless: resolves once that is decided. */
  readonly undecided: Set<Promise<void>>;
  /** For links with requested hashes: sends the first rows until the server is proven to keep them, and returns their outcomes. */
  readonly prove?: ((rows: readonly BulkRow[]) => Promise<ReadonlyMap<number, RowOutcome>>) | undefined;
  /** Unsettled rows that an attempt of this or an earlier process may have changed. Every verdict considers this. */
  readonly inDoubt: Set<number>;
  /** By row: the fingerprint of the destination before the first attempt, if the operation needs it to resolve doubt. */
  readonly priorDestinations: Map<number, string>;
  /** Links are read before the first batches, because the plan did not just read them. */
  readonly readsFirst: boolean;
  /** The newest links are read, but only before the first batch. */
  readonly needsMark: boolean;
  /** Hashes of links that were listed before anything was sent: none of these is new, whatever an answer looks like. */
  readonly older: Set<string>;
  readonly images?: Images | undefined;
  /** The number of attempts, for rows that were sent more than once. */
  readonly rounds: Map<number, number>;
  readonly recorded: RecordedOutcomes | undefined;
}

/** Consecutive rows that are settled together and keep their order. */
export interface Segment {
  readonly rows: BulkRow[];
  readonly free: BulkRow[];
  /** Batches that an earlier process left open, with their unsettled rows. A batch is never split between segments. */
  readonly open: Map<OpenIntent, BulkRow[]>;
}

/** Filled while the rows are read. */
export interface RunOutput {
  readonly files: readonly OutcomeFile[];
  readonly tally: Tally;
  surplus: readonly string[];
  /** The first rows whose outcome is unknown, to name their links. */
  readonly unknown: RowOutcome[];
  /** No more calls are needed. */
  isEnded: boolean;
  endedAt?: number;
}

/** Waits until the time is over, a signal arrives or calls are aborted. */
export async function pause(
  milliseconds: number,
  { system, signal, interrupt }: Pick<Execution, 'system' | 'signal' | 'interrupt'>,
): Promise<void> {
  const halt = signal && interrupt ? AbortSignal.any([signal, interrupt]) : signal;
  await system.sleep(milliseconds, halt).catch(() => undefined);
}

/** Milliseconds for which a link that was read counts as current. */
const freshFor = 10_000;

/** Returns true if the link was read too long ago to base a change on it. The time of day may jump, so elapsed time is used. */
export function isStale({ readAt }: Pick<BulkRow, 'readAt'>, { system }: { readonly system: Pick<System, 'elapsed'> }): boolean {
  return readAt !== undefined && system.elapsed() - readAt > freshFor;
}

export function markStale(row: BulkRow): BulkRow {
  return row.readAt === undefined ? row : { ...row, readAt: Number.NEGATIVE_INFINITY };
}

interface RowSource {
  readonly input: Pick<RunPlan['input'], 'readAt'>;
  payload(item: object, index: number): object;
}

export function newRow(
  { line, item, before, skip, ...row }: RunRow,
  index: number,
  { input: { readAt }, payload: payloadOf }: RowSource,
): BulkRow {
  const payload: { readonly hash?: string; readonly custom_hash?: string } = payloadOf(item, index);
  // No request can name such a link.
  const refusal = row.refusal ?? keyFault(payload.hash ?? payload.custom_hash ?? '');
  return {
    index,
    line,
    item,
    payload,
    refusal,
    skip,
    ...(before !== undefined && { listed: before, before, readAt }),
  };
}
