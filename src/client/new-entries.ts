import type { LogEntry } from '../contract/records.ts';
import type { Client } from './client.ts';
import { entryKey, logPages } from './pages.ts';

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
 * not new: they move up when newer ones are deleted.
 */
export function newEntries(client: Client): NewEntries {
  let known: ReadonlySet<string> = new Set();
  let horizon = '';

  const read = async (isEnough: (page: readonly LogEntry[]) => boolean): Promise<LogEntry[]> => {
    const entries = new Map<string, LogEntry>();
    let isWhole = true;
    for await (const { rows } of logPages(client, { all: true, pageSize })) {
      for (const entry of rows) entries.set(entryKey(entry), entry);
      isWhole = !isEnough(rows);
      if (!isWhole) break;
    }
    const fresh = [...entries].filter(([key, { time }]) => !known.has(key) && !(time < horizon)).map(([, entry]) => entry);
    known = new Set(entries.keys());
    horizon = isWhole ? '' : ([...entries.values()].at(-1)?.time ?? '');
    return fresh;
  };

  return {
    first: read,
    next: () => read((page) => page.some((entry) => known.has(entryKey(entry)))),
  };
}
