import { foldedHash } from '../../contract/link.ts';
import type { BatchAnswer } from '../operations/operation.ts';
import { type RecordItem, type RefusedItem, readItem } from './answer-items.ts';
import type { Verdict } from './verdict.ts';

/** An edited URL: its hash, and the one that it shall get. */
export interface EditedUrl {
  readonly hash: string;
  readonly custom_hash?: string | undefined;
}

/** Joins the answer of an edit to its rows by hash: the new one where a record came back, the old one in a refusal. */
export function matchByHash(sent: readonly EditedUrl[], answer: readonly unknown[]): BatchAnswer {
  const verdicts: (Verdict | undefined)[] = new Array(sent.length).fill(undefined);
  let items = answer.map(readItem).filter((item) => item !== undefined);
  const take = (keyOf: (url: EditedUrl) => string, form: (hash: string) => string, kind: 'record' | 'refused' | 'any'): void => {
    const rows = new Map<string, number>();
    for (const [row, url] of sent.entries()) if (!verdicts[row]) rows.set(form(keyOf(url)), row);
    items = items.filter((item) => {
      if (kind !== 'any' && item.kind !== kind) return true;
      const key = hashesOf(item)
        .map(form)
        .find((hash) => rows.has(hash));
      const row = key === undefined ? undefined : rows.get(key);
      if (key === undefined || row === undefined) return true;
      rows.delete(key);
      verdicts[row] = verdictOf(item);
      return false;
    });
  };
  take(({ hash, custom_hash }) => custom_hash ?? hash, asItIs, 'record');
  take(({ hash }) => hash, asItIs, 'any');
  take(({ hash, custom_hash }) => custom_hash ?? hash, foldedHash, 'any');
  takeLast(sent, answer, items, verdicts);
  return { verdicts, surplus: items.flatMap((item) => (item.kind === 'record' ? [item.record] : [])) };
}

/** One row, one item without a hash: a refusal that echoes nothing. */
function takeLast(
  sent: readonly EditedUrl[],
  answer: readonly unknown[],
  items: (RecordItem | RefusedItem)[],
  verdicts: (Verdict | undefined)[],
): void {
  const [item] = items;
  const row = verdicts.indexOf(undefined);
  const isLast = row >= 0 && verdicts.lastIndexOf(undefined) === row && items.length === 1 && sent.length === answer.length;
  if (!isLast || item?.kind !== 'refused' || item.hashes.length > 0) return;
  verdicts[row] = verdictOf(item);
  items.pop();
}

function verdictOf(item: RecordItem | RefusedItem): Verdict {
  return item.kind === 'record' ? { kind: 'done', record: item.record, evidence: 'hash' } : { kind: 'failed', error: item.error };
}

function hashesOf(item: RecordItem | RefusedItem): readonly string[] {
  return item.kind === 'record' ? [item.record.hash] : item.hashes;
}

function asItIs(hash: string): string {
  return hash;
}
