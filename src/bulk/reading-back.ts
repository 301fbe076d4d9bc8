import type { Client } from '../client/client.ts';
import type { ShortenItem } from '../contract/operations.ts';
import type { System } from '../system.ts';
import { readItem } from './answer-items.ts';
import type { Mark } from './journal-lines.ts';
import { matchAnswer } from './matching.ts';
import { again, doubtful, type KnownRecord, type Verdict } from './verdict.ts';

export interface ListingSettings {
  readonly client: Pick<Client, 'send'>;
  readonly domain?: string | undefined;
}

export interface ReadBackSettings extends ListingSettings {
  readonly system: Pick<System, 'sleep'>;
  /** Milliseconds to wait for a request that is still under way at the server. */
  readonly settle: number;
  readonly signal: AbortSignal;
}

export interface ReadBack {
  /** One per row; all doubtful where the evidence is not conclusive. */
  readonly verdicts: readonly Verdict[];
  readonly conclusive: boolean;
  /** Hashes that are newer than the mark. */
  readonly found: readonly string[];
  readonly total?: number | undefined;
}

/** Where the listing stood before a batch, and what the batch is known to have made since. */
export interface BatchMark extends Mark {
  readonly given: readonly string[];
}

/** Newest hashes that are kept before a batch (1.6). */
const markSize = 200;

/** Known hashes that must be seen again before a scan may stop. */
const enoughKnown = 50;

const maximalScans = 5;

/** Where the listing stands before a batch: its newest hashes and its count. */
export async function takeMark({ client, domain }: ListingSettings, signal?: AbortSignal): Promise<Mark> {
  const query = { limit: markSize, ...(domain !== undefined && { domain }) };
  const { urls, page } = await client.send('listUrls', { query }, { signal });
  return { known: recordsIn(urls).map(({ hash }) => hash), total: countOf(page) };
}

/**
 * What a batch in doubt made (RELIABILITY.md 1.6): the listing is read from its newest record to what was known before, until
 * two readings agree. Conclusive only if every new record is one of the batch's and the count grew by as many.
 */
export async function readBack(items: readonly ShortenItem[], mark: BatchMark, settings: ReadBackSettings): Promise<ReadBack> {
  let before: Scan | undefined;
  for (let scans = 0; scans < maximalScans; scans += 1) {
    await settings.system.sleep(scans === 0 ? settings.settle : settings.settle / 5, settings.signal).catch(() => undefined);
    const scan = await scanNewest(mark, settings, items.length);
    if (before && scan && sameRecords(before, scan)) return judge(items, mark, scan);
    before = scan;
  }
  return {
    verdicts: items.map(() => doubtful),
    conclusive: false,
    found: [...(before?.records.keys() ?? [])],
    total: before?.total,
  };
}

interface Scan {
  readonly records: ReadonlyMap<string, KnownRecord>;
  readonly total: number | undefined;
}

/** Undefined where the end of what is new was not found: the listing is not in the order of 4.3.5 (F44). */
async function scanNewest(
  mark: BatchMark,
  { client, domain, signal }: ReadBackSettings,
  batch: number,
): Promise<Scan | undefined> {
  const known = new Set(mark.known);
  const given = new Set(mark.given);
  const seen = new Set<string>();
  const records = new Map<string, KnownRecord>();
  const limit = Math.max(markSize, batch);
  let total: number | undefined;
  let offset = 0;
  for (let pages = 0; pages < 20; pages += 1) {
    const query = { offset, limit, ...(domain !== undefined && { domain }) };
    const { urls, page } = await client.send('listUrls', { query }, { signal });
    total = countOf(page);
    const size = records.size;
    for (const record of recordsIn(urls)) {
      if (known.has(record.hash)) seen.add(record.hash);
      else if (!given.has(record.hash)) records.set(record.hash, record);
    }
    offset += urls.length;
    const isEnd = urls.length === 0 || (total !== undefined && offset >= total);
    const isPast = seen.size >= Math.min(enoughKnown, known.size) && known.size > 0 && records.size === size;
    if (isEnd || isPast) return { records, total };
  }
  return undefined;
}

function judge(items: readonly ShortenItem[], mark: BatchMark, { records, total }: Scan): ReadBack {
  const { verdicts, surplus } = matchAnswer(items, [...records.values()].map(withoutError), { inOrder: false });
  const grown = mark.total === undefined || total === undefined ? undefined : total - mark.total;
  const conclusive = surplus.length === 0 && grown === records.size + mark.given.length;
  return {
    verdicts: verdicts.map((verdict) => (conclusive ? (verdict ?? again) : doubtful)),
    conclusive,
    found: [...records.keys()],
    total,
  };
}

/** In a listing every entry is a record, whatever else it carries. */
function withoutError(record: KnownRecord): object {
  return { ...record, error: undefined };
}

function recordsIn(urls: readonly unknown[]): KnownRecord[] {
  return urls.map(readItem).flatMap((item) => (item?.kind === 'record' ? [item.record] : []));
}

function countOf(page: { readonly total_count?: unknown } | null | undefined): number | undefined {
  const count = page?.total_count;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

function sameRecords(one: Scan, other: Scan): boolean {
  return one.records.size === other.records.size && [...one.records.keys()].every((hash) => other.records.has(hash));
}
