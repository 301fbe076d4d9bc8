import { randomUUID } from 'node:crypto';
import { openConnection } from '../../../files/sqlite.ts';
import { DomainList } from '../domain-list.ts';
import type { Note, Store } from '../store.ts';
import type { StoreOptions } from '../store-options.ts';
import { callsOfDay } from '../tallies.ts';
import {
  type AccountRows,
  addToTally,
  claimAddress,
  listDomains,
  openAccount,
  openDomains,
  readUsage,
  releaseAddress,
  servedAddresses,
} from './account-rows.ts';
import { clicksOfDays, countClick, findTarget, forgetVisitors, recordClicks } from './click-rows.ts';
import { createUrls } from './creations.ts';
import { editTagged, editUrls } from './edits.ts';
import { deleteUrls, resetStats } from './groups.ts';
import { listUrls } from './listing.ts';
import { appendLog, listLog } from './log-rows.ts';
import { checkVersion, createSchema, fileOf } from './schema.ts';
import { addTag, deleteTag, listTags, renameTag } from './tag-rows.ts';
import { findIds, readUrls } from './url-rows.ts';

interface SqliteOptions extends StoreOptions {
  /** The folder of the files, one per edition. Default: in memory. */
  readonly directory: string | undefined;
}

/** A store in a SQLite file that several processes may share. */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const connection = await openConnection(options.directory, fileOf(options.edition));
  try {
    createSchema(connection, options.now());
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
  const process = randomUUID();
  let hasClaim = false;
  const domains = new DomainList(async () => listDomains(rows));
  /** An API change is synced, together with its log entry, before it is answered. */
  const change = <T>(work: () => T, note?: Note<T>): T =>
    connection.write(() => {
      checkVersion(connection);
      const result = work();
      const entry = note?.(result);
      if (entry) appendLog(rows, entry);
      return result;
    });
  /** Counts may be lost in a power cut. */
  const count = <T>(work: () => T): T => connection.write(work, { isSynced: false });
  return {
    listDomains: () => domains.list(),
    ping: async () => checkVersion(connection),
    claimAddress: async (address) => {
      hasClaim = true;
      return count(() => claimAddress(rows, process, address));
    },
    servedAddresses: async () => servedAddresses(rows),

    addCalls: async (time, amount, limit) => count(() => addToTally(rows, callsOfDay(time), amount, limit)),
    usage: async () => connection.read(() => readUsage(rows)),

    createUrls: async (batch, rules, note) => change(() => createUrls(rows, batch, rules), note),
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
    editUrls: async (domain, edits, note) => change(() => editUrls(rows, domain, edits), note),
    editTagged: async (expression, changes, note) => change(() => editTagged(rows, expression, changes), note),
    deleteUrls: async (selection, note) => change(() => deleteUrls(rows, selection), note),
    resetStats: async (selection, note) => change(() => resetStats(rows, selection), note),

    listTags: async () => listTags(rows),
    addTag: async (label, note) => change(() => addTag(rows, label), note),
    renameTag: async (label, newLabel, note) => change(() => renameTag(rows, label, newLabel), note),
    deleteTag: async (label, note) => change(() => deleteTag(rows, label), note),

    listLog: async (offset, limit) => connection.read(() => listLog(rows, offset, limit)),

    findTarget: async (domain, hash) => connection.query(() => findTarget(rows, domain, hash)),
    recordClicks: async (clicks) => count(() => recordClicks(rows, clicks)),
    countClick: async (urlId) => count(() => countClick(rows, urlId)),
    forgetVisitors: async (day, after) => count(() => forgetVisitors(rows, day, after)),

    close: async () => {
      if (hasClaim) count(() => releaseAddress(rows, process));
      connection.close();
    },
  };
}
