import { foldedHash } from '../../contract/link.ts';
import type { Item } from './answer-items.ts';
import { begin, freeRecords, freeRefusals, freeRows, give, result, type Work } from './matching-work.ts';
import type { BatchAnswer } from './verdict.ts';

/** An edited URL: its hash, and the one that it shall get. */
interface EditedUrl {
  readonly hash: string;
  readonly custom_hash?: string | undefined;
}

/** Joins the answer of an edit to its rows by hash: the new one where a record came back, the old one in a refusal. */
export function matchEdits(sent: readonly EditedUrl[], answer: readonly unknown[]): BatchAnswer {
  const work = begin(sent, answer, false);
  const newHash = ({ hash, custom_hash }: EditedUrl): string => custom_hash ?? hash;
  takeByHash(work, newHash, { of: 'records' });
  takeByHash(work, ({ hash }) => hash);
  takeByHash(work, newHash, { form: foldedHash });
  takeLast(work);
  return result(work);
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
  { form = asItIs, of }: HashOptions = {},
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

/** One row, one item without a hash: a refusal that echoes nothing. */
function takeLast(work: Work<EditedUrl>): void {
  const [row, ...rows] = freeRows(work);
  const [index, ...items] = [...freeRefusals(work), ...freeRecords(work)];
  if (row === undefined || index === undefined || rows.length + items.length > 0) return;
  const item = work.items[index];
  if (item?.kind === 'refused' && item.hashes.length === 0 && work.items.length === work.sent.length)
    give(work, row, index, 'hash');
}

function asItIs(hash: string): string {
  return hash;
}
