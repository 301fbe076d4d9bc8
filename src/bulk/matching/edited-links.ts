import { foldedHash } from '../../contract/link.ts';
import { begin, freeRecords, freeRefusals, freeRows, give, result, takeByHash, type Work } from './answer-items.ts';
import type { BatchAnswer } from './row-verdict.ts';

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

/** One row, one item without a hash: a refusal that echoes nothing. */
function takeLast(work: Work<EditedUrl>): void {
  const [row, ...rows] = freeRows(work);
  const [index, ...items] = [...freeRefusals(work), ...freeRecords(work)];
  if (row === undefined || index === undefined || rows.length + items.length > 0) return;
  const item = work.items[index];
  if (item?.kind === 'refused' && item.hashes.length === 0 && work.items.length === work.sent.length)
    give(work, row, index, 'hash');
}
