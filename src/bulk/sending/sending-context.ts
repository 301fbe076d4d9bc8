import type { System } from '../../base/system.ts';
import type { SerializedBatch } from '../batches.ts';
import type { KnownRecord, Verdict } from '../matching/verdict.ts';
import type { BulkOperation } from '../operations/operation.ts';
import type { BulkRow, RowOutcome } from '../results/row-outcome.ts';
import type { Stop } from './stop.ts';

/** What a batch leaves behind. The journal of a long run, or nothing for a few rows typed by hand. */
export interface Ledger<Payload extends object> {
  /**
   * Before a batch is sent; resolves when it may be (J1). What it returns is handed to `readBack` in doubt. `before`: see
   * `SendingContext.before`, one per row.
   */
  intent(serialized: SerializedBatch<Payload>, before?: readonly string[]): Promise<number>;
  ambiguous(batch: number, rows: readonly BulkRow<Payload>[], reason: string): Promise<void>;
  /**
   * Resolves when the outcomes may be told (J2). Rows in `released` were certainly not applied: those in doubt are in neither list,
   * and stay open. `isPart`: more of the batch will follow, and what was settled is given again then.
   */
  settled(
    batch: number,
    outcomes: readonly RowOutcome<Payload>[],
    released: readonly BulkRow<Payload>[],
    isPart?: boolean,
  ): Promise<void>;
}

/** How many calls are under way at once is decided by this. */
export interface Throttle {
  throttled(): void;
  succeeded(): void;
}

/** What the batches of one run share. */
export interface SendingContext<Payload extends object> {
  readonly operation: BulkOperation<Payload>;
  readonly ledger: Ledger<Payload>;
  readonly system: Pick<System, 'sleep' | 'random'>;
  readonly stop: Stop;
  /** Aborts calls under way: when the grace after a signal is over. */
  readonly signal: AbortSignal;
  /** The largest batch that this server takes; it only shrinks. */
  readonly size: { limit: number };
  readonly failFast: boolean;
  /** Sets calls aside, one without a number, and answers whether they may be made (`--budget`); where not, the run stops. */
  readonly mayCall: (calls?: number) => boolean;
  /**
   * Waits for a place among the calls under way, looks of the server included, and answers with what frees it again, once however
   * often it is called. Absent where who sends has one already.
   */
  readonly enter?: (() => Promise<() => void>) | undefined;
  /** Told how the server bears the calls. */
  readonly throttle?: Throttle;
  /** Resolves doubt where the operation's policy is `read_back`; one verdict per row. */
  readonly readBack?: (batch: number, rows: readonly BulkRow<Payload>[]) => Promise<readonly Verdict[]>;
  /**
   * D2: rows of which an attempt may have been applied, in this process or an earlier one, and that are not settled. Whoever judges
   * a row asks this first.
   */
  readonly inDoubt: Set<number>;
  /** What stood at the hashes of rows before their first attempt, where their operation needs to know (`BulkOperation.witness`). */
  readonly before: Map<number, string>;
  /** Records that no row accounts for. */
  readonly onSurplus: (records: readonly KnownRecord[]) => void;
}

/** A batch that an earlier process left in doubt (J6), and its rows without a result. */
export interface DoubtfulBatch<Payload extends object> {
  readonly batch: number;
  readonly rows: readonly BulkRow<Payload>[];
}
