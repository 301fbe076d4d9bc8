import { unicodeTest } from '../../base/unicode.ts';
import type { ErrorRecord } from '../../contract/records.ts';
import type { BatchAnswer, Evidence, KnownRecord, Verdict } from './row-verdict.ts';

/** A refused item and what it echoes of the row that it belongs to (4.3.1). */
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

/** One entry of an answer's `urls`, read without trust. An item without `error` but with a hash is a success. */
export function readItem(value: unknown): Item | undefined {
  if (!isObject(value)) return undefined;
  const { error } = value;
  if (error !== undefined && error !== null) {
    const code = isObject(error) ? Number(error.code) : -1;
    if (!isObject(error) || error.code !== code || !Number.isSafeInteger(code) || code < 0) return undefined;
    if (code !== 0) return readRefusal(value, error, code);
  }
  const record = readRecord(value);
  return record && { kind: 'record', record };
}

/** An entry of a listing: a record, whatever else it carries. */
export function readRecord(value: unknown): KnownRecord | undefined {
  if (!isObject(value) || typeof value.hash !== 'string') return undefined;
  const hash = value.hash.trim();
  // It has visible characters, and no more of them than any server is known to give.
  if (hash === '' || hash.length > 255 || hasUnseen(hash)) return undefined;
  return hash === value.hash && hasHash(value) ? value : { ...value, hash };
}

export function longUrlOf(item: Item | undefined): string | undefined {
  return item?.kind === 'record' ? textOf(item.record.long_url) : item?.longUrl;
}

const hasUnseen = unicodeTest('[\\p{C}\\p{Z}]', /^[!-~]*$/);

/** The rest of a record is read without trust where it is used. */
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

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A matching under way: what is free on both sides. */
export interface Work<Row> {
  readonly sent: readonly Row[];
  /** Undefined where an entry of the answer cannot be used. */
  readonly items: readonly (Item | undefined)[];
  readonly verdicts: (Verdict | undefined)[];
  readonly rowOf: (number | undefined)[];
}

export function begin<Row>(sent: readonly Row[], answer: readonly unknown[], sharing: boolean): Work<Row> {
  const items = answer.map(readItem);
  if (!sharing) dropRepeats(items);
  return {
    sent,
    items,
    verdicts: new Array(sent.length).fill(undefined),
    rowOf: new Array(items.length).fill(undefined),
  };
}

/** A hash is given to one row only. */
function dropRepeats(items: (Item | undefined)[]): void {
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    if (item?.kind !== 'record') continue;
    if (seen.has(item.record.hash)) items[index] = undefined;
    seen.add(item.record.hash);
  }
}

/** The one place where an item answers a row. */
export function give<Row>(work: Work<Row>, row: number, index: number, evidence: Evidence): void {
  const item = work.items[index];
  if (!item) return;
  work.rowOf[index] = row;
  work.verdicts[row] =
    item.kind === 'record' ? { kind: 'done', record: item.record, evidence } : { kind: 'failed', error: item.error };
}

export function result<Row>(work: Work<Row>): BatchAnswer {
  return { verdicts: work.verdicts, surplus: freeRecords(work).flatMap((index) => recordAt(work, index) ?? []) };
}

export function freeRows<Row>({ verdicts }: Work<Row>): number[] {
  const rows: number[] = [];
  for (const [row, verdict] of verdicts.entries()) if (!verdict) rows.push(row);
  return rows;
}

export function freeRecords<Row>(work: Work<Row>): number[] {
  return freeItems(work).filter((index) => recordAt(work, index));
}

export function freeRefusals<Row>(work: Work<Row>): number[] {
  return freeItems(work).filter((index) => !recordAt(work, index));
}

function freeItems<Row>({ items, rowOf }: Work<Row>): number[] {
  const free: number[] = [];
  for (const [index, item] of items.entries()) if (item && rowOf[index] === undefined) free.push(index);
  return free;
}

export function recordAt<Row>({ items }: Work<Row>, index: number): KnownRecord | undefined {
  const item = items[index];
  return item?.kind === 'record' ? item.record : undefined;
}

interface HashOptions {
  /** In which two hashes are compared; as they are without it. */
  readonly form?: (hash: string) => string;
  readonly of?: 'records';
}

/** Gives items to the rows whose hash they name. A form of a hash that several rows share is none of theirs. */
export function takeByHash<Row>(
  work: Work<Row>,
  hashOf: (row: Row) => string | undefined,
  { form = (hash) => hash, of }: HashOptions = {},
): void {
  const rows = new Map<string, number>();
  for (const [row, source] of work.sent.entries()) {
    const hash = work.verdicts[row] ? undefined : hashOf(source);
    if (!hash) continue;
    const key = form(hash);
    rows.set(key, rows.has(key) ? shared : row);
  }
  if (rows.size === 0) return;
  for (const [index, item] of work.items.entries()) {
    if (!item || work.rowOf[index] !== undefined || (of && item.kind !== 'record')) continue;
    const row = rowNamed(item, rows, form);
    if (row !== undefined && row !== shared && !work.verdicts[row]) give(work, row, index, 'hash');
  }
}

/** No row, where several have one key. */
const shared = -1;

function rowNamed(item: Item, rows: ReadonlyMap<string, number>, form: (hash: string) => string): number | undefined {
  if (item.kind === 'record') return rows.get(form(item.record.hash));
  return item.hashes.map((hash) => rows.get(form(hash))).find((row) => row !== undefined);
}
