import type { ShortenItem } from '../../contract/operations.ts';
import type { ErrorRecord, KnownRecord } from '../../contract/records.ts';
import { urlPrint } from '../../link/prints.ts';
import { hasUnasked } from '../../link/same.ts';
import { lastDay } from '../../link/value.ts';

/** The evidence that assigned an item to a row. `position` is the weakest, so results report it. */
export type Evidence = 'hash' | 'fields' | 'long_url' | 'position';

export interface Done {
  readonly kind: 'done';
  /** Absent if the call returns no records. */
  readonly record?: KnownRecord;
  readonly evidence?: Evidence;
  /** The record existed before: an earlier row of the run has it, or it was found after its hash was refused. */
  readonly shared?: true;
  /** A listing proved that the record was created during the run. */
  readonly fresh?: true;
  /** Nothing proves that the record was created during the run. */
  readonly perhapsNew?: true;
  /** In dedupe mode: the record is older than the run, or an earlier row has it. */
  readonly existed?: true;
  /** The hash belongs to a link with another destination, which stays unchanged. */
  readonly skipped?: true;
  /** The hash was taken, so the link has a numbered one. */
  readonly renamed?: true;
  /** The link already had the requested values, so nothing was sent. */
  readonly unchanged?: true;
}

export interface Failed {
  readonly kind: 'failed';
  readonly error: ErrorRecord;
}

/** The row may be sent again: it was certainly not applied, or repeating it is harmless. */
interface Again {
  readonly kind: 'again';
  /** The link as an inspection read it. */
  readonly record?: KnownRecord;
  /** `System.elapsed` when that reading began, if the change may rely on it. */
  readonly readAt?: number;
}

export interface Doubtful {
  readonly kind: 'doubtful';
  /** Short URLs of links that the row may have created. */
  readonly candidates?: readonly string[];
  /** Nothing was read because the run stops, so the next process reads. If absent, all possible evidence was read. */
  readonly open?: true;
}

export type Verdict = Done | Failed | Again | Doubtful;

export const again: Again = { kind: 'again' };
export const doubtful: Doubtful = { kind: 'doubtful' };
export const unresolved: Doubtful = { kind: 'doubtful', open: true };

/** The link differs from the one that the user saw, so it stays unchanged. */
export function changedSince(fields: readonly string[]): Failed {
  const what = fields.length > 0 ? `: ${fields.join(', ')}` : '';
  return { kind: 'failed', error: { code: 0, message: `changed since it was listed${what}` } };
}

export interface BatchAnswer {
  /** One per sent row; undefined if no item could be assigned, which leaves the outcome unknown. */
  readonly verdicts: readonly (Verdict | undefined)[];
  /** Records that belong to no row; they are recorded and reported. */
  readonly surplus: readonly KnownRecord[];
}

/** Includes the scheme if the server sends it. */
export function shortUrlOf({ short_url_with_protocol, short_url, hash }: KnownRecord): string {
  return short_url_with_protocol || short_url || hash;
}

/** True if the record has clicks, or values that the row did not request. Otherwise the link counts as created. */
export function looksPreexisting(item: ShortenItem, { record, shared }: Done): boolean {
  if (shared) return true;
  if (!record) return false;
  return hasUnasked(item, record) || Number(record.total_clicks) > 0 || lastDay(record.last_visit) !== '';
}

/** Stored in the journal for a hash without a link. */
export const noDestination = '-';

export function destinationFingerprint(record: KnownRecord | null | undefined): string {
  return record ? urlPrint(record.long_url) : noDestination;
}

export function hasDestination(fingerprint: string | undefined, record: KnownRecord): boolean {
  return fingerprint === urlPrint(record.long_url);
}
