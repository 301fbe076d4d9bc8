import { editions } from '../contract/editions.ts';
import { recordText } from '../contract/link.ts';
import type { OperationInput } from '../contract/operations.ts';
import type { LogEntry, UrlRecord } from '../contract/records.ts';
import type { Client } from './client.ts';
import { SeenKeys } from './seen-keys.ts';

/** Which rows of a listing are wanted (B81). Neither `limit` nor `all`: one batch of the server's own size. */
export interface Extent {
  /** Rows wanted, however many pages that takes. */
  readonly limit?: number | undefined;
  readonly all?: boolean | undefined;
  /** Rows to pass over first. */
  readonly offset?: number | undefined;
  /** Rows asked for in one call; the edition's bound without it. */
  readonly pageSize?: number | undefined;
}

export interface PagingOptions {
  /** Told when the server pages in a way that cannot be followed (F43). */
  warn?(message: string): void;
  /** Whether the rows end where a page is empty, and nowhere else. */
  readonly untilEmpty?: boolean | undefined;
}

/** The rows of one page that were not on an earlier one. */
export interface RowsPage<T> {
  readonly rows: readonly T[];
  /** How many rows there are in all, where the server says something that the rows do not contradict. */
  readonly total: number | undefined;
}

/** What selects and orders the URLs of a listing. */
export type ListSelection = Omit<NonNullable<OperationInput<'listUrls'>['query']>, 'offset' | 'limit'>;

/**
 * Pages through GET /urls. Not a snapshot: rows that move while it is read come once (by domain and hash), and rows that moved up
 * because others were deleted are read again (B82, R-17).
 */
export function urlPages(
  client: Client,
  selection: ListSelection,
  extent: Extent = {},
  options: PagingOptions = {},
): AsyncGenerator<RowsPage<UrlRecord>> {
  return pages<UrlRecord>(extent, {
    ...options,
    bound: editions[client.edition].groupBound,
    isDistinct: true,
    keyOf: recordText,
    read: async (window, signal) => {
      const { urls, page } = await client.send('listUrls', { query: { ...selection, ...window } }, { signal });
      return { rows: urls, total: page?.total_count };
    },
  });
}

/** Pages through GET /log, newest first. Two entries can be alike; so alike ones are left out only where rows moved. */
export function logPages(client: Client, extent: Extent = {}, options: PagingOptions = {}): AsyncGenerator<RowsPage<LogEntry>> {
  return pages<LogEntry>(extent, {
    ...options,
    bound: editions[client.edition].groupBound,
    isDistinct: false,
    keyOf: ({ time, type, message, links }) => JSON.stringify([time, type, message, links]),
    read: async (window, signal) => {
      const { log, page } = await client.send('listLog', { query: window }, { signal });
      return { rows: log, total: page?.total_count };
    },
  });
}

interface Window {
  readonly offset?: number;
  readonly limit?: number;
}

interface Source<T> extends PagingOptions {
  readonly bound: number;
  /** Whether two rows with the same key are always the same row. */
  readonly isDistinct: boolean;
  keyOf(row: T): string;
  /** One page as served; `total` can be anything. */
  read(window: Window, signal: AbortSignal): Promise<{ readonly rows: readonly T[]; readonly total: unknown }>;
}

/** Reads ahead by one page from the second page on: whoever wants only the first rows causes one call (B20). */
async function* pages<T>(extent: Extent, source: Source<T>): AsyncGenerator<RowsPage<T>> {
  const stop = new AbortController();
  const visited = visitPages(extent, source, stop.signal);
  let ahead: Promise<IteratorResult<RowsPage<T>>> | undefined;
  try {
    for (let isFirst = true; ; isFirst = false) {
      const next = await (ahead ?? visited.next());
      if (next.done) return;
      ahead = isFirst ? undefined : visited.next();
      // A failure of the page ahead is told when its turn comes.
      ahead?.catch(() => {});
      yield next.value;
    }
  } finally {
    stop.abort();
  }
}

async function* visitPages<T>(extent: Extent, source: Source<T>, signal: AbortSignal): AsyncGenerator<RowsPage<T>> {
  const seen = new SeenKeys();
  const stall = createStall();
  const isOneBatch = extent.limit === undefined && !extent.all;
  const first = extent.offset ?? 0;
  let wanted = extent.limit ?? Number.POSITIVE_INFINITY;
  let total: number | undefined;
  for (let offset = first; wanted > 0; ) {
    const size = isOneBatch ? extent.pageSize : Math.min(extent.pageSize ?? source.bound, wanted);
    const answer = await source.read({ ...(offset > 0 && { offset }), ...(size !== undefined && { limit: size }) }, signal);
    const { rows } = answer;
    const end = offset + rows.length;
    // Behind rows that were read, a total of none only says that this page is empty.
    const least = rows.length > 0 ? end : Math.min(1, offset - first);
    const reported = source.untilEmpty ? undefined : totalOf(answer.total, least);
    const shift = reported === undefined || total === undefined ? 0 : reported - total;
    total = reported ?? (total !== undefined && rows.length > 0 && total < end ? undefined : total);
    const unseen = rows.filter((row) => seen.add(source.keyOf(row)));
    const fresh = source.isDistinct || shift !== 0 || unseen.length === 0 ? unseen : rows;
    if (rows.length > 0 && stall.isStuck(unseen.length, shift, rows.length)) {
      source.warn?.('the server sends the same rows again and again: the listing ends here and may be incomplete');
      return;
    }
    const taken = fresh.length > wanted ? fresh.slice(0, wanted) : fresh;
    wanted -= taken.length;
    // Rows that were deleted moved those behind them up, out of the next window: as many are read again.
    const next = shift < 0 ? Math.max(first, offset + shift) : end;
    const isLast = total !== undefined && next >= total && !(offset === 0 && mayBeCut(rows.length, size));
    const isEnd = shift >= 0 ? rows.length === 0 || isLast : next >= end;
    if (taken.length > 0 || isEnd) yield { rows: taken, total };
    if (isOneBatch || isEnd) return;
    offset = next;
  }
}

/** How many rows there are, where the server says something that can be true. */
function totalOf(total: unknown, read: number): number | undefined {
  return Number.isSafeInteger(total) && Number(total) >= read ? Number(total) : undefined;
}

/**
 * Whether a first page that is all there is may have been cut instead, by a server whose total is the length of the page (D13): it is
 * as long as was asked for, or as long as somebody sets a bound to. Then the next page is asked for.
 */
function mayBeCut(length: number, asked: number | undefined): boolean {
  return length > 0 && (length === asked || length % 5 === 0);
}

/** Pages without a new row are what a server sends that ignores `offset` (F43), unless as many rows moved. */
function createStall(): { isStuck(unseen: number, shift: number, size: number): boolean } {
  const mostPages = 1000;
  let barren = 0;
  let explained = 0;
  return {
    isStuck: (unseen, shift, size) => {
      if (unseen > 0) barren = 0;
      else barren += 1;
      if (unseen > 0 && shift === 0) explained = 0;
      if (shift !== 0) explained = Math.min(mostPages, explained + Math.ceil(Math.abs(shift) / size) + 1);
      return barren > explained;
    },
  };
}
