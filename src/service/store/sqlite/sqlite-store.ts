import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Connection, openConnection, retryWhileBusy } from '../../../files/sqlite.ts';
import { placeDomains } from '../domain-plan.ts';
import { createQueue } from '../queue.ts';
import { ReadCache } from '../read-cache.ts';
import {
  type AccountRows,
  addCalls,
  claimAddress,
  listAccounts,
  listDomains,
  openAt,
  releaseAddress,
} from '../rows/account-rows.ts';
import { accountStore, type Work } from '../rows/account-store.ts';
import { countClick, findTarget, forgetVisitors, recordClicks } from '../rows/click-rows.ts';
import type { ListedValue, Queries, Value } from '../rows/queries.ts';
import type { Store, StoredDomain } from '../store.ts';
import { newSalt, type StoreOptions, UnusableStore } from '../store-options.ts';
import { lockTime } from '../timeout.ts';
import { checkVersion, createSchema, fileOf, tryToStore } from './schema.ts';
import { sqliteDialect } from './sqlite-dialect.ts';

interface SqliteOptions extends StoreOptions {
  /** The folder of the files, one per edition. Default: in memory. */
  readonly directory: string | undefined;
}

/** A store in a SQLite file that several processes may share. */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const connection = await openConnection(options.directory, fileOf(options.edition));
  try {
    createSchema(connection, options.now());
    const rows = openAccount(connection, options);
    connection.neverWait();
    const account = { connection, rows, requireFile: fileCheck(options) };
    return sqliteStore(account, exclusiveRunner(account), options);
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Returned for the open files: throws if one is not in its place any more, because what is stored in it then is lost with it. */
function fileCheck({ directory, edition }: SqliteOptions): () => void {
  if (directory === undefined) return () => {};
  const idOf = (path: string): string | undefined => {
    const found = statSync(path, { throwIfNoEntry: false });
    return found && `${found.dev} ${found.ino}`;
  };
  const file = join(directory, fileOf(edition));
  // Without the second one, a disk has no memory that processes share.
  const opened = [file, `${file}-wal`].map((path) => ({ path, id: idOf(path) })).filter(({ id }) => id !== undefined);
  return () => {
    for (const { path, id } of opened) {
      if (idOf(path) === id) continue;
      throw new UnusableStore(`${path} was deleted or replaced: stop this process, put the links in place and start it again`);
    }
  };
}

/** Creates the account if it does not exist. */
function openAccount(connection: Connection, { username, now, random }: StoreOptions): AccountRows {
  const insert = 'INSERT INTO accounts (username, salt) VALUES (?, ?) ON CONFLICT DO NOTHING';
  if (!findAccount(connection, username)) connection.sql(insert).run(username, newSalt(random));
  const row = findAccount(connection, username);
  if (!row) throw new Error(`the account ${username} cannot be stored`);
  const queries = queriesOf(connection);
  const list = () => listDomains({ queries, accountId: row.id });
  return { queries, accountId: row.id, process: randomUUID(), salt: row.salt, domains: { list, renewed: list }, now, random };
}

export function findAccount(connection: Connection, username: string): { id: number; salt: string } | undefined {
  return connection.sql('SELECT id, salt FROM accounts WHERE username = ?').get(username);
}

/** The statements run at once, so that work ends in the same turn of the event loop. */
export function queriesOf(connection: Connection): Queries {
  const bound = (values: readonly ListedValue[]): Value[] =>
    values.map((value) => (typeof value === 'object' && value !== null ? JSON.stringify(value) : value));
  const run = (text: string, values: readonly ListedValue[]) => Number(connection.sql(text).run(...bound(values)).changes);
  return {
    dialect: sqliteDialect,
    all: async (text, ...values) => connection.sql(text).all(...bound(values)),
    first: async (text, ...values) => connection.sql(text).get(...bound(values)),
    run: async (text, ...values) => run(text, values),
    together: async (changes) => {
      for (const { sql, values } of changes) run(sql, values);
    },
    composed: async ({ sql, values }) => connection.sql(sql).all(...bound(values)),
  };
}

interface OpenAccount {
  readonly connection: Connection;
  readonly rows: AccountRows;
  requireFile(): void;
}

interface Exclusive {
  read<T>(work: Work<T>): Promise<T>;
  /** A write that is not synced may be lost in a power cut. */
  write<T>(work: Work<T>, options: { readonly isSynced: boolean }): Promise<T>;
  /** The last write was stored. */
  isStoring(): boolean;
}

/** All stores of a process take turns, so that none finds the lock of another. */
const enqueue = createQueue();

/**
 * Runs work one after the other, because a connection has one transaction at a time. Nothing waits behind work that waits for the lock of
 * another process, except writes: they take turns, so that they are stored in their order.
 */
function exclusiveRunner({ connection, rows, requireFile }: OpenAccount): Exclusive {
  const enqueueWrite = createQueue();
  let isStoring = true;
  const write = async <T>(work: Work<T>, isSynced: boolean): Promise<T> => {
    isStoring = false;
    requireFile();
    const result = await enqueue(() => transaction(connection, isSynced, () => work(rows)));
    isStoring = true;
    return result;
  };
  return {
    // The work ends in the same turn of the event loop, and its queries share a snapshot.
    read: (work) => retryWhileBusy(() => enqueue(() => connection.query(() => work(rows))), lockTime),
    write: (work, { isSynced }) => {
      const called = performance.now();
      return enqueueWrite(() => {
        // Writes that were called at the same time give up at the same time.
        const patience = isStoring ? lockTime : called + lockTime - performance.now();
        return retryWhileBusy(() => write(work, isSynced), patience);
      });
    },
    isStoring: () => isStoring,
  };
}

async function transaction<T>(connection: Connection, isSynced: boolean, work: () => Promise<T>): Promise<T> {
  connection.begin('write', { isSynced });
  try {
    const result = await work();
    connection.commit();
    return result;
  } catch (error) {
    connection.rollback();
    throw error;
  }
}

function sqliteStore({ connection, requireFile }: OpenAccount, exclusive: Exclusive, options: SqliteOptions): Store {
  const { read, isStoring } = exclusive;
  const domains = new ReadCache<readonly StoredDomain[]>();
  const count = <T>(work: Work<T>): Promise<T> => exclusive.write(work, { isSynced: false });
  // Synced before the call is answered.
  const change = <T>(work: Work<T>): Promise<T> => exclusive.write(work, { isSynced: true });
  return {
    ...accountStore({
      read,
      change: (work) =>
        change(async (rows) => {
          checkVersion(connection);
          return work(rows);
        }),
    }),
    open: async (address) => {
      // Most processes of the sandbox need no write.
      if (address === undefined && !placeDomains(await read(listDomains), options.domains, options.edition)) return undefined;
      return change((rows) => openAt(rows, address, options));
    },
    listDomains: () => domains.find('', () => read(listDomains)),
    ping: async () => {
      requireFile();
      // A service without calls would not notice otherwise that it can store again.
      return isStoring() ? checkVersion(connection) : count(async () => tryToStore(connection));
    },
    claimAddress: (address) => count((rows) => claimAddress(rows, address)),
    releaseAddress: () => count(releaseAddress),
    listAccounts: () => read(({ queries }) => listAccounts(queries, `'${options.edition}'`)),
    otherFile: () => fileOfOther(options),
    addCalls: (day, amount, limit) => count((rows) => addCalls(rows, day, amount, limit)),
    findTarget: (domain, hash) => read((rows) => findTarget(rows, domain, hash)),
    recordClicks: (clicks) => count((rows) => recordClicks(rows, clicks)),
    countClick: (urlId) => count((rows) => countClick(rows, urlId)),
    forgetVisitors: (day, after) => count((rows) => forgetVisitors(rows, day, after)),
    close: async () => connection.close(),
  };
}

/** The other edition has a file of its own. It is not opened, because another process may have locked it. */
function fileOfOther({ directory, edition }: SqliteOptions): string | undefined {
  const name = fileOf(edition === 'a' ? 'b' : 'a');
  return directory !== undefined && existsSync(join(directory, name)) ? name : undefined;
}
