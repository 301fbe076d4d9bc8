import type { System } from '../../base/system.ts';
import type { Images } from '../journal/images.ts';
import type { OpenIntent } from '../journal/journal-state.ts';
import type { Ledger } from '../journal/ledger.ts';
import type { BegunRun } from '../journal/new-run.ts';
import type { RecordedOutcomes } from '../journal/recorded-results.ts';
import type { KnownRecord } from '../matching/row-verdict.ts';
import type { BatchRules } from '../operations/batches.ts';
import type { BulkOperation } from '../operations/operation.ts';
import type { RunFolders } from '../past-runs/run-names.ts';
import type { OutcomeFile } from '../results/outcome-files.ts';
import type { BulkRow, RowOutcome, RunningTally } from '../results/row-outcome.ts';
import type { RunEnvironment, RunPlan, RunRow } from '../run-plan.ts';
import type { CallCount, Limiter } from '../sending/limiter.ts';
import type { Stop } from '../sending/stop.ts';

/** A run at work, from its beginning to its end: its batches share all of this. The plan and the operation say what it does. */
export interface Execution extends RunEnvironment {
  readonly plan: RunPlan;
  readonly operation: BulkOperation;
  readonly begun: BegunRun;
  readonly folders: RunFolders;
  readonly domain: string | undefined;
  readonly calls: CallCount;
  readonly ledger: Ledger;
  readonly stop: Stop;
  /** Aborts the calls under way: when the grace after a signal is over, or the time of the command. */
  readonly signal: AbortSignal;
  abort(): void;
  /** Decides which rows share a call. The limit is the largest batch that this server takes; it only shrinks. */
  readonly rules: BatchRules<BulkRow> & { limit: number };
  /** Permits for calls under way, questions to the server included. */
  readonly limiter: Limiter;
  /** The caller of `sendRows` holds one permit for all its batches; otherwise each batch acquires its own. */
  readonly holdsPermit: boolean;
  /** Reserves calls, one by default. Returns whether the budget allows them (`--budget`); if not, the run stops. */
  readonly mayCall: (calls?: number) => boolean;
  /** For links that are made under hashes that were sent: sends the first rows until the server is proven, and answers with their outcomes. */
  readonly prove?: ((rows: readonly BulkRow[]) => Promise<ReadonlyMap<number, RowOutcome>>) | undefined;
  /** Rows of which an attempt may have been applied, in this process or an earlier one, and that are not settled: every verdict considers this. */
  readonly inDoubt: Set<number>;
  /** By row: the fingerprint of the destination of its hash before the first attempt, if the operation needs it to resolve doubt. */
  readonly priorDestinations: Map<number, string>;
  /** True of a run whose links are read before its first batches: a plan that has just read them needs that not. */
  readonly readsFirst: boolean;
  /** True of a run that reads the newest links before its first batch alone. */
  readonly needsMark: boolean;
  /** Why links are read right before they are changed. `results`: as far as they can be read. `renames`: only what doubt needs. */
  readonly reads: 'undo' | 'results' | 'renames';
  readonly images?: Images | undefined;
  /** True of a link that was read again and is still one that was selected. */
  readonly isSelected?: ((record: KnownRecord) => boolean) | undefined;
  /** Attempts of rows that were sent more than once. */
  readonly rounds: Map<number, number>;
  readonly recorded: RecordedOutcomes | undefined;
}

/** Neighbouring rows that are worked on together; what comes out is in the order of what goes in. */
export interface Segment {
  readonly rows: BulkRow[];
  readonly free: BulkRow[];
  /** Batches that an earlier process left open, with their unsettled rows. All of a batch is in one segment. */
  readonly open: Map<OpenIntent, BulkRow[]>;
  /** Rows that an earlier process left in doubt without a batch to ask for. */
  readonly unsure: BulkRow[];
}

/** Becomes known while the rows are read. */
export interface RunOutput {
  readonly files: readonly OutcomeFile[];
  readonly tally: RunningTally;
  surplus: readonly string[];
  /** No call is left to be made. */
  isEnded: boolean;
  endedAt?: number;
}

/** Milliseconds for which a link is taken to be as it was read. */
const freshFor = 10_000;

/** True where so much time has passed that nothing may be changed by what was read. The clock of the day may jump, so it is not asked. */
export function isAged({ readAt }: Pick<BulkRow, 'readAt'>, { system }: { readonly system: Pick<System, 'elapsed'> }): boolean {
  return readAt !== undefined && system.elapsed() - readAt > freshFor;
}

export function outdated(row: BulkRow): BulkRow {
  return row.readAt === undefined ? row : { ...row, readAt: Number.NEGATIVE_INFINITY };
}

/** A row of the input as it is worked on. */
export function newRow(
  { line, item, before, refusal, skip }: RunRow,
  index: number,
  { input: { readAt }, payload }: Pick<RunPlan, 'input'> & { payload(item: object, index: number): object },
): BulkRow {
  return {
    index,
    line,
    item,
    payload: payload(item, index),
    ...(refusal && { refusal }),
    ...(skip !== undefined && { skip }),
    ...(before !== undefined && { listed: before, before, readAt }),
  };
}
