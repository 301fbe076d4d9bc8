import { grouped } from '../../base/group-by.ts';
import type { SeenKeys } from '../../base/seen-keys.ts';
import type { ShortenItem } from '../../contract/operations.ts';
import type { KnownRecord } from '../../contract/records.ts';
import { keyFields, rowKey } from '../../link/same.ts';
import { canonicalUrl } from '../../link/value.ts';
import type { Newness } from '../checked/newness.ts';
import { longUrlOf } from '../matching/answer-items.ts';
import { matchAnswer, type SentItem, type Shortening } from '../matching/matching.ts';
import { type BatchAnswer, looksPreexisting } from '../matching/row-verdict.ts';

interface SharedCall {
  send(): Promise<readonly unknown[]>;
  /** Hashes that the server has returned to this run. */
  readonly given: SeenKeys;
  readonly newness: Newness | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Sends a batch in which rows with the same long URL share a link. `sent` omits the items that share the link of an earlier one. */
export async function sendSharedBatch(
  items: readonly ShortenItem[],
  sent: readonly ShortenItem[],
  { send, given, newness, signal }: SharedCall,
): Promise<BatchAnswer> {
  await newness?.readFront(signal);
  const { verdicts, surplus } = matchAnswer(sent, await send(), { matchSharedLinks });
  const ofItem = new Map(sent.map((item, position) => [item, verdicts[position]]));
  const ofUrl = new Map(sent.filter(({ custom_hash }) => !custom_hash).map((item) => [item.long_url, ofItem.get(item)]));
  const shared = items.map((item) => {
    const verdict = ofItem.has(item) ? ofItem.get(item) : ofUrl.get(item.long_url);
    if (verdict?.kind !== 'done' || !verdict.record) return verdict;
    return given.add(verdict.record.hash) ? verdict : { ...verdict, shared: true as const };
  });
  return { verdicts: await withNew(items, shared, newness, signal), surplus };
}

/** Marks the links that are proven new, those that are old and, without proof, those that may be new. Evidently old links are not looked up. */
async function withNew(
  items: readonly ShortenItem[],
  verdicts: BatchAnswer['verdicts'],
  newness: Newness | undefined,
  signal: AbortSignal | undefined,
): Promise<BatchAnswer['verdicts']> {
  const perhapsNew = items.map((item, position) => {
    const verdict = verdicts[position];
    return verdict?.kind === 'done' && !looksPreexisting(item, verdict) ? verdict.record?.hash : undefined;
  });
  const hashes = perhapsNew.filter((hash) => hash !== undefined);
  const found = hashes.length > 0 ? await newness?.newAmong(hashes, signal) : undefined;
  const { proven, isSure } = found ?? { proven: new Set(), isSure: false };
  return verdicts.map((verdict, position) => {
    const hash = perhapsNew[position];
    if (verdict?.kind !== 'done') return verdict;
    if (hash !== undefined && proven.has(hash)) return { ...verdict, fresh: true };
    return hash === undefined || isSure ? { ...verdict, existed: true } : { ...verdict, perhapsNew: true };
  });
}

/**
 * With duplicate control, the first record with the long URL of a row answers it, but preferably one that has all fields of the row: others
 * may have made links to the same destination. Further ones are not surplus.
 */
export function matchSharedLinks(work: Shortening): void {
  for (const form of [(text: string) => text, canonicalUrl]) {
    const rows = work.freeRows();
    const items = work.freeItems('record');
    if (rows.length === 0) return;
    const records = grouped(
      [...work.items.keys()].filter((index) => work.recordAt(index)),
      (index) => form(longUrlOf(work.items[index]) ?? ''),
    );
    const served = new Set<string>();
    for (const row of rows) {
      const url = form(work.sent[row]?.long_url ?? '');
      const found = records.get(url);
      const [first] = found ?? [];
      if (!found || first === undefined) continue;
      const index = found.length > 1 ? found.find((other) => hasFields(work.recordAt(other), work.sent[row])) : first;
      work.assign(row, index ?? first, 'long_url');
      served.add(url);
    }
    for (const index of items) if (served.has(form(longUrlOf(work.items[index]) ?? ''))) work.rowOf[index] ??= -1;
  }
}

function hasFields(record: KnownRecord | undefined, row: SentItem | undefined): boolean {
  const shown = new Set(keyFields.filter((name) => record?.[name] !== undefined));
  return rowKey(record, shown) === rowKey(row, shown);
}
