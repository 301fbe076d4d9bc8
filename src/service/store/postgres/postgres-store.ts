import { randomUUID } from 'node:crypto';
import { DomainList } from '../domain-list.ts';
import {
  type AccountRows,
  addToTally,
  claimAddress,
  listDomains,
  lockAccount,
  openAccount,
  openDomains,
  readUsage,
  releaseAddress,
  servedAddresses,
} from '../rows/account-rows.ts';
import { clicksOfDays, countClick, findTarget, forgetFlushes, forgetVisitors, recordClicks } from '../rows/click-rows.ts';
import { createUrls } from '../rows/creations.ts';
import { hashesOfEdits } from '../rows/edit-plan.ts';
import { editTagged, editUrls } from '../rows/edits.ts';
import { deleteUrls, resetStats } from '../rows/groups.ts';
import { listUrls } from '../rows/listing.ts';
import { appendLog, listLog } from '../rows/log-rows.ts';
import type { Queries } from '../rows/queries.ts';
import { addTag, deleteTag, listTags, renameTag } from '../rows/tag-rows.ts';
import { findUrls } from '../rows/url-rows.ts';
import type { Note, Store, StoredDomain } from '../store.ts';
import { StoreFailure } from '../store-errors.ts';
import type { StoreOptions } from '../store-options.ts';
import { callsOfDay } from '../tallies.ts';
import { OutcomeUnknown } from './database-errors.ts';
import { clientConfigs, type DatabaseUrl } from './database-url.ts';
import { type Imported, importFolder, refuseHalfImported } from './import.ts';
import { connector } from './pipelined-connection.ts';
import { Database } from './postgres-database.ts';
import { checkVersion, createSchema } from './schema.ts';
import { TargetCache } from './target-cache.ts';

interface PostgresOptions extends StoreOptions {
  readonly databaseUrl: DatabaseUrl;
  /** The folder of a SQLite store to import first. */
  readonly importFrom?: string | undefined;
  readonly onImported?: ((imported: Imported) => void) | undefined;
}

/** A store in a PostgreSQL database that several processes may share. Rejects with `StoreFailure`. */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  try {
    const { Client } = await importDriver();
    const database = new Database(connector(Client, clientConfigs(options.databaseUrl)));
    return await prepare(database, options).catch(async (error: unknown) => {
      await database.close();
      throw error;
    });
  } catch (error) {
    throw new StoreFailure(error);
  }
}

/** Prepares the tables, the import, the account and its domains. */
async function prepare(database: Database, options: PostgresOptions): Promise<Store> {
  const process = randomUUID();
  await database.migrate((queries) => createSchema(queries, process, options.now()));
  if (options.importFrom !== undefined) {
    const imported = await importFolder(database, options.importFrom, options);
    options.onImported?.(imported);
  }
  const account = await database.query((queries) => openAccount(queries, options));
  await database.query((queries) => refuseHalfImported(queries, account.accountId));
  await database.write(async (queries) => {
    const rows = { queries, accountId: account.accountId };
    await lockAccount(rows);
    await openDomains(rows, options);
    await forgetFlushes(rows);
  });
  const domains = new DomainList(() => database.query((queries) => listDomains({ queries, accountId: account.accountId })));
  await domains.renewed();
  const { now, random } = options;
  return postgresStore(database, process, domains, (queries) => ({ queries, ...account, domains, now, random }));
}

async function importDriver(): Promise<typeof import('pg')> {
  try {
    return await import('pg');
  } catch (cause) {
    throw new Error('cannot load the PostgreSQL driver: install the optional package pg', { cause });
  }
}

type Work<T> = (rows: AccountRows) => Promise<T>;

function postgresStore(
  database: Database,
  process: string,
  domains: DomainList,
  rowsOf: (queries: Queries) => AccountRows,
): Store {
  const targets = new TargetCache();
  let hasClaim = false;
  const query = <T>(work: Work<T>) => database.query((queries) => work(rowsOf(queries)));
  const read = <T>(work: Work<T>) => database.read((queries) => work(rowsOf(queries)));
  const view = <T>(work: Work<T>) => database.view((queries) => work(rowsOf(queries)));
  /** One transaction, including the log entry. */
  const write = <T>(work: Work<T>, note?: Note<T>) =>
    database.write(async (queries) => {
      const rows = rowsOf(queries);
      // Locks the account and checks the schema version before anything is read.
      await lockAccount(rows);
      const result = await work(rows);
      const entry = note?.(result);
      if (entry) await appendLog(rows, entry);
      return result;
    });
  /** For changes of destinations and for deletions. */
  const retarget = async <T>(work: Work<T>, note?: Note<T>, changed?: { domain: StoredDomain; hashes: readonly string[] }) => {
    const forget = () => targets.invalidate(changed?.domain, changed?.hashes);
    try {
      const result = await write(work, note);
      forget();
      return result;
    } catch (error) {
      if (error instanceof OutcomeUnknown) forget();
      throw error;
    }
  };
  return {
    listDomains: () => domains.list(),
    ping: () => database.queryForCalls(checkVersion),
    claimAddress: async (address) => {
      hasClaim = true;
      return write((rows) => claimAddress(rows, process, address));
    },
    servedAddresses: () => read(servedAddresses),

    // At worst counted twice, if the connection is lost.
    addCalls: (time, amount, limit) =>
      database.queryForCalls((queries) => addToTally(rowsOf(queries), callsOfDay(time), amount, limit)),
    usage: () => view(readUsage),

    createUrls: (batch, rules, note) => write((rows) => createUrls(rows, batch, rules), note),
    findUrls: (domain, hashes) => read((rows) => findUrls(rows, domain, hashes)),
    findStats: (domain, hash) =>
      view(async (rows) => {
        const [url] = await findUrls(rows, domain, [hash]);
        return url && { url, days: await clicksOfDays(rows, url.id) };
      }),
    listUrls: (query) => read((rows) => listUrls(rows, query)),
    editUrls: (domain, edits, note) =>
      retarget((rows) => editUrls(rows, domain, edits), note, { domain, hashes: hashesOfEdits(edits) }),
    editTagged: (expression, changes, note) => retarget((rows) => editTagged(rows, expression, changes), note),
    deleteUrls: (selection, note) =>
      retarget((rows) => deleteUrls(rows, selection), note, selection.kind === 'hashes' ? selection : undefined),
    resetStats: (selection, note) => write((rows) => resetStats(rows, selection), note),

    listTags: () => read(listTags),
    addTag: (label, note) => write((rows) => addTag(rows, label), note),
    renameTag: (label, newLabel, note) => write((rows) => renameTag(rows, label, newLabel), note),
    deleteTag: (label, note) => write((rows) => deleteTag(rows, label), note),

    listLog: (offset, limit) => view((rows) => listLog(rows, offset, limit)),

    findTarget: (domain, hash) => targets.find(domain, hash, () => query((rows) => findTarget(rows, domain, hash))),
    recordClicks: (clicks, number) =>
      database.writeClicks((queries) =>
        recordClicks(rowsOf(queries), clicks, number === undefined ? undefined : { process, number }),
      ),
    countClick: (urlId) => database.queryOnce((queries) => countClick(rowsOf(queries), urlId)),
    forgetVisitors: (day, after) => read((rows) => forgetVisitors(rows, day, after)),

    close: async () => {
      if (hasClaim) await write((rows) => releaseAddress(rows, process)).catch(() => {});
      await database.close();
    },
  };
}
