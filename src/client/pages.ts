import { calendarTime } from '../contract/calendar-time.ts';
import { editions } from '../contract/editions.ts';
import { recordText } from '../contract/link.ts';
import type { OperationInput } from '../contract/operations.ts';
import type { LogEntry, UrlRecord } from '../contract/records.ts';
import type { Client } from './client.ts';
import {
  type CursorOptions,
  type Extent,
  PageCursor,
  type PagingOptions,
  type RowsPage,
  type ServedPage,
  type Window,
} from './page-cursor.ts';

export type ListSelection = Omit<NonNullable<OperationInput<'listUrls'>['query']>, 'offset' | 'limit'>;

/** Rows that move during the reading come once (by domain and hash), and rows that moved up after a deletion are read again. */
export function urlPages(
  client: Client,
  selection: ListSelection,
  extent: Extent = {},
  options: PagingOptions = {},
): AsyncGenerator<RowsPage<UrlRecord>> {
  return pages<UrlRecord>(client, extent, { ...options, isDistinct: true, keyOf: recordText }, async (window, signal) => {
    const { urls, page } = await client.send('listUrls', { query: { ...selection, ...window } }, { signal });
    return { rows: urls, page };
  });
}

/** Two log entries can be equal, so equal entries are dropped only if rows have moved. */
export function logPages(client: Client, extent: Extent = {}, options: PagingOptions = {}): AsyncGenerator<RowsPage<LogEntry>> {
  return pages<LogEntry>(client, extent, { ...options, isDistinct: false, keyOf: entryKey }, async (window, signal) => {
    const { log, page } = await client.send('listLog', { query: window }, { signal });
    return { rows: log, page };
  });
}

function entryKey({ time, type, message, links }: LogEntry): string {
  return JSON.stringify([time, type, message, links]);
}

/** Reads one page ahead, but only from the second page on: a caller that needs only the first page costs one call. */
async function* pages<T>(
  { edition }: Client,
  extent: Extent,
  options: Omit<CursorOptions<T>, 'bound'>,
  read: (window: Window, signal: AbortSignal) => Promise<ServedPage<T>>,
): AsyncGenerator<RowsPage<T>> {
  const cursor = new PageCursor(extent, { ...options, bound: editions[edition].groupBound });
  const stop = new AbortController();
  let ahead: Promise<ServedPage<T>> | undefined;
  try {
    for (let isFirst = true; cursor.window; isFirst = false) {
      const page = cursor.take(await (ahead ?? read(cursor.window, stop.signal)));
      ahead = cursor.window && !isFirst ? read(cursor.window, stop.signal) : undefined;
      // A failure is reported when this page is needed.
      ahead?.catch(() => {});
      if (page) yield page;
    }
  } finally {
    stop.abort();
  }
}

/** `since` is in milliseconds since 1970. False if the time of the entry cannot be read. */
export function isBefore({ time }: LogEntry, since: number): boolean {
  return (calendarTime(time) ?? Number.POSITIVE_INFINITY) < since;
}

/** Entries come newest first. */
interface NewEntries {
  /** Reads pages until `isEnough` returns true. */
  first(isEnough: (page: readonly LogEntry[]) => boolean): Promise<LogEntry[]>;
  /** Returns entries that were added since the previous call. */
  next(): Promise<LogEntry[]>;
}

/** If all entries of a page are new, more pages are read. */
const pageSize = 100;

/**
 * Log entries have no ID: two entries are the same if time, type, message and links are equal. Entries older than the previous reading are
 * not new: they move up when newer ones are deleted. An entry whose time cannot be read may be new.
 */
export function newEntries(client: Client): NewEntries {
  let known: ReadonlySet<string> = new Set();
  let horizon = Number.NEGATIVE_INFINITY;

  const read = async (isEnough: (page: readonly LogEntry[]) => boolean): Promise<LogEntry[]> => {
    const entries = new Map<string, LogEntry>();
    let isWhole = true;
    for await (const { rows } of logPages(client, { all: true, pageSize })) {
      for (const entry of rows) entries.set(entryKey(entry), entry);
      isWhole = !isEnough(rows);
      if (!isWhole) break;
    }
    const fresh = [...entries].filter(([key, entry]) => !known.has(key) && !isBefore(entry, horizon)).map(([, entry]) => entry);
    known = new Set(entries.keys());
    const times = [...entries.values()].map(({ time }) => calendarTime(time));
    horizon = (isWhole ? undefined : times.findLast((time) => time !== undefined)) ?? Number.NEGATIVE_INFINITY;
    return fresh;
  };

  return {
    first: read,
    next: () => read((page) => page.some((entry) => known.has(entryKey(entry)))),
  };
}
