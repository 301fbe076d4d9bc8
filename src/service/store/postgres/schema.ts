import { setTimeout as delay } from 'node:timers/promises';
import { dayOf } from '../click-days.ts';
import { isLeased, only, type Queries } from '../rows/queries.ts';
import { indexes, type Table, tables } from '../rows/tables.ts';
import { OutdatedProgram } from '../store-options.ts';
import { isDuplicateCreation } from './database-errors.ts';
import { clock } from './postgres-dialect.ts';

const accounts = `CREATE TABLE IF NOT EXISTS accounts (
  id BIGINT PRIMARY KEY,
  edition TEXT NOT NULL,
  username TEXT NOT NULL,
  salt TEXT NOT NULL,
  writes BIGINT NOT NULL DEFAULT 0,
  UNIQUE (edition, username)
)`;

const imports = `CREATE TABLE IF NOT EXISTS imports (
  account_id BIGINT PRIMARY KEY,
  source TEXT NOT NULL,
  place BIGINT NOT NULL,
  last_key TEXT NOT NULL,
  done BIGINT NOT NULL,
  holder TEXT NOT NULL,
  leased_until BIGINT NOT NULL
)`;

/** The number of the last click group that each process has stored, for retries after an unknown outcome. */
const flushes: Table = {
  name: 'flushes',
  key: ['process'],
  columns: { process: 'TEXT NOT NULL', last: 'BIGINT NOT NULL', stored: 'BIGINT NOT NULL' },
};

export function createTable({ name, key, unique, columns }: Table): string {
  const parts = [
    'account_id BIGINT NOT NULL',
    ...Object.entries(columns).map(([column, type]) => `${column} ${type}`),
    `PRIMARY KEY (account_id, ${key.join(', ')})`,
    ...(unique ? [`UNIQUE (account_id, ${unique.join(', ')})`] : []),
  ];
  return `CREATE TABLE IF NOT EXISTS ${name} (${parts.join(', ')})`;
}

/** In the first version visitors had no day: theirs is the day of the migration. */
const daysOfVisitors = `ALTER TABLE visitors ADD COLUMN IF NOT EXISTS seen BIGINT NOT NULL DEFAULT {today}`;

/** Sorted by bytes, independent of the collation of the database. */
const urlsByBytes = 'CREATE INDEX IF NOT EXISTS urls_by_bytes ON urls (account_id, domain_id, (hash COLLATE "C"), id)';

/**
 * Bring any earlier version to this one, while its processes may still count clicks. They can run twice, because not every engine can roll
 * them back: if a process was killed during a migration, another one completes it.
 */
const statements = [accounts, imports, ...[...tables, flushes].map(createTable), daysOfVisitors, ...indexes, urlsByBytes];
export const version = 2;

/**
 * Milliseconds. A lock across transactions is a row with its holder and expiry, which is renewed with each step, so that another process
 * can take over after a crash. Other kinds of locks are not portable.
 */
export const lease = 10_000;

/** The version, and the lease of the process that migrates to the next one. */
const versionTable = `CREATE TABLE IF NOT EXISTS linkctl_schema (
  id BIGINT PRIMARY KEY,
  version BIGINT NOT NULL,
  holder TEXT NOT NULL,
  leased_until BIGINT NOT NULL
)`;

/** Migrates the database; of several processes, one does it. Rejects a newer schema. */
export async function createSchema(queries: Queries, holder: string, now: number): Promise<void> {
  await makeVersionRow(queries);
  for (;;) {
    const stored = await storedVersion(queries);
    if (stored === version) return;
    if (stored > version) throw new Error('the database was set up by a newer version of linkctl; use that version');
    if (await takeLease(queries, holder)) await migrate(queries, holder, now);
    else await delay(50);
  }
}

async function makeVersionRow(queries: Queries): Promise<void> {
  if (
    await queries.first(
      "SELECT 1 FROM information_schema.tables WHERE table_schema = current_schema() AND table_name = 'linkctl_schema'",
    )
  )
    return;
  await requireEncoding(queries);
  const foreign = await queries.first<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = current_schema() AND table_name IN ('accounts', 'domains', 'urls', 'tags', 'url_tags', 'visitors', 'log', 'tallies')`,
  );
  const isOurs = async () => (await storedVersion(queries).catch(() => -1)) >= 0;
  if (foreign && !(await isOurs())) {
    throw new Error(`the database has a table "${foreign.name}" of another program; make a database for linkctl alone`);
  }
  await ignoreDuplicates(queries.run(versionTable));
  await ignoreDuplicates(
    queries.run("INSERT INTO linkctl_schema (id, version, holder, leased_until) VALUES (1, 0, '', 0) ON CONFLICT DO NOTHING"),
  );
}

/** For new tables. In any other encoding one character fails a whole batch. Without an encoding, texts are stored as they are. */
async function requireEncoding(queries: Queries): Promise<void> {
  const { encoding } = only(await queries.all<{ encoding: string }>("SELECT current_setting('server_encoding') AS encoding"));
  if (encoding === 'UTF8' || encoding === 'SQL_ASCII') return;
  throw new Error(`the encoding of the database is ${encoding}: create the database with ENCODING 'UTF8'`);
}

async function ignoreDuplicates(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!isDuplicateCreation(error)) throw error;
  });
}

/** Rejects if a newer version of linkctl has migrated the tables. */
export async function checkVersion(queries: Queries): Promise<void> {
  if ((await storedVersion(queries)) > version) throw new OutdatedProgram();
}

async function storedVersion(queries: Queries): Promise<number> {
  return (await queries.first<{ version: number }>('SELECT version FROM linkctl_schema WHERE id = 1'))?.version ?? 0;
}

async function takeLease(queries: Queries, holder: string): Promise<boolean> {
  const text = `UPDATE linkctl_schema SET holder = ?, leased_until = ${clock} + ${lease}
    WHERE id = 1 AND version < ${version} AND (holder = ? OR NOT (${isLeased(queries.dialect, lease)}))`;
  return (await queries.run(text, holder, holder)) > 0;
}

async function migrate(queries: Queries, holder: string, now: number): Promise<void> {
  await queries.composed({ sql: statements.join(';').replace('{today}', String(dayOf(now))), values: [] });
  await queries.run('UPDATE linkctl_schema SET version = ? WHERE id = 1 AND holder = ?', version, holder);
}
