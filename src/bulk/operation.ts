import type { Difference } from './not-applied.ts';
import type { RowStatus } from './row-outcome.ts';
import type { Done, KnownRecord, Verdict } from './verdict.ts';

export type OperationKind = 'shorten' | 'edit' | 'delete' | 'reset';

/**
 * What to do with rows whose outcome is not known (RELIABILITY.md 2.1). `repeat`: the same payload again, which cannot do harm.
 * `look`: read the server, then send what is still to do. `read_back`: RELIABILITY.md 1.6. `leave`: no look can tell.
 */
export type DoubtPolicy = 'repeat' | 'look' | 'read_back' | 'leave';

/** An answer joined to its rows: one verdict per payload, in order; undefined where nothing in the answer belongs to it. */
export interface BatchAnswer {
  readonly verdicts: readonly (Verdict | undefined)[];
  readonly surplus: readonly KnownRecord[];
}

/** Why a look is taken: after class A what is gone is our own doing, after 1306 it was never there. */
export type LookReason = 'ambiguous' | 'missing';

/** A change that can be made to many rows; one value holds all that its kind knows about them. */
export interface BulkOperation<Payload extends object> {
  readonly kind: OperationKind;
  readonly doubt: DoubtPolicy;
  /** Rows of different groups cannot share a call: a group per domain. */
  group?(payload: Payload): string;
  /** How many of these, from the first, fit in one call's address; all of them where absent. */
  fitting?(payloads: readonly Payload[]): number;
  /** Makes one call. `json` is what the payloads are as a text, where that is made already. Throws `CallError`. */
  call(payloads: readonly Payload[], signal: AbortSignal, json?: string): Promise<BatchAnswer>;
  /** Reads what became of the rows; where absent a whole-call 1306 fails them all. */
  look?(payloads: readonly Payload[], reason: LookReason, signal: AbortSignal): Promise<readonly Verdict[]>;
  /** The status of a row that was done. */
  statusOf(payload: Payload, done: Done): RowStatus;
  notApplied?(payload: Payload, record: KnownRecord): readonly Difference[];
  /** Told of the hashes that rows have from earlier processes of the run, where it matters which rows share one. */
  remember?(hashes: readonly string[]): void;
}
