import type { ShortenItem } from '../../contract/operations.ts';
import type { ErrorRecord, UrlRecord } from '../../contract/records.ts';
import { isUrlPrint, urlPrint } from '../../link/prints.ts';
import { hasUnasked } from '../../link/same.ts';

/** The evidence that joined an item of an answer to a row. `position` is the weakest, so results name it. */
export type Evidence = 'hash' | 'fields' | 'long_url' | 'position';

/** A record as far as it is known. For a row of an earlier process that is only what the journal keeps. */
export type KnownRecord = Partial<UrlRecord> & { readonly hash: string };

function isWhole(record: KnownRecord): record is UrlRecord {
  return record.long_url !== undefined && record.tags !== undefined;
}

/** The same question for records that may be known in part: of these the answer is yes. */
export function ofWholeRecords(accepts: (record: UrlRecord) => boolean): (record: KnownRecord) => boolean {
  return (record) => !isWhole(record) || accepts(record);
}

export interface Done {
  readonly kind: 'done';
  /** Absent where the call answers with `{error}` alone. */
  readonly record?: KnownRecord;
  readonly evidence?: Evidence;
  /** The record existed already: an earlier row of the run got it, or it was found after a refusal named its hash. */
  readonly shared?: true;
  /** The record was seen to be made since the run began. */
  readonly fresh?: true;
  /** The hash of the row has a link that leads elsewhere, which is left alone. */
  readonly skipped?: true;
  /** The hash of the row is taken, so that its link has it with a number. */
  readonly renamed?: true;
  /** The link already had the requested values, so nothing was sent. */
  readonly unchanged?: true;
}

export interface Failed {
  readonly kind: 'failed';
  readonly error: ErrorRecord;
}

/** It may be sent again: it was certainly not applied, or it is in doubt and another attempt does no harm. */
interface Again {
  readonly kind: 'again';
  /** The link was read then, as `System.elapsed` has it, and may be changed by that. */
  readonly readAt?: number;
}

export interface Doubtful {
  readonly kind: 'doubtful';
  /** Short URLs of records that may be what the row made. */
  readonly candidates?: readonly string[];
  /** Nothing was read yet, because the run stops: the next process will. If absent, all was read that can be. */
  readonly open?: true;
}

export type Verdict = Done | Failed | Again | Doubtful;

export const again: Again = { kind: 'again' };
export const doubtful: Doubtful = { kind: 'doubtful' };
export const unresolved: Doubtful = { kind: 'doubtful', open: true };

/** The user saw another link than there is now: it is left alone. */
export function changedSince(fields: readonly string[]): Failed {
  const what = fields.length > 0 ? `: ${fields.join(', ')}` : '';
  return { kind: 'failed', error: { code: 0, message: `changed since it was listed${what}` } };
}

export interface BatchAnswer {
  /** One per sent row; undefined where nothing in the answer is known to belong to it: class A, never failed. */
  readonly verdicts: readonly (Verdict | undefined)[];
  /** Records that belong to no row: kept, and warned about. */
  readonly surplus: readonly KnownRecord[];
}

/** A record's short URL with its scheme where the server says it. */
export function shortUrlOf({ short_url_with_protocol, short_url, hash }: KnownRecord): string {
  return short_url_with_protocol || short_url || hash;
}

/** Signs that a record is older than the request: clicks, or what the row did not ask for. Without a sign the row counts as created. */
export function looksPreexisting(item: ShortenItem, { record, shared }: Done): boolean {
  if (shared) return true;
  if (!record) return false;
  return hasUnasked(item, record) || Number(record.total_clicks) > 0 || Boolean(record.last_visit);
}

/** The journal's mark for a hash that no link has. */
export const noDestination = '-';

export function destinationFingerprint(record: KnownRecord | null | undefined): string {
  return record ? urlPrint(record.long_url) : noDestination;
}

export function hasDestination(fingerprint: string | undefined, record: KnownRecord): boolean {
  return isUrlPrint(fingerprint, record.long_url);
}
