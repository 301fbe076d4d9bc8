import { type Item, readItem, verdictOf } from './answer-items.ts';
import type { BatchAnswer, Evidence, KnownRecord, Verdict } from './verdict.ts';

/** A matching under way: what is free on both sides. */
export interface Work<Row> {
  readonly sent: readonly Row[];
  /** Undefined where an entry of the answer cannot be used. */
  readonly items: readonly (Item | undefined)[];
  readonly verdicts: (Verdict | undefined)[];
  /** Row that an item was given to; undefined as long as it is free. */
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

/** A hash is given to one row only (R 1.5.7, F35). */
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
  work.verdicts[row] = verdictOf(item, evidence);
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
