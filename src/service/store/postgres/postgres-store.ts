import { randomUUID } from 'node:crypto';
import type { StoreOptions } from '../options.ts';
import type { Store } from '../store.ts';
import { StoreFailure } from '../store-failure.ts';
import { callsOfDay } from '../tallies.ts';
import {
  type AccountRows,
  addToTally,
  listDomains,
  lockAccount,
  openAccount,
  openDomains,
  readUsage,
  renameLocalDomain,
} from './account-rows.ts';
import { clientConfig, type Place } from './address.ts';
import { clicksOfDays, countClick, findTarget, recordClicks } from './click-rows.ts';
import { createUrls } from './creations.ts';
import { Database } from './database.ts';
import { editTagged, editUrls } from './edits.ts';
import { OutcomeUnknown } from './failures.ts';
import { deleteUrls, resetStats } from './groups.ts';
import { type Imported, importFolder, refuseHalfImported } from './import.ts';
import { connector } from './line.ts';
import { listUrls } from './listing.ts';
import { appendLog, listLog } from './log-rows.ts';
import type { Queries } from './queries.ts';
import { createSchema } from './schema.ts';
import { addTag, deleteTag, listTags, renameTag } from './tag-rows.ts';
import { TargetCache } from './target-cache.ts';
import { findIds, readUrls } from './url-rows.ts';

interface PostgresOptions extends StoreOptions {
  readonly place: Place;
  /** The folder of a SQLite store that is moved here first. */
  readonly importFrom?: string | undefined;
  /** What was moved. */
  readonly onImported?: ((imported: Imported) => void) | undefined;
}

/** The store in a PostgreSQL database that several processes may use at once. Rejects with `StoreFailure`. */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  try {
    const { Client } = await importDriver();
    const database = new Database(connector(Client, clientConfig(options.place)));
    return await prepare(database, options).catch(async (error: unknown) => {
      await database.close();
      throw error;
    });
  } catch (error) {
    throw new StoreFailure(error);
  }
}

/** Tables, what is to be imported, the account and its domains. */
async function prepare(database: Database, options: PostgresOptions): Promise<Store> {
  await database.setUp((queries) => createSchema(queries, randomUUID()));
  if (options.importFrom !== undefined) {
    const imported = await importFolder(database, options.importFrom, options);
    options.onImported?.(imported);
  }
  const account = await database.lookUp((queries) => openAccount(queries, options));
  await database.lookUp((queries) => refuseHalfImported(queries, account.accountId));
  const rowsOf = (queries: Queries): AccountRows => ({ queries, ...account, now: options.now, random: options.random });
  await database.write(async (queries) => {
    await lockAccount(rowsOf(queries));
    await openDomains(rowsOf(queries), options);
  });
  return postgresStore(database, rowsOf);
}

async function importDriver(): Promise<typeof import('pg')> {
  try {
    return await import('pg');
  } catch (cause) {
    throw new Error('cannot load the PostgreSQL driver: install the optional package pg', { cause });
  }
}

type Work<T> = (rows: AccountRows) => Promise<T>;

function postgresStore(database: Database, rowsOf: (queries: Queries) => AccountRows): Store {
  const targets = new TargetCache();
  const lookUp = <T>(work: Work<T>) => database.lookUp((queries) => work(rowsOf(queries)));
  const read = <T>(work: Work<T>) => database.read((queries) => work(rowsOf(queries)));
  const write = <T>(work: Work<T>) =>
    database.write(async (queries) => {
      const rows = rowsOf(queries);
      await lockAccount(rows);
      return work(rows);
    });
  /** For what changes where links lead, or takes links away. */
  const retarget = async <T>(work: Work<T>) => {
    try {
      const result = await write(work);
      targets.change();
      return result;
    } catch (error) {
      if (error instanceof OutcomeUnknown) targets.change();
      throw error;
    }
  };
  return {
    listDomains: () => lookUp(listDomains),
    renameLocalDomain: (name) => write((rows) => renameLocalDomain(rows, name)),

    // Counted twice at worst, where the connection is lost.
    countCall: (limit) => lookUp((rows) => addToTally(rows, callsOfDay(rows.now()), 1, limit)),
    usage: () => read(readUsage),

    createUrls: (batch, rules) => write((rows) => createUrls(rows, batch, rules)),
    findUrls: (domain, hashes) =>
      read(async (rows) => {
        const ids = await findIds(rows, domain, hashes);
        return readUrls(
          rows,
          hashes.flatMap((hash) => ids.get(hash) ?? []),
        );
      }),
    findStats: (domain, hash) =>
      read(async (rows) => {
        const [url] = await readUrls(rows, [...(await findIds(rows, domain, [hash])).values()]);
        return url && { url, days: await clicksOfDays(rows, url.id) };
      }),
    listUrls: (query) => read((rows) => listUrls(rows, query)),
    editUrls: (domain, edits) => retarget((rows) => editUrls(rows, domain, edits)),
    editTagged: (expression, changes) => retarget((rows) => editTagged(rows, expression, changes)),
    deleteUrls: (selection) => retarget((rows) => deleteUrls(rows, selection)),
    resetStats: (selection) => retarget((rows) => resetStats(rows, selection)),

    listTags: () => lookUp(listTags),
    addTag: (label) => write((rows) => addTag(rows, label)),
    renameTag: (label, newLabel) => write((rows) => renameTag(rows, label, newLabel)),
    deleteTag: (label) => write((rows) => deleteTag(rows, label)),

    appendLog: (entry) => write((rows) => appendLog(rows, entry)),
    listLog: (offset, limit) => read((rows) => listLog(rows, offset, limit)),

    findTarget: (domain, hash) => targets.find(domain, hash, () => lookUp((rows) => findTarget(rows, domain, hash))),
    recordClicks: (clicks) => database.writeClicks((queries) => recordClicks(rowsOf(queries), clicks)),
    countClick: (urlId) => database.once((queries) => countClick(rowsOf(queries), urlId)),

    close: () => database.close(),
  };
}
