import { unicodeTest } from '../../base/unicode.ts';
import type { ErrorRecord } from '../../contract/records.ts';
import type { KnownRecord } from './verdict.ts';

/** A refused item and what it echoes of the row that it belongs to (4.3.1, FIELD-NOTES 6). */
export interface RefusedItem {
  readonly kind: 'refused';
  readonly error: ErrorRecord;
  readonly longUrl: string | undefined;
  /** The custom hash of a shortening, the hash of an edit. */
  readonly hashes: readonly string[];
}

export interface RecordItem {
  readonly kind: 'record';
  readonly record: KnownRecord;
}

/**
 * One entry of an answer's `urls`, read without trust: undefined for what is neither a record with a usable hash nor an error
 * with an integer code (F36, F39). An item without `error` but with a hash is a success (1.5 rule 8).
 */
export function readItem(value: unknown): RecordItem | RefusedItem | undefined {
  if (!isObject(value)) return undefined;
  const { error } = value;
  if (error === undefined || error === null) return readRecord(value);
  if (!isObject(error) || !Number.isSafeInteger(error.code) || Number(error.code) < 0) return undefined;
  return error.code === 0 ? readRecord(value) : readRefusal(value, error);
}

/** Whether text can be a hash: visible characters, and no more of them than any server is known to give. */
export function isUsableHash(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 255 && !hasUnseen(value);
}

const hasUnseen = unicodeTest('[\\p{C}\\p{Z}]', /^[!-~]*$/);

function readRecord(value: Record<string, unknown>): RecordItem | undefined {
  if (typeof value.hash !== 'string') return undefined;
  const hash = value.hash.trim();
  if (!isUsableHash(hash)) return undefined;
  return { kind: 'record', record: hash === value.hash ? (value as KnownRecord) : { ...value, hash } };
}

function readRefusal(value: Record<string, unknown>, error: Record<string, unknown>): RefusedItem {
  return {
    kind: 'refused',
    error: {
      code: error.code as number,
      message: textOf(error.message) ?? '',
      ...(textOf(error.details) && { details: textOf(error.details) }),
    },
    longUrl: textOf(value.long_url),
    hashes: [value.custom_hash, value.hash].filter((hash): hash is string => typeof hash === 'string' && hash !== ''),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
