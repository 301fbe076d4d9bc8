import type { ErrorRecord, UrlRecord } from '../../contract/records.ts';

/** What evidence joined an item of an answer to a row (R 1.5); `position` is the weakest and is said. */
export type Evidence = 'hash' | 'fields' | 'long_url' | 'position';

/** A record as far as it is known: of a row that an earlier process finished, only what its journal keeps. */
export type KnownRecord = Partial<UrlRecord> & { readonly hash: string };

export interface Done {
  readonly kind: 'done';
  /** Absent where the call answers with `{error}` alone. */
  readonly record?: KnownRecord;
  readonly evidence?: Evidence;
  /** It was there already: another row of the run was given it first, or it was found where a refusal named it. */
  readonly shared?: true;
  /** The record was seen to be made since the run began. */
  readonly fresh?: true;
  /** It was as it was asked for, and nothing was sent. */
  readonly unchanged?: true;
}

export interface Failed {
  readonly kind: 'failed';
  readonly error: ErrorRecord;
}

/** It may be sent again: it was certainly not applied, or it is in doubt and another attempt does no harm. */
interface Again {
  readonly kind: 'again';
}

/** Class A: whether it was applied is not known. */
export interface Doubtful {
  readonly kind: 'doubtful';
  /** Short URLs of records that may be what the row made. */
  readonly candidates?: readonly string[];
  /** Nothing was read yet, because the run stops: the next process does it. Otherwise all was read that can be. */
  readonly open?: true;
}

/** What is known of one row after a call or a reading. */
export type Verdict = Done | Failed | Again | Doubtful;

export const again: Again = { kind: 'again' };
export const doubtful: Doubtful = { kind: 'doubtful' };
export const unresolved: Doubtful = { kind: 'doubtful', open: true };

/** An answer joined to its rows. */
export interface BatchAnswer {
  /** One per sent row; undefined where nothing in the answer is known to belong to it: class A, never failed (R 1.5.6). */
  readonly verdicts: readonly (Verdict | undefined)[];
  /** Records that belong to no row: kept, and warned about. */
  readonly surplus: readonly KnownRecord[];
}
