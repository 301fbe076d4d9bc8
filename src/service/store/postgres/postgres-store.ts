import { randomUUID } from 'node:crypto';
import { ReadCache } from '../read-cache.ts';
import {
  type AccountRows,
  addCalls,
  claimAddress,
  listAccounts,
  listDomains,
  openAt,
  releaseAddress,
  servedAddresses,
} from '../rows/account-rows.ts';
import { accountStore, type Effects, type Work } from '../rows/account-store.ts';
import { countClick, findTargets, forgetVisitors, recordClicks, type Visited } from '../rows/click-rows.ts';
import type { Queries } from '../rows/queries.ts';
import type { Store, StoredDomain, Target } from '../store.ts';
import { ImportRefusal, StoreFailure, type StoreOptions } from '../store-options.ts';
import { batched } from './batched.ts';
import { OutcomeUnknown } from './database-errors.ts';
import { clientConfigs, type DatabaseUrl } from './database-url.ts';
import { type ImportOptions, importFolder } from './import.ts';
import { connector } from './pipelined-connection.ts';
import {
  type Account,
  forgetGroups,
  isNewGroup,
  lockAccount,
  lockForImport,
  openAccount,
  wholeAccount,
} from './postgres-account.ts';
import { Database } from './postgres-database.ts';
import { checkVersion, createSchema } from './schema.ts';
import { plannerStatistics } from './statistics.ts';

interface PostgresOptions extends StoreOptions, ImportOptions {
  readonly databaseUrl: DatabaseUrl;
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

/** Prepares the tables and the account. */
async function prepare(database: Database, options: PostgresOptions): Promise<Store> {
  const process = randomUUID();
  await database.query((queries) => createSchema(queries, process, options.now()), 'schema');
  const stored = await database.query((queries) => openAccount(queries, options));
  const cache = new ReadCache<readonly StoredDomain[]>();
  const { accountId } = stored;
  const readDomains = () => database.query((queries) => listDomains({ queries: wholeAccount(queries, accountId), accountId }));
  const domains = { list: () => cache.find('', readDomains), renewed: () => cache.renewed('', readDomains) };
  return postgresStore(database, { ...stored, process, domains }, options);
}

async function importDriver(): Promise<typeof import('pg')> {
  try {
    return await import('pg');
  } catch (cause) {
    throw new Error('cannot load the PostgreSQL driver: install the optional package pg', { cause });
  }
}

function postgresStore(
  database: Database,
  account: Account & Pick<AccountRows, 'process' | 'domains'>,
  options: PostgresOptions,
): Store {
  const { now, random } = options;
  const rowsOf = (queries: Queries): AccountRows => ({ queries, ...account, now, random });
  // Targets with a click limit are never cached, since every click changes them, nor unknown links, which may have just been created.
  const targets = new ReadCache<Target | undefined>((target) => target?.maxClicks === 0);
  const wholeRowsOf = (queries: Queries) => rowsOf(wholeAccount(queries, account.accountId));
  const readTarget = batched((visited: readonly Visited[]) =>
    database.query((queries) => findTargets(wholeRowsOf(queries), visited)),
  );
  const keysOf = (domain: StoredDomain, hashes: readonly string[]) => hashes.map((hash) => `${domain.id}/${hash}`);
  const read = <T>(work: Work<T>) => database.read((queries) => work(wholeRowsOf(queries)));
  const write = <T>(work: Work<T>) =>
    database.write(async (queries) => {
      // Locks the account and checks the schema version before anything is read.
      await lockAccount(queries, account);
      return work(rowsOf(queries));
    });
  /** An import does not move addresses, and may take longer than their lease. */
  const writeAddress = <T>(work: Work<T>) =>
    database.write(async (queries) => {
      await lockForImport(rowsOf(queries));
      return work(rowsOf(queries));
    });
  const claim = (address: string) => writeAddress((rows) => claimAddress(rows, address));
  const open = async (address: string | undefined): Promise<string | undefined> => {
    const { importFrom, onImported } = options;
    if (importFrom !== undefined) {
      const other = address === undefined ? undefined : await claim(address);
      if (other !== undefined) return other;
      const imported = await importFolder(database, importFrom, options);
      onImported?.(imported);
    }
    const other = await write(async (rows) => {
      await forgetGroups(rows);
      return openAt(rows, address, options);
    });
    await account.domains.renewed();
    return other;
  };
  const recordAdded = plannerStatistics(database);
  const change = async <T>(work: Work<T>, { retargeted, added = 0 }: Effects): Promise<T> => {
    const forget = () => {
      if (retargeted) targets.forget(retargeted === 'any' ? undefined : keysOf(retargeted.domain, retargeted.hashes));
    };
    try {
      const result = await write(work);
      forget();
      recordAdded(added);
      return result;
    } catch (error) {
      if (error instanceof OutcomeUnknown) forget();
      throw error;
    }
  };
  return {
    ...accountStore({ read, change }),
    open: (address) =>
      open(address).catch((error: unknown) => {
        throw error instanceof ImportRefusal ? error : new StoreFailure(error);
      }),
    listDomains: () => account.domains.list(),
    listAccounts: () => database.read((queries) => listAccounts(queries, 'a.edition')),
    // Addresses are not imported, and an import needs them.
    servedAddresses: () => database.read((queries) => servedAddresses(rowsOf(queries))),
    ping: () => database.query((queries) => checkVersion(wholeAccount(queries, account.accountId)), 'health'),
    claimAddress: claim,
    // Without it, the registration ends by itself.
    releaseAddress: () => writeAddress(releaseAddress).catch(() => {}),
    addCalls: (day, amount, limit) => {
      const add = (queries: Queries) => addCalls(rowsOf(queries), day, amount, limit);
      // At worst counted twice, if the connection is lost.
      if (amount >= 0) return database.query(add, 'calls');
      return database.queryOnce(add, 'calls').catch((error: unknown) => {
        if (error instanceof OutcomeUnknown) return undefined;
        throw error;
      });
    },
    findTarget: (domain, hash) => targets.find(`${domain.id}/${hash}`, () => readTarget({ domain, hash })),
    recordClicks: (clicks, group) =>
      database.writeClicks(async (queries) => {
        if (await isNewGroup(queries, account, group)) await recordClicks(rowsOf(queries), clicks);
      }),
    countClick: (urlId) => database.queryOnce((queries) => countClick(rowsOf(queries), urlId), 'limits'),
    forgetVisitors: (day, after) => read((rows) => forgetVisitors(rows, day, after)),
    close: () => database.close(),
  };
}
