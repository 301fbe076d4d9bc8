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
  { send, edition }: Client,
  selection: ListSelection,
  extent: Extent = {},
  options: PagingOptions = {},
): AsyncGenerator<RowsPage<UrlRecord>> {
  const bound = editions[edition].groupBound;
  return pages<UrlRecord>(extent, { ...options, bound, isDistinct: true, keyOf: recordText }, async (window, signal) => {
    const { urls, page } = await send('listUrls', { query: { ...selection, ...window } }, { signal });
    return { rows: urls, total: page?.total_count };
  });
}

/** Two log entries can be equal, so equal entries are dropped only if rows have moved. */
export function logPages(
  { send, edition }: Client,
  extent: Extent = {},
  options: PagingOptions = {},
): AsyncGenerator<RowsPage<LogEntry>> {
  const bound = editions[edition].groupBound;
  return pages<LogEntry>(extent, { ...options, bound, isDistinct: false, keyOf: entryKey }, async (window, signal) => {
    const { log, page } = await send('listLog', { query: window }, { signal });
    return { rows: log, total: page?.total_count };
  });
}

export function entryKey({ time, type, message, links }: LogEntry): string {
  return JSON.stringify([time, type, message, links]);
}

/** Reads one page ahead, but only from the second page on: a caller that needs only the first page costs one call. */
async function* pages<T>(
  extent: Extent,
  options: CursorOptions<T>,
  read: (window: Window, signal: AbortSignal) => Promise<ServedPage<T>>,
): AsyncGenerator<RowsPage<T>> {
  const cursor = new PageCursor(extent, options);
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
