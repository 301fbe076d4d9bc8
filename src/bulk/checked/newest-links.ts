import { SeenKeys } from '../../base/seen-keys.ts';
import type { System } from '../../base/system.ts';
import { CallError, refusesRun } from '../../client/call-error.ts';
import type { Client } from '../../client/client.ts';
import { editions } from '../../contract/editions.ts';
import { foldedHash } from '../../contract/link.ts';
import type { KnownRecord } from '../../contract/records.ts';
import { isOfThisMachine, type MachineTime } from '../../files/process-mark.ts';
import type { Execution } from '../execution/execution.ts';
import type { Watermark } from '../journal/lines.ts';
import { readRecord } from '../matching/answer-items.ts';
import { callsPerBatch } from '../run-plan.ts';
import { BudgetError } from '../sending/limiter.ts';

/** Milliseconds to wait for requests in flight and for a stale listing. */
export const usualSettle = 10_000;

/**
 * Returns the milliseconds that have certainly passed since a process ended: 0 on another machine, and after a reboot at most those since the
 * reboot. They count as waited for what it had sent: a process that has less time than a wait takes would begin it anew for ever.
 */
export function waitedSince(endedAt: MachineTime | undefined, system: System): number {
  const passed = endedAt && isOfThisMachine(endedAt, system) ? system.elapsed() - endedAt.at : 0;
  return passed > 0 ? passed : 0;
}

/** Number of links in a watermark. One call reads them. */
export const frontSize = 200;

export interface ListingSettings {
  readonly client: Pick<Client, 'send' | 'edition'>;
  /** Edition A: the working domain, sent with every call. */
  readonly domain?: string | undefined;
}

/** The part of a listing that was read, from its first record. */
export interface Scan {
  readonly records: ReadonlyMap<string, KnownRecord>;
  /** The server's total; undefined if a page has no valid one, or one below the number of records read. */
  readonly total: number | undefined;
  readonly isWhole: boolean;
  /** Entries of the largest page. The size of the server's pages is at least this. */
  readonly largestPage: number;
}

interface ScanOptions {
  readonly limit: number;
  /** The offset to begin at; 0 without it. */
  readonly from?: number;
  isEnough(scan: Scan): boolean;
  readonly mayCall?: (() => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads the newest links as evidence; `client/pages.ts` reads for output. No record is missed if others create or delete links meanwhile.
 * Undefined if one may be missing.
 */
export async function scanNewest(
  listing: ListingSettings,
  { limit, from, isEnough, mayCall, signal }: ScanOptions,
): Promise<Scan | undefined> {
  const records = new Map<string, KnownRecord>();
  let scan: Scan = { records, total: undefined, isWhole: false, largestPage: 0 };
  let isCounted = true;
  for await (const page of newestPages(listing, { limit, from, mayCall, signal })) {
    if (page === 'gap') return undefined;
    for (const record of page.fresh) records.set(record.hash, record);
    const { total: count, isEnd } = page;
    const total = typeof count === 'number' && Number.isSafeInteger(count) && count >= records.size ? count : undefined;
    isCounted &&= total !== undefined;
    const largestPage = Math.max(scan.largestPage, page.size);
    scan = { records, total: isCounted ? total : undefined, isWhole: isEnd, largestPage };
    if (isEnough(scan)) break;
  }
  return scan;
}

interface NewestPage {
  /** The records that no page before had. */
  readonly fresh: readonly KnownRecord[];
  /** As received. */
  readonly total: unknown;
  /** The number of its entries. */
  readonly size: number;
  /** No record follows. */
  readonly isEnd: boolean;
}

/** How often in a row it goes back, each time further. */
const maximalSteps = 4;
/** Pages with less than an eighth of the new records of the largest page. With more of them, others create links as fast as they are read. */
const maximalSlowPages = 20;

/**
 * Yields pages of the listing, newest links first. The new records of a page follow a record of the page before, so that none is missed:
 * links that others create push records into a page again, and after deletions, it goes back. Ends with a page without a new record, and
 * with `gap` if a record may be missing.
 */
export async function* newestPages(
  { client, domain }: ListingSettings,
  { limit = Number.POSITIVE_INFINITY, from = 0, mayCall = () => true, signal }: Partial<Omit<ScanOptions, 'isEnough'>> = {},
): AsyncGenerator<NewestPage | 'gap'> {
  const seen = new SeenKeys({ onlyNewest: true });
  const size = Math.min(limit, editions[client.edition].groupBound);
  let before: ReadonlySet<string> = new Set();
  let [largest, slowPages, steps, reached] = [0, 0, 0, from];
  for (let offset = from; mayCall(); ) {
    const query = { limit: size, offset: offset || undefined, domain };
    const { urls, page } = await client.send('listUrls', { query }, { signal });
    const rows = urls.map(readRecord).filter((record) => record !== undefined);
    const known = knownAtStart(rows, seen);
    const isRepeated = offset < reached && known === rows.length && known > 1;
    largest = Math.max(largest, rows.length);
    if ((rows.length - known) * 8 < largest) slowPages += 1;
    if (offset > from && !isRepeated && !before.has(rows[known - 1]?.hash ?? '')) {
      steps += 1;
      reached = Math.max(reached, offset);
      offset = Math.max(from + 1, offset - 8 ** steps);
    } else {
      steps = 0;
      offset += Math.max(0, urls.length - 1);
      if (isRepeated) continue;
      before = new Set(rows.map(({ hash }) => hash));
      const fresh = rows.slice(known).filter(({ hash }) => seen.add(hash));
      const { total_count: total }: { readonly total_count?: unknown } = page ?? {};
      yield { fresh, total, size: urls.length, isEnd: fresh.length === 0 && rows.length <= 1 };
      // Some servers return the same page at every offset.
      if (fresh.length === 0) return;
    }
    if (steps > maximalSteps || slowPages > maximalSlowPages) return yield 'gap';
  }
}

/** Returns the number of records at the start of a page that were read before. */
function knownAtStart(rows: readonly KnownRecord[], seen: SeenKeys): number {
  const first = rows.findIndex(({ hash }) => !seen.has(hash));
  return first === -1 ? rows.length : first;
}

export async function scanFront(listing: ListingSettings, signal?: AbortSignal): Promise<Scan> {
  const scan = await scanNewest(listing, { limit: frontSize, isEnough: () => true, signal });
  return scan ?? { records: new Map(), total: undefined, isWhole: false, largestPage: 0 };
}

export function atMost(calls: number, mayCall: () => boolean = () => true): () => boolean {
  let left = calls;
  return () => {
    left -= 1;
    return left >= 0 && mayCall();
  };
}

/** Links that are listed after this many known hashes are old. */
export const enoughKnown = 50;

export async function takeWatermark(listing: ListingSettings, signal?: AbortSignal): Promise<Watermark> {
  const { records, total } = await scanFront(listing, signal);
  return { known: [...records.keys()], total };
}

/** Returns a test to call after each page: true if all links that follow are older than the watermark. */
export function pastWatermark({ known }: Watermark): (scan: Scan) => boolean {
  const needed = Math.min(enoughKnown, known.length);
  let before = 0;
  return ({ records }) => {
    const seen = known.filter((hash) => records.has(hash)).length;
    // Known hashes are adjacent: if a page adds none, the others were deleted.
    const isPast = needed > 0 && (seen >= needed || (seen > 0 && seen === before));
    before = seen;
    return isPast;
  };
}

/** True if the number of records equals the total. Only the next page proves that there are no more. */
export function mayBeWhole({ records, total }: Scan): boolean {
  return total === records.size;
}

/** Returns unknown records listed before the 50th known one, or before the last known one if there are fewer. */
export function newerThan({ known }: Watermark, { records }: Pick<Scan, 'records'>): KnownRecord[] {
  const old = new Set(known);
  const listed = [...records.values()];
  const positions = listed.flatMap(({ hash }, position) => (old.has(hash) ? [position] : []));
  const fence = positions[enoughKnown - 1] ?? positions.at(-1) ?? listed.length;
  return listed.slice(0, fence).filter(({ hash }) => !old.has(hash));
}

/** Returns the position of the first of these hashes, ignoring case; -1 if there is none. */
export function positionIn(listed: Iterable<string>, hashes: readonly string[]): number {
  const wanted = new Set(hashes.map(foldedHash));
  return [...listed].findIndex((hash) => wanted.has(foldedHash(hash)));
}

/**
 * Reads a watermark before each intent in checked mode, otherwise before the first, whose links are added to `older`. `undo` needs it to prove
 * which links are new.
 */
export function watermarksOf(run: Execution): () => Promise<Watermark | undefined> {
  const { plan, calls, signal, warn, older } = run;
  let first: Promise<Watermark | undefined> | undefined;
  if (plan.mode?.name === 'checked') {
    return async () => {
      if (!calls.reserve(callsPerBatch(plan))) throw new BudgetError(plan.budget);
      return await takeWatermark(run, signal);
    };
  }
  const read = async (): Promise<Watermark | undefined> => {
    if (!calls.reserve(1)) return undefined;
    const mark = await takeWatermark(run, signal).catch((error: unknown) => {
      // Without a watermark, undo treats all links of a run with generated hashes as new, even those with typed hashes.
      if (!(error instanceof CallError) || refusesRun(error) || plan.mode?.generateHashes) throw error;
      warn(`could not list the newest links, so undo will need --force: ${error.message}`);
      return undefined;
    });
    for (const hash of mark?.known ?? []) older.add(hash);
    return mark;
  };
  return async () => {
    if (first) return await first.then(() => undefined);
    first = read();
    return await first;
  };
}
