import { CliError, type FailureKind } from '../../base/errors.ts';
import type { System } from '../../base/system.ts';
import type { KnownRecord, Verdict } from '../matching/row-verdict.ts';
import type { BatchRules, SerializedBatch } from '../operations/batches.ts';
import type { BulkOperation } from '../operations/operation.ts';
import { type BulkRow, type RowOutcome, type StopReason, UnrecordedError } from '../results/row-outcome.ts';
import type { Limiter } from '../sending/limiter.ts';

/** What a batch leaves behind: lines in the journal of a long run, nothing for typed links. */
export interface Ledger<Payload extends object> {
  /**
   * Before a batch is sent; resolves when it may be (J1). Returns its number, by which everything else speaks of it.
   */
  intent(serialized: SerializedBatch<Payload>): Promise<number>;
  ambiguous(batch: number, rows: readonly BulkRow<Payload>[], reason: string): Promise<void>;
  /**
   * Resolves when the outcomes may be reported (J2). Rows in `released` were certainly not applied: those in doubt are in neither
   * list, and stay open. `isPart`: more of the batch will follow, and what was settled is given again then.
   */
  settled(
    batch: number,
    outcomes: readonly RowOutcome<Payload>[],
    released: readonly BulkRow<Payload>[],
    isPart?: boolean,
  ): Promise<void>;
}

/** What a change has while it executes, and all its batches share. What it is, the operation and the plan say. */
export interface Execution<Payload extends object> {
  readonly operation: BulkOperation<Payload>;
  readonly ledger: Ledger<Payload>;
  readonly system: Pick<System, 'elapsed' | 'sleep' | 'random'>;
  readonly stop: Stop;
  /** Aborts calls under way: when the grace after a signal is over. */
  readonly signal: AbortSignal;
  /** Which rows share a call. The limit is the largest batch that this server takes; it only shrinks. */
  readonly rules: BatchRules<BulkRow<Payload>> & { limit: number };
  readonly failFast: boolean;
  /** Places among the calls under way, questions to the server included. */
  readonly limiter: Limiter;
  /** The caller of `sendRows` holds one place for all its batches; otherwise each batch takes its own. */
  readonly holdsPlace: boolean;
  /** Reserves calls, one by default. Returns whether the budget allows them (`--budget`); if not, the run stops. */
  readonly mayCall: (calls?: number) => boolean;
  /** Resolves doubt where the operation's policy is `read_back`; one verdict per row. */
  readonly readBack?: ((batch: number, rows: readonly BulkRow<Payload>[]) => Promise<readonly Verdict[]>) | undefined;
  /**
   * D2: rows of which an attempt may have been applied, in this process or an earlier one, and that are not settled. Every verdict
   * on a row considers this.
   */
  readonly inDoubt: Set<number>;
  /** By row: where its hash led before the first attempt, if the operation needs it (`BulkOperation.needsBefore`). */
  readonly before: Map<number, string>;
  /** What links are read for right before they are changed. `results`: as far as they can be read. `renames`: only what doubt needs. */
  readonly reads: 'undo' | 'results' | 'renames';
  /** Keeps what links were before they are changed (U1). */
  readonly images?: Images<Payload> | undefined;
  /** Whether a link that was read again is still one that was selected. */
  readonly isSelected?: ((record: KnownRecord) => boolean) | undefined;
  /** How often a row was sent, for rows that were sent more than once. */
  readonly rounds: Map<number, number>;
  /** Records that no row accounts for. */
  readonly onSurplus: (records: readonly KnownRecord[]) => void;
}

/** Where a run keeps what its links were. */
export interface Images<Payload extends object> {
  /** Resolves when it is on the disk. */
  keep(rows: readonly BulkRow<Payload>[]): Promise<void>;
  /** Whether this process has kept it for a row. */
  has(index: number): boolean;
}

/** A batch that an earlier process left in doubt (J6), and its rows without a result. */
export interface DoubtfulBatch<Payload extends object> {
  readonly batch: number;
  readonly rows: readonly BulkRow<Payload>[];
}

/** Why a run starts nothing new. The first reason stays, unless a more severe one follows. */
export interface Stop {
  readonly reason: StopReason | undefined;
  request(reason: StopReason): void;
  /** Stops because of an error. Anything but a `CliError` is a bug of ours, and is thrown. */
  because(error: unknown): void;
}

export function createStop(): Stop {
  let reason: StopReason | undefined;
  const request = (next: StopReason): void => {
    const [before, after] = [unrecordedIn(reason), unrecordedIn(next)];
    if (before && after) reason = { kind: 'error', error: before.and(after) };
    // Of equally severe reasons, links that the journal could not record matter most (J7).
    else if (severity(next) > severity(reason) || (after && severity(next) === severity(reason))) reason = next;
  };
  return {
    get reason() {
      return reason;
    },
    request,
    because(error) {
      if (!(error instanceof CliError)) throw error;
      request({ kind: 'error', error });
    },
  };
}

function unrecordedIn(reason: StopReason | undefined): UnrecordedError | undefined {
  return reason?.kind === 'error' && reason.error instanceof UnrecordedError ? reason.error : undefined;
}

/** The order of CLI 2: 10, 9, the signal, then 4, 7, 8 and the rest. */
function severity(reason: StopReason | undefined): number {
  if (!reason) return 0;
  if (reason.kind === 'fail_fast') return 1;
  if (reason.kind === 'signal') return 6;
  return severityOfKind[reason.error.kind] ?? 2;
}

const severityOfKind: { readonly [K in FailureKind]?: number } = { unknown: 8, local: 7, auth: 5, limit: 4, unavailable: 3 };
