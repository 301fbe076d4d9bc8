import { grouped } from '../../base/group-by.ts';
import { foldedHash } from '../../contract/link.ts';
import type { ShortenItem } from '../../contract/operations.ts';
import { keyFields, rowKey } from '../../link/same.ts';
import { canonicalHost, canonicalUrl } from '../../link/value.ts';
import { type Item, longUrlOf, Matching } from './answer-items.ts';
import type { BatchAnswer, Evidence } from './row-verdict.ts';

export type Asked = Partial<ShortenItem>;

export type Shortening = Matching<Asked>;

interface MatchingOptions {
  /** With duplicate control several rows may be given one record, and one row several (4.3.3): gives them out. */
  readonly takeShared?: (work: Shortening) => void;
  /** False for the items of a listing, which are not in the order of the rows. */
  readonly inOrder?: boolean;
}

/** Joins the items of an answer to the rows that were sent: neither their order nor their number is promised. In doubt a row gets nothing. */
export function matchAnswer(
  sent: readonly Asked[],
  answer: readonly unknown[],
  { takeShared, inOrder = true }: MatchingOptions = {},
): BatchAnswer {
  const work = new Matching(sent, answer, takeShared !== undefined);
  const steps = [
    takeByCustomHash,
    takeShared ?? takeByFields,
    takeRefusals,
    takeByUniqueUrl,
    ...(inOrder ? [takeByPosition] : []),
  ];
  for (const take of steps) if (work.verdicts.includes(undefined)) take(work);
  return work.answer();
}

/** Every request holds distinct custom hashes, so they are keys; a server may have changed their case. */
function takeByCustomHash(work: Shortening): void {
  const hashOf = ({ custom_hash }: Asked): string | undefined => custom_hash;
  work.takeByHash(hashOf);
  if (work.verdicts.includes(undefined)) work.takeByHash(hashOf, foldedHash);
}

/** By all that a record shows: position decides among rows with equal keys. Rows that differ in what records do not show are left to better evidence. */
function takeByFields(work: Shortening): void {
  const rows = work.freeRows().filter((row) => isPlain(work.sent[row]));
  const items = work.freeRecords();
  if (rows.length === 0 || items.length === 0) return;
  const shown = new Set(keyFields.filter((name) => items.every((index) => work.recordAt(index)?.[name] !== undefined)));
  const candidates = grouped(items, (index) => rowKey(work.recordAt(index), shown));
  for (const [key, takers] of grouped(rows, (row) => rowKey(work.sent[row], shown))) {
    const found = candidates.get(key);
    if (!found || (takers.length > 1 && grouped(takers, (row) => rowKey(work.sent[row])).size > 1)) continue;
    giveInOrder(work, takers, found, 'fields');
  }
}

/** The same spelling first, then as they come. */
function giveInOrder(work: Shortening, rows: readonly number[], items: readonly number[], evidence: Evidence): void {
  const spelled = grouped(items, (index) => longUrlOf(work.items[index]) ?? '');
  for (const row of rows) {
    const index = spelled.get(work.sent[row]?.long_url ?? '')?.shift();
    if (index !== undefined) work.give(row, index, evidence);
  }
  const left = items.filter((index) => work.rowOf[index] === undefined);
  const waiting = rows.filter((row) => !work.verdicts[row]);
  for (const [nth, row] of waiting.entries()) {
    const index = left[nth];
    if (index !== undefined) work.give(row, index, evidence);
  }
}

/** Refused items echo the long URL and the custom hash, nothing else, and so come after the records. */
function takeRefusals(work: Shortening): void {
  const items = work.freeRefusals().filter((index) => longUrlOf(work.items[index]) !== undefined);
  for (const [rows, found] of sameUrls(work, work.freeRows(), items)) {
    if (oneFate(work, rows, found)) giveInOrder(work, rows, found, 'long_url');
  }
}

/** True where it makes no difference which refusal goes to which row. */
function oneFate(work: Shortening, rows: readonly number[], items: readonly number[]): boolean {
  if (rows.length === 1) return items.length === 1;
  const spelling = (row: number | undefined): string => JSON.stringify(row === undefined ? row : work.sent[row]);
  if (rows.every((row) => spelling(row) === spelling(rows[0]))) return true;
  const codes = items.map((index) => work.items[index]).map((item) => (item?.kind === 'refused' ? item.error.code : undefined));
  return rows.length === items.length && codes.every((code) => code === codes[0]);
}

function takeByUniqueUrl(work: Shortening): void {
  for (const isCandidate of [isPlain, () => true]) {
    const candidates = work.freeRows().filter((row) => isCandidate(work.sent[row]));
    for (const [rows, found] of sameUrls(work, candidates, work.freeRecords())) {
      if (rows.length === 1 && found.length === 1) giveInOrder(work, rows, found, 'long_url');
    }
  }
}

function isPlain(row: Asked | undefined): boolean {
  return !row?.custom_hash;
}

/** The rows and the items of each long URL that both have, in whatever spelling. */
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
 * Position is believed on its own only in an answer that gives every sign of being in order: as long as the request, every
 * known item at its own place, at least one such item unless there is but one row, and the same hosts in the rest.
 */
function takeByPosition(work: Shortening): void {
  const rows = work.freeRows();
  if (rows.length === 0 || work.items.length !== work.sent.length) return;
  if (rows.length === work.sent.length && rows.length > 1) return;
  if (work.rowOf.some((row, index) => row !== undefined && row !== index)) return;
  if (!rows.every((row) => work.rowOf[row] === undefined && agree(work.sent[row], work.items[row]))) return;
  for (const row of rows) work.give(row, row, 'position');
}

function agree(sent: Asked | undefined, item: Item | undefined): boolean {
  if (!sent || !item) return false;
  const longUrl = longUrlOf(item);
  if (longUrl === undefined) return item.kind === 'refused';
  return canonicalHost(longUrl) === canonicalHost(sent.long_url ?? '');
}
