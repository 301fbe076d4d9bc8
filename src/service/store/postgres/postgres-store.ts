import { randomUUID } from 'node:crypto';
import { DomainList } from '../domain-list.ts';
import { hashesOfEdits } from '../edit-plan.ts';
import type { Note, Store, StoredDomain } from '../store.ts';
import { StoreFailure } from '../store-errors.ts';
import type { StoreOptions } from '../store-options.ts';
import { callsOfDay } from '../tallies.ts';
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
} from './account-rows.ts';
import { clicksOfDays, countClick, findTarget, forgetFlushes, forgetVisitors, recordClicks } from './click-rows.ts';
import { createUrls } from './creations.ts';
import { OutcomeUnknown } from './database-errors.ts';
import { clientConfigs, type Place } from './database-url.ts';
import { editTagged, editUrls } from './edits.ts';
import { deleteUrls, resetStats } from './groups.ts';
import { type Imported, importFolder, refuseHalfImported } from './import.ts';
import { listUrls } from './listing.ts';
import { appendLog, listLog } from './log-rows.ts';
import { connector } from './pipelined-connection.ts';
import { Database } from './postgres-database.ts';
import type { Queries } from './queries.ts';
import { checkVersion, createSchema } from './schema.ts';
import { addTag, deleteTag, listTags, renameTag } from './tag-rows.ts';
import { TargetCache } from './target-cache.ts';
import { findUrls } from './url-rows.ts';

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
    const database = new Database(connector(Client, clientConfigs(options.place)));
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
  const process = randomUUID();
  await database.setUp((queries) => createSchema(queries, process, options.now()));
  if (options.importFrom !== undefined) {
    const imported = await importFolder(database, options.importFrom, options);
    options.onImported?.(imported);
  }
  const account = await database.lookUp((queries) => openAccount(queries, options));
  await database.lookUp((queries) => refuseHalfImported(queries, account.accountId));
  await database.write(async (queries) => {
    const rows = { queries, accountId: account.accountId };
    await lockAccount(rows);
    await openDomains(rows, options);
    await forgetFlushes(rows);
  });
  const domains = new DomainList(() => database.lookUp((queries) => listDomains({ queries, accountId: account.accountId })));
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
  const lookUp = <T>(work: Work<T>) => database.lookUp((queries) => work(rowsOf(queries)));
  const read = <T>(work: Work<T>) => database.read((queries) => work(rowsOf(queries)));
  const view = <T>(work: Work<T>) => database.view((queries) => work(rowsOf(queries)));
  /** One transaction, with what the log says of it. */
  const write = <T>(work: Work<T>, note?: Note<T>) =>
    database.write(async (queries) => {
      const rows = rowsOf(queries);
      // A lock that others wait for, and the right to go on: sent, and waited for, before anything is read.
      await lockAccount(rows);
      const result = await work(rows);
      const entry = note?.(result);
      if (entry) await appendLog(rows, entry);
      return result;
    });
  /** For what changes where links lead, or takes links away. */
  const retarget = async <T>(work: Work<T>, note?: Note<T>, changed?: { domain: StoredDomain; hashes: readonly string[] }) => {
    const forget = () => targets.change(changed?.domain, changed?.hashes);
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
    ping: () => database.ofCalls(checkVersion),
    claimAddress: async (address) => {
      hasClaim = true;
      return write((rows) => claimAddress(rows, process, address));
    },
    servedAddresses: () => read(servedAddresses),

    // Counted twice at worst, where the connection is lost.
    addCalls: (time, amount, limit) =>
      database.ofCalls((queries) => addToTally(rowsOf(queries), callsOfDay(time), amount, limit)),
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

    findTarget: (domain, hash) => targets.find(domain, hash, () => lookUp((rows) => findTarget(rows, domain, hash))),
    recordClicks: (clicks, number) =>
      database.writeClicks((queries) =>
        recordClicks(rowsOf(queries), clicks, number === undefined ? undefined : { process, number }),
      ),
    countClick: (urlId) => database.once((queries) => countClick(rowsOf(queries), urlId)),
    forgetVisitors: (day, after) => read((rows) => forgetVisitors(rows, day, after)),

    close: async () => {
      if (hasClaim) await write((rows) => releaseAddress(rows, process)).catch(() => {});
      await database.close();
    },
  };
}
