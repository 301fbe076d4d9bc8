import type { Client } from '../../client/client.ts';
import { readItem } from '../matching/answer-items.ts';
import type { KnownRecord } from '../matching/verdict.ts';

/** Milliseconds for a request that is under way to arrive, and for a listing that is behind (1.6). */
export const usualSettle = 10_000;

export interface ListingSettings {
  readonly client: Pick<Client, 'send'>;
  readonly domain?: string | undefined;
}

/** What was read of a listing, from its first record on. */
export interface Scan {
  /** By hash, in the order of the listing. */
  readonly records: ReadonlyMap<string, KnownRecord>;
  /** How many records the server counts; undefined where that is no number, or it shows more of them. */
  readonly total: number | undefined;
  /** Whether the listing was read to its end. */
  readonly isWhole: boolean;
  /** Rows of the largest page: the server gives out as many at once. */
  readonly largestPage: number;
}

export interface ScanOptions {
  /** Rows asked for in one call; the server may give fewer. */
  readonly limit: number;
  /** Asked after each page, with what was read so far. */
  isEnough(records: ReadonlyMap<string, KnownRecord>, largestPage: number): boolean;
  readonly maximalCalls?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The one reader of the newest links, for watermarks, reading back, the audit and URLs that were typed (D3). `client/pages.ts` is
 * for people who want rows; this one is for evidence: each page must begin with the last record of the one before it, so that
 * no record slips through when others are deleted meanwhile. Undefined where one may have.
 */
export async function scanNewest(
  { client, domain }: ListingSettings,
  { limit, isEnough, maximalCalls = Number.POSITIVE_INFINITY, signal }: ScanOptions,
): Promise<Scan | undefined> {
  const records = new Map<string, KnownRecord>();
  let total: number | undefined;
  let isCounted = true;
  let offset = 0;
  let largestPage = 0;
  for (let calls = 1; calls <= maximalCalls; calls += 1) {
    const query = { limit, ...(offset > 0 && { offset }), ...(domain !== undefined && { domain }) };
    const { urls, page } = await client.send('listUrls', { query }, { signal });
    const rows = recordsIn(urls);
    if (records.size > 0 && rows[0] && !records.has(rows[0].hash)) return undefined;
    largestPage = Math.max(largestPage, urls.length);
    const before = records.size;
    for (const record of rows) if (!records.has(record.hash)) records.set(record.hash, record);
    total = countOf(page);
    isCounted &&= total !== undefined && total >= records.size;
    const isEnd = rows.length === 0 || (rows.length === 1 && records.size === before);
    if (isEnd) return { records, total: isCounted ? total : undefined, isWhole: true, largestPage };
    // A server that gives the same page at every offset has no more to tell (F43).
    if (records.size === before) break;
    // Where what was read is all that the server counts, only the next page shows whether that is so.
    if (isEnough(records, largestPage) && !(isCounted && total === records.size && maximalCalls > 1)) break;
    offset += urls.length - 1;
  }
  return { records, total: isCounted ? total : undefined, isWhole: false, largestPage };
}

function recordsIn(urls: readonly unknown[]): KnownRecord[] {
  return urls.flatMap((entry) => {
    // In a listing every entry is a record, whatever else it carries.
    const item = readItem((entry as { error?: unknown } | null)?.error ? { ...(entry as object), error: undefined } : entry);
    return item?.kind === 'record' ? [item.record] : [];
  });
}

function countOf(page: { readonly total_count?: unknown } | null | undefined): number | undefined {
  const count = page?.total_count;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}
