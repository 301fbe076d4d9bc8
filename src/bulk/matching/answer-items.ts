import { unicodeTest } from '../../base/unicode.ts';
import type { ErrorRecord } from '../../contract/records.ts';
import type { Evidence, KnownRecord, Verdict } from './verdict.ts';

/** A refused item and what it echoes of the row that it belongs to (4.3.1, FIELD-NOTES 6). */
interface RefusedItem {
  readonly kind: 'refused';
  readonly error: ErrorRecord;
  readonly longUrl: string | undefined;
  /** The custom hash of a shortening, the hash of an edit. */
  readonly hashes: readonly string[];
}

interface RecordItem {
  readonly kind: 'record';
  readonly record: KnownRecord;
}

export type Item = RecordItem | RefusedItem;

/**
 * One entry of an answer's `urls`, read without trust: undefined for what is neither a record with a usable hash nor an error
 * with an integer code (F36, F39). An item without `error` but with a hash is a success (R 1.5.8).
 */
export function readItem(value: unknown): Item | undefined {
  if (!isObject(value)) return undefined;
  const { error } = value;
  if (error !== undefined && error !== null) {
    if (!isObject(error) || !isCode(error.code)) return undefined;
    if (error.code !== 0) return readRefusal(value, error, error.code);
  }
  const record = readRecord(value);
  return record && { kind: 'record', record };
}

/** An entry of a listing: a record, whatever else it carries. */
export function readRecord(value: unknown): KnownRecord | undefined {
  if (!isObject(value) || typeof value.hash !== 'string') return undefined;
  const hash = value.hash.trim();
  if (!isUsableHash(hash)) return undefined;
  return hash === value.hash && hasHash(value) ? value : { ...value, hash };
}

export function longUrlOf(item: Item | undefined): string | undefined {
  return item?.kind === 'record' ? textOf(item.record.long_url) : item?.longUrl;
}

/** What an item says of the row that it belongs to. */
export function verdictOf(item: Item, evidence: Evidence): Verdict {
  return item.kind === 'record' ? { kind: 'done', record: item.record, evidence } : { kind: 'failed', error: item.error };
}

/** Whether text can be a hash: visible characters, and no more of them than any server is known to give. */
function isUsableHash(hash: string): boolean {
  return hash !== '' && hash.length <= 255 && !hasUnseen(hash);
}

const hasUnseen = unicodeTest('[\\p{C}\\p{Z}]', /^[!-~]*$/);

/** What else a record holds is read without trust where it is used. */
function hasHash(value: Record<string, unknown>): value is KnownRecord {
  return typeof value.hash === 'string';
}

function readRefusal(value: Record<string, unknown>, error: Record<string, unknown>, code: number): RefusedItem {
  const details = textOf(error.details);
  return {
    kind: 'refused',
    error: { code, message: textOf(error.message) ?? '', ...(details && { details }) },
    longUrl: textOf(value.long_url),
    hashes: [value.custom_hash, value.hash].flatMap((hash) => textOf(hash) || []),
  };
}

function isCode(code: unknown): code is number {
  return Number.isSafeInteger(code) && Number(code) >= 0;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
