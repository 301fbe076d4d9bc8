import { unicodeTest } from '../../base/safe-text.ts';
import { type ErrorRecord, isObject, type KnownRecord, readItemError } from '../../contract/records.ts';
import type { BatchAnswer, Evidence, Verdict } from './row-verdict.ts';

/** A refused item echoes a part of its row (4.3.1). */
interface RefusedItem {
  readonly kind: 'refused';
  readonly error: ErrorRecord;
  readonly longUrl: string | undefined;
  /** The custom hash of a shortening, the hash of an edit. */
  readonly hashes: readonly string[];
}

export type Item = { readonly kind: 'record'; readonly record: KnownRecord } | RefusedItem;

/** Undefined for an invalid entry of `urls`. An entry with a hash and without `error` is a success. */
export function readItem(value: unknown): Item | undefined {
  if (!isObject(value)) return undefined;
  if (value.error !== undefined && value.error !== null) {
    const error = readItemError(value.error);
    if (!error) return undefined;
    if (error.code !== 0) return readRefusal(value, error);
  }
  const record = readRecord(value);
  return record && { kind: 'record', record };
}

/** Reads an entry of a listing, whose `error` is ignored. Undefined without a valid hash. */
export function readRecord(value: unknown): KnownRecord | undefined {
  if (!hasHash(value)) return undefined;
  const hash = value.hash.trim();
  // Rejects invisible characters, and hashes that are longer than any known server creates.
  if (hash === '' || hash.length > 255 || hasUnseen(hash)) return undefined;
  return hash === value.hash ? value : { ...value, hash };
}

export function longUrlOf(item: Item | undefined): string | undefined {
  return item?.kind === 'record' ? textOf(item.record.long_url) : item?.longUrl;
}

const hasUnseen = unicodeTest('[\\p{C}\\p{Z}]', /^[!-~]*$/);

/** Other fields are validated where they are used. */
function hasHash(value: unknown): value is KnownRecord {
  return isObject(value) && typeof value.hash === 'string';
}

function readRefusal(value: Record<string, unknown>, error: ErrorRecord): RefusedItem {
  return {
    kind: 'refused',
    error,
    longUrl: textOf(value.long_url),
    hashes: [value.custom_hash, value.hash].flatMap((hash) => textOf(hash) || []),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Assigns items of an answer to rows. Rows and items are free until they are assigned. */
export class Matching<Row> {
  readonly sent: readonly Row[];
  /** Undefined for entries that cannot be used. */
  readonly items: (Item | undefined)[];
  readonly verdicts: (Verdict | undefined)[];
  readonly rowOf: (number | undefined)[];

  constructor(sent: readonly Row[], answer: readonly unknown[], isSharing = false) {
    this.sent = sent;
    this.items = answer.map(readItem);
    this.verdicts = new Array(sent.length).fill(undefined);
    this.rowOf = new Array(answer.length).fill(undefined);
    const seen = new Set<string>();
    // Only the first item with a hash is used, unless rows share links.
    for (const index of isSharing ? [] : this.items.keys()) {
      const hash = this.recordAt(index)?.hash;
      if (hash === undefined) continue;
      if (seen.has(hash)) this.items[index] = undefined;
      seen.add(hash);
    }
  }

  assign(row: number, index: number, evidence: Evidence): void {
    const item = this.items[index];
    if (!item) return;
    this.rowOf[index] = row;
    this.verdicts[row] =
      item.kind === 'record' ? { kind: 'done', record: item.record, evidence } : { kind: 'failed', error: item.error };
  }

  answer(): BatchAnswer {
    return { verdicts: this.verdicts, surplus: this.freeItems('record').flatMap((index) => this.recordAt(index) ?? []) };
  }

  freeRows(): number[] {
    const rows: number[] = [];
    for (const [row, verdict] of this.verdicts.entries()) if (!verdict) rows.push(row);
    return rows;
  }

  freeItems(kind: Item['kind']): number[] {
    const free: number[] = [];
    for (const [index, item] of this.items.entries())
      if (item?.kind === kind && this.rowOf[index] === undefined) free.push(index);
    return free;
  }

  recordAt(index: number): KnownRecord | undefined {
    const item = this.items[index];
    return item?.kind === 'record' ? item.record : undefined;
  }

  /** Assigns items by hash after applying `form`, but not if several rows have that hash. `isOfRecords` ignores refusals. */
  takeByHash(hashOf: (row: Row) => string | undefined, form = (hash: string): string => hash, isOfRecords = false): void {
    const rows = new Map<string, number>();
    for (const [row, source] of this.sent.entries()) {
      const hash = this.verdicts[row] ? undefined : hashOf(source);
      if (!hash) continue;
      const key = form(hash);
      rows.set(key, rows.has(key) ? shared : row);
    }
    if (rows.size === 0) return;
    for (const [index, item] of this.items.entries()) {
      if (!item || this.rowOf[index] !== undefined || (isOfRecords && item.kind !== 'record')) continue;
      const row =
        item.kind === 'record'
          ? rows.get(form(item.record.hash))
          : item.hashes.map((hash) => rows.get(form(hash))).find((found) => found !== undefined);
      if (row !== undefined && row !== shared && !this.verdicts[row]) this.assign(row, index, 'hash');
    }
  }
}

/** Marks a hash that several rows have. */
const shared = -1;
