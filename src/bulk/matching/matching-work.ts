import type { ShortenItem } from '../../contract/operations.ts';
import { type RecordItem, type RefusedItem, readItem } from './answer-items.ts';
import type { Evidence, KnownRecord, Verdict } from './verdict.ts';

export type Item = RecordItem | RefusedItem | undefined;

/** A matching under way: what is free on both sides. */
export interface Work {
  readonly sent: readonly ShortenItem[];
  readonly items: readonly Item[];
  readonly verdicts: (Verdict | undefined)[];
  /** Row that an item was given to; undefined as long as it is free. */
  readonly rowOf: (number | undefined)[];
}

export function begin(sent: readonly ShortenItem[], answer: readonly unknown[], sharing: boolean): Work {
  const items = answer.map(readItem);
  if (!sharing) dropRepeats(items);
  return {
    sent,
    items,
    verdicts: new Array(sent.length).fill(undefined),
    rowOf: new Array(items.length).fill(undefined),
  };
}

/** A hash is given to one row only (1.5 rule 7, F35). */
function dropRepeats(items: Item[]): void {
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    if (item?.kind !== 'record') continue;
    if (seen.has(item.record.hash)) items[index] = undefined;
    seen.add(item.record.hash);
  }
}

export function give(work: Work, row: number, index: number, evidence: Evidence): void {
  const item = work.items[index];
  if (!item) return;
  work.rowOf[index] = row;
  work.verdicts[row] =
    item.kind === 'record' ? { kind: 'done', record: item.record, evidence } : { kind: 'failed', error: item.error };
}

export function surplusOf(work: Work): KnownRecord[] {
  return freeItems(work, 'record')
    .map((index) => recordOf(work, index))
    .filter((record) => record !== undefined);
}

export function freeRows(work: Work): number[] {
  const rows: number[] = [];
  for (const [row, verdict] of work.verdicts.entries()) if (!verdict) rows.push(row);
  return rows;
}

export function freeItems(work: Work, kind: 'record' | 'refused'): number[] {
  const free: number[] = [];
  for (const [index, item] of work.items.entries()) {
    if (item?.kind === kind && work.rowOf[index] === undefined) free.push(index);
  }
  return free;
}

export function recordOf(work: Work, index: number): KnownRecord | undefined {
  const item = work.items[index];
  return item?.kind === 'record' ? item.record : undefined;
}

export function longUrlOf(item: Item): string | undefined {
  const longUrl = item?.kind === 'record' ? item.record.long_url : item?.longUrl;
  return typeof longUrl === 'string' ? longUrl : undefined;
}

export function group(members: readonly number[], keyOf: (member: number) => string): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const member of members) {
    const key = keyOf(member);
    const list = groups.get(key);
    if (list) list.push(member);
    else groups.set(key, [member]);
  }
  return groups;
}
