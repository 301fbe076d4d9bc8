import type { StoreOptions } from '../options.ts';
import type { Store } from '../store.ts';
import { callsOfDay } from '../tallies.ts';
import {
  type AccountRows,
  addToTally,
  listDomains,
  openAccount,
  openDomains,
  readUsage,
  renameLocalDomain,
} from './account-rows.ts';
import { clicksOfDays, countClick, findTarget, recordClicks } from './click-rows.ts';
import { fileOf, openConnection } from './connection.ts';
import { createUrls } from './creations.ts';
import { editTagged, editUrls } from './edits.ts';
import { deleteUrls, resetStats } from './groups.ts';
import { listUrls } from './listing.ts';
import { appendLog, listLog } from './log-rows.ts';
import { createSchema } from './schema.ts';
import { addTag, deleteTag, listTags, renameTag } from './tag-rows.ts';
import { findIds, readUrls } from './url-rows.ts';

interface SqliteOptions extends StoreOptions {
  /** Where the file lies, one for each edition; in memory without it. */
  readonly directory: string | undefined;
}

/** The store in an SQLite file that several processes may use at once. */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const connection = await openConnection(options.directory, fileOf(options.edition));
  try {
    createSchema(connection);
    const rows = openAccount(connection, options.username, { now: options.now, random: options.random });
    openDomains(rows, options);
    return sqliteStore(rows);
  } catch (error) {
    connection.close();
    throw error;
  }
}

function sqliteStore(rows: AccountRows): Store {
  const { connection } = rows;
  return {
    listDomains: async () => listDomains(rows),
    renameLocalDomain: async (name) => connection.write(() => renameLocalDomain(rows, name)),

    countCall: async (limit) => connection.write(() => addToTally(rows, callsOfDay(rows.now()), 1, limit)),
    usage: async () => connection.read(() => readUsage(rows)),

    createUrls: async (batch, rules) => connection.write(() => createUrls(rows, batch, rules)),
    findUrls: async (domain, hashes) =>
      connection.read(() => {
        const ids = findIds(rows, domain, hashes);
        return readUrls(
          rows,
          hashes.flatMap((hash) => ids.get(hash) ?? []),
        );
      }),
    findStats: async (domain, hash) =>
      connection.read(() => {
        const [url] = readUrls(rows, [...findIds(rows, domain, [hash]).values()]);
        return url && { url, days: clicksOfDays(rows, url.id) };
      }),
    listUrls: async (query) => connection.read(() => listUrls(rows, query)),
    editUrls: async (domain, edits) => connection.write(() => editUrls(rows, domain, edits)),
    editTagged: async (expression, changes) => connection.write(() => editTagged(rows, expression, changes)),
    deleteUrls: async (selection) => connection.write(() => deleteUrls(rows, selection)),
    resetStats: async (selection) => connection.write(() => resetStats(rows, selection)),

    listTags: async () => listTags(rows),
    addTag: async (label) => connection.write(() => addTag(rows, label)),
    renameTag: async (label, newLabel) => connection.write(() => renameTag(rows, label, newLabel)),
    deleteTag: async (label) => connection.write(() => deleteTag(rows, label)),

    appendLog: async (entry) => connection.write(() => appendLog(rows, entry)),
    listLog: async (offset, limit) => connection.read(() => listLog(rows, offset, limit)),

    findTarget: async (domain, hash) => connection.lookUp(() => findTarget(rows, domain, hash)),
    recordClicks: async (clicks) => connection.write(() => recordClicks(rows, clicks)),

    countClick: async (urlId) => connection.write(() => countClick(rows, urlId)),

    close: async () => connection.close(),
  };
}
