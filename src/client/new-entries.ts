import type { LogEntry } from '../contract/records.ts';
import type { Client } from './client.ts';
import { entryKey, logPages } from './pages.ts';

/** The log as it grows. Entries come newest first, as the server has them. */
interface NewEntries {
  /** The newest entries, read page by page until there are enough. */
  first(isEnough: (page: readonly LogEntry[]) => boolean): Promise<LogEntry[]>;
  /** Entries that are new since the last reading. */
  next(): Promise<LogEntry[]>;
}

/** Entries of one page; more are read where all of them are new. */
const pageSize = 100;

/**
 * Follows GET /log. An entry is known by its time, type, message and links: two that agree in all of them are one. Entries
 * older than those of the last reading are not new, even if they were not seen: they appear when newer ones are deleted.
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
