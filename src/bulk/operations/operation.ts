import type { BatchAnswer, Done, KnownRecord, Verdict } from '../matching/verdict.ts';
import type { RowStatus } from '../results/row-outcome.ts';
import type { Difference } from './not-applied.ts';

export type OperationKind = 'shorten' | 'edit' | 'delete' | 'reset';

/**
 * What to do with rows whose outcome is not known (RELIABILITY.md 2.1). `repeat`: the same payload again, which cannot do harm.
 * `look`: read the server, then send what is still to do. `read_back`: RELIABILITY.md 1.6. `leave`: no look can tell.
 */
export type DoubtPolicy = 'repeat' | 'look' | 'read_back' | 'leave';

/** A row that is looked for at the server. */
export interface SoughtRow<Payload extends object> {
  readonly payload: Payload;
  /** An attempt of it may have been applied: what is gone is our own doing. Otherwise it was never there. */
  readonly inDoubt: boolean;
  /** What `witness` answered before the first attempt; undefined where nobody looked. */
  readonly before: string | undefined;
}

/** A change that can be made to many rows; one value holds all that its kind knows about them. */
export interface BulkOperation<Payload extends object> {
  readonly kind: OperationKind;
  readonly doubt: DoubtPolicy;
  /** Rows of different groups cannot share a call: a group per domain. */
  group?(payload: Payload): string;
  /** How many of these, from the first, fit in one call's address; all of them where absent. */
  fitting?(payloads: readonly Payload[]): number;
  /**
   * Makes one call, with the repetitions that do no harm; `onDoubt` is told of an attempt that may have been applied. `json` is what
   * the payloads are as a text, where that is made already. Throws `CallError`.
   */
  call(payloads: readonly Payload[], signal: AbortSignal, json?: string, onDoubt?: () => void): Promise<BatchAnswer>;
  /** Reads what became of the rows. `again` is said of those that are as they were before. */
  look?(rows: readonly SoughtRow<Payload>[], signal: AbortSignal): Promise<readonly Verdict[]>;
  /** A refusal with this code of a row in doubt proves that the first attempt was applied: what is to be gone is gone. */
  readonly provenBy?: number | undefined;
  /** Whether a row can only be judged in doubt by what stood there before it was first sent. */
  needsWitness?(payload: Payload): boolean;
  /** Reads what stands there before rows are first sent; one text per row, for the journal and for `look`. */
  witness?(payloads: readonly Payload[], signal: AbortSignal): Promise<readonly string[]>;
  /** The custom hash that a row asks for: where repeating is safe, its key (4.3.4). */
  hashOf?(payload: Payload): string | undefined;
  /** What a row shares its link by with all rows that have the same; absent of rows with a link of their own (4.3.3). */
  sharedBy?(payload: Payload): string | undefined;
  /** The status of a row that was done. */
  statusOf(payload: Payload, done: Done): RowStatus;
  notApplied?(payload: Payload, record: KnownRecord): readonly Difference[];
  /** Told of the hashes that rows have from earlier processes of the run, where it matters which rows share one. */
  remember?(hashes: readonly string[]): void;
}
