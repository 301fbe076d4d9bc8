import { randomUUID } from 'node:crypto';
import { type Connection, openConnection, retryWhileBusy } from '../../../files/sqlite.ts';
import { placeDomains } from '../domain-plan.ts';
import { createQueue } from '../queue.ts';
import { ReadCache } from '../read-cache.ts';
import {
  type AccountRows,
  addCalls,
  claimAddress,
  listDomains,
  openAt,
  releaseAddress,
  servedAddresses,
} from '../rows/account-rows.ts';
import { accountStore, type Work } from '../rows/account-store.ts';
import { countClick, findTarget, forgetVisitors, recordClicks } from '../rows/click-rows.ts';
import type { ListedValue, Queries, Value } from '../rows/queries.ts';
import type { Store, StoredDomain } from '../store.ts';
import { newSalt, type StoreOptions } from '../store-options.ts';
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
    return sqliteStore(connection, exclusiveRunner(connection, rows), options);
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Creates the account if it does not exist. */
function openAccount(connection: Connection, { username, now, random }: StoreOptions): AccountRows {
  const insert = 'INSERT INTO accounts (username, salt) VALUES (?, ?) ON CONFLICT DO NOTHING';
  const find = connection.sql('SELECT id, salt FROM accounts WHERE username = ?');
  if (!find.get(username)) connection.sql(insert).run(username, newSalt(random));
  const row = find.get<{ id: number; salt: string }>(username);
  if (!row) throw new Error(`the account ${username} cannot be stored`);
  const queries = queriesOf(connection);
  const list = () => listDomains({ queries, accountId: row.id });
  return { queries, accountId: row.id, salt: row.salt, domains: { list, renewed: list }, now, random };
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

interface Exclusive {
  /** Counts may be lost in a power cut. */
  run<T>(mode: 'query' | 'read' | 'write' | 'count', work: Work<T>): Promise<T>;
  /** The last write was stored. */
  isStoring(): boolean;
}

/** All stores of a process take turns, so that none finds the lock of another. */
const enqueue = createQueue();

/**
 * Runs work one after the other, because a connection has one transaction at a time. Nothing waits behind work that waits for the lock of
 * another process, except writes: they take turns, so that they are stored in their order.
 */
function exclusiveRunner(connection: Connection, rows: AccountRows): Exclusive {
  const enqueueWrite = createQueue();
  let isStoring = true;
  const read = <T>(mode: 'query' | 'read', work: Work<T>): Promise<T> =>
    enqueue(() => (mode === 'query' ? connection.query(() => work(rows)) : transaction(connection, 'read', () => work(rows))));
  const write = async <T>(mode: 'write' | 'count', work: Work<T>): Promise<T> => {
    isStoring = false;
    const result = await enqueue(() => transaction(connection, mode, () => work(rows)));
    isStoring = true;
    return result;
  };
  const writeInTurn = <T>(mode: 'write' | 'count', work: Work<T>): Promise<T> => {
    const called = performance.now();
    return enqueueWrite(() => {
      // Writes that were called at the same time give up at the same time.
      const patience = isStoring ? lockTime : called + lockTime - performance.now();
      return retryWhileBusy(() => write(mode, work), patience);
    });
  };
  return {
    run: (mode, work) =>
      mode === 'query' || mode === 'read' ? retryWhileBusy(() => read(mode, work), lockTime) : writeInTurn(mode, work),
    isStoring: () => isStoring,
  };
}

async function transaction<T>(connection: Connection, mode: 'read' | 'write' | 'count', work: () => Promise<T>): Promise<T> {
  connection.begin(mode === 'read' ? 'read' : 'write', { isSynced: mode === 'write' });
  try {
    const result = await work();
    connection.commit();
    return result;
  } catch (error) {
    connection.rollback();
    throw error;
  }
}

function sqliteStore(connection: Connection, { run, isStoring }: Exclusive, { domains: named, edition }: StoreOptions): Store {
  const domains = new ReadCache<readonly StoredDomain[]>();
  const process = randomUUID();
  let hasClaim = false;
  return {
    ...accountStore({
      read: (work) => run('read', work),
      view: (work) => run('read', work),
      // Synced before the call is answered.
      change: (work) =>
        run('write', async (rows) => {
          checkVersion(connection);
          return work(rows);
        }),
    }),
    open: async (address) => {
      // Most processes of the sandbox need no write.
      if (address === undefined && !placeDomains(await run('query', listDomains), named, edition)) return undefined;
      hasClaim = address !== undefined;
      return run('write', (rows) => openAt(rows, { process, address, domains: named, edition }));
    },
    listDomains: () => domains.find('', () => run('query', listDomains)),
    // A service without calls would not notice otherwise that it can store again.
    ping: async () => (isStoring() ? checkVersion(connection) : run('count', async () => tryToStore(connection))),
    claimAddress: (address) => run('count', (rows) => claimAddress(rows, process, address)),
    servedAddresses: () => run('read', (rows) => servedAddresses(rows)),
    addCalls: (day, amount, limit) => run('count', (rows) => addCalls(rows, day, amount, limit)),
    findTarget: (domain, hash) => run('query', (rows) => findTarget(rows, domain, hash)),
    recordClicks: (clicks) => run('count', (rows) => recordClicks(rows, clicks)),
    countClick: (urlId) => run('count', (rows) => countClick(rows, urlId)),
    forgetVisitors: (day, after) => run('count', (rows) => forgetVisitors(rows, day, after)),
    close: async () => {
      if (hasClaim) await run('count', (rows) => releaseAddress(rows, process));
      connection.close();
    },
  };
}
