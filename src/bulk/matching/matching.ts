import { grouped } from '../../base/group-by.ts';
import { foldedHash } from '../../contract/link.ts';
import type { ShortenItem } from '../../contract/operations.ts';
import { keyFields, rowKey } from '../../link/same.ts';
import { canonicalHost, canonicalUrl } from '../../link/value.ts';
import { type Item, longUrlOf, Matching } from './answer-items.ts';
import type { BatchAnswer, Evidence } from './row-verdict.ts';

export type SentItem = Partial<ShortenItem>;

export type Shortening = Matching<SentItem>;

interface MatchingOptions {
  /** For duplicate control, where rows may share a record and a row may have several (4.3.3). */
  readonly matchSharedLinks?: (work: Shortening) => void;
  /** False for listings, which are not in the order of the rows. */
  readonly inOrder?: boolean;
}

/** Assigns items of an answer to sent rows. Their order and number are not guaranteed; without clear evidence a row gets none. */
export function matchAnswer(
  sent: readonly SentItem[],
  answer: readonly unknown[],
  { matchSharedLinks, inOrder = true }: MatchingOptions = {},
): BatchAnswer {
  const work = new Matching(sent, answer, matchSharedLinks !== undefined);
  const steps = [
    takeByCustomHash,
    matchSharedLinks ?? takeByFields,
    takeRefusals,
    takeByUniqueUrl,
    ...(inOrder ? [takeByPosition] : []),
  ];
  for (const take of steps) if (work.verdicts.includes(undefined)) take(work);
  return work.answer();
}

/** Custom hashes are distinct within a request, so they identify rows. A server may have changed their case. */
function takeByCustomHash(work: Shortening): void {
  const hashOf = ({ custom_hash }: SentItem): string | undefined => custom_hash;
  work.takeByHash(hashOf);
  if (work.verdicts.includes(undefined)) work.takeByHash(hashOf, foldedHash);
}

/** Compares all fields that the records show. Rows with equal keys are matched in order, unless they differ in other fields. */
function takeByFields(work: Shortening): void {
  const rows = work.freeRows().filter((row) => isPlain(work.sent[row]));
  const items = work.freeItems('record');
  if (rows.length === 0 || items.length === 0) return;
  const shown = new Set(keyFields.filter((name) => items.every((index) => work.recordAt(index)?.[name] !== undefined)));
  const candidates = grouped(items, (index) => rowKey(work.recordAt(index), shown));
  for (const [key, takers] of grouped(rows, (row) => rowKey(work.sent[row], shown))) {
    const found = candidates.get(key);
    if (!found || (takers.length > 1 && grouped(takers, (row) => rowKey(work.sent[row])).size > 1)) continue;
    assignInOrder(work, takers, found, 'fields');
  }
}

/** Prefers items with an identical long URL and assigns the rest in order. */
function assignInOrder(work: Shortening, rows: readonly number[], items: readonly number[], evidence: Evidence): void {
  const spelled = grouped(items, (index) => longUrlOf(work.items[index]) ?? '');
  for (const row of rows) {
    const index = spelled.get(work.sent[row]?.long_url ?? '')?.shift();
    if (index !== undefined) work.assign(row, index, evidence);
  }
  const left = items.filter((index) => work.rowOf[index] === undefined);
  const waiting = rows.filter((row) => !work.verdicts[row]);
  for (const [nth, row] of waiting.entries()) {
    const index = left[nth];
    if (index !== undefined) work.assign(row, index, evidence);
  }
}

/** Runs after the records, because refused items echo only the long URL and the custom hash. */
function takeRefusals(work: Shortening): void {
  const items = work.freeItems('refused').filter((index) => longUrlOf(work.items[index]) !== undefined);
  for (const [rows, found] of sameUrls(work, work.freeRows(), items)) {
    if (areInterchangeable(work, rows, found)) assignInOrder(work, rows, found, 'long_url');
  }
}

/** True if it does not matter which refusal belongs to which row. */
function areInterchangeable(work: Shortening, rows: readonly number[], items: readonly number[]): boolean {
  if (rows.length === 1) return items.length === 1;
  const spelling = (row: number | undefined): string => JSON.stringify(row === undefined ? row : work.sent[row]);
  if (rows.every((row) => spelling(row) === spelling(rows[0]))) return true;
  const codes = items.map((index) => work.items[index]).map((item) => (item?.kind === 'refused' ? item.error.code : undefined));
  return rows.length === items.length && codes.every((code) => code === codes[0]);
}

function takeByUniqueUrl(work: Shortening): void {
  for (const isCandidate of [isPlain, () => true]) {
    const candidates = work.freeRows().filter((row) => isCandidate(work.sent[row]));
    for (const [rows, found] of sameUrls(work, candidates, work.freeItems('record'))) {
      if (rows.length === 1 && found.length === 1) assignInOrder(work, rows, found, 'long_url');
    }
  }
}

function isPlain(row: SentItem | undefined): boolean {
  return !row?.custom_hash;
}

/** Yields rows and items of each long URL that both have, ignoring its spelling. */
function* sameUrls(
  work: Shortening,
  rows: readonly number[],
  items: readonly number[],
): Generator<[readonly number[], readonly number[]]> {
  if (rows.length === 0 || items.length === 0) return;
  const rowsOf = grouped(rows, (row) => canonicalUrl(work.sent[row]?.long_url ?? ''));
  for (const [url, found] of grouped(items, (index) => canonicalUrl(longUrlOf(work.items[index]) ?? ''))) {
    const takers = rowsOf.get(url);
    if (takers) yield [takers, found];
  }
}

/**
 * Uses position alone only if the whole answer appears to be in order: it is as long as the request, every assigned item is in its place,
 * there is such an item unless the request has one row, and the other items have the hosts of their rows.
 */
function takeByPosition(work: Shortening): void {
  const rows = work.freeRows();
  if (rows.length === 0 || work.items.length !== work.sent.length) return;
  if (rows.length === work.sent.length && rows.length > 1) return;
  if (work.rowOf.some((row, index) => row !== undefined && row !== index)) return;
  if (!rows.every((row) => work.rowOf[row] === undefined && agree(work.sent[row], work.items[row]))) return;
  for (const row of rows) work.assign(row, row, 'position');
}

function agree(sent: SentItem | undefined, item: Item | undefined): boolean {
  if (!sent || !item) return false;
  const longUrl = longUrlOf(item);
  if (longUrl === undefined) return item.kind === 'refused';
  return canonicalHost(longUrl) === canonicalHost(sent.long_url ?? '');
}
