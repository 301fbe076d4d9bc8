import { setTimeout as delay } from 'node:timers/promises';
import { dayOf } from '../click-days.ts';
import type { Queries } from '../rows/queries.ts';
import { OutdatedProgram } from '../store-options.ts';
import { isDuplicateCreation } from './database-errors.ts';
import { clock } from './postgres-dialect.ts';

/**
 * Every key begins with the account, so that the data can be distributed. The program generates the ids, without sequences. Flags are 0 or
 * 1, days are counted from 1970, other times are milliseconds.
 */
const initialTables = [
  `CREATE TABLE IF NOT EXISTS accounts (
    id BIGINT PRIMARY KEY,
    edition TEXT NOT NULL,
    username TEXT NOT NULL,
    salt TEXT NOT NULL,
    writes BIGINT NOT NULL DEFAULT 0,
    UNIQUE (edition, username)
  )`,
  `CREATE TABLE IF NOT EXISTS domains (
    account_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    name TEXT NOT NULL,
    position BIGINT NOT NULL,
    hash_generation TEXT NOT NULL,
    redirect_code TEXT NOT NULL,
    use_https BIGINT NOT NULL,
    custom_root_page TEXT NOT NULL,
    custom_404_page TEXT NOT NULL,
    urls BIGINT NOT NULL DEFAULT 0,
    sequence BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, name)
  )`,
  `CREATE TABLE IF NOT EXISTS urls (
    account_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    domain_id BIGINT NOT NULL,
    hash TEXT NOT NULL,
    long_url TEXT NOT NULL,
    long_url_key BIGINT NOT NULL,
    note TEXT NOT NULL,
    email_stats BIGINT NOT NULL,
    expiration_date TEXT,
    max_clicks BIGINT NOT NULL,
    total_clicks BIGINT NOT NULL DEFAULT 0,
    unique_clicks BIGINT NOT NULL DEFAULT 0,
    last_visit BIGINT,
    modified BIGINT NOT NULL,
    day BIGINT NOT NULL DEFAULT 0,
    day_total BIGINT NOT NULL DEFAULT 0,
    day_fresh BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, domain_id, hash)
  )`,
  'CREATE INDEX IF NOT EXISTS urls_by_age ON urls (account_id, domain_id, id)',
  'CREATE INDEX IF NOT EXISTS urls_by_long_url ON urls (account_id, long_url_key, id)',
  `CREATE TABLE IF NOT EXISTS tags (
    account_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    folded TEXT NOT NULL,
    label TEXT NOT NULL,
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, folded)
  )`,
  `CREATE TABLE IF NOT EXISTS url_tags (
    account_id BIGINT NOT NULL,
    tag_id BIGINT NOT NULL,
    url_id BIGINT NOT NULL,
    PRIMARY KEY (account_id, tag_id, url_id)
  )`,
  'CREATE INDEX IF NOT EXISTS tags_by_url ON url_tags (account_id, url_id, tag_id)',
  `CREATE TABLE IF NOT EXISTS visitors (
    account_id BIGINT NOT NULL,
    url_id BIGINT NOT NULL,
    visitor BIGINT NOT NULL,
    PRIMARY KEY (account_id, url_id, visitor)
  )`,
  `CREATE TABLE IF NOT EXISTS daily_clicks (
    account_id BIGINT NOT NULL,
    url_id BIGINT NOT NULL,
    day BIGINT NOT NULL,
    total BIGINT NOT NULL,
    fresh BIGINT NOT NULL,
    PRIMARY KEY (account_id, url_id, day)
  )`,
  `CREATE TABLE IF NOT EXISTS log (
    account_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    time BIGINT NOT NULL,
    type TEXT NOT NULL,
    message TEXT NOT NULL,
    object_url TEXT,
    PRIMARY KEY (account_id, id)
  )`,
  'CREATE INDEX IF NOT EXISTS log_by_time ON log (account_id, time, id)',
  `CREATE TABLE IF NOT EXISTS tallies (
    account_id BIGINT NOT NULL,
    name TEXT NOT NULL,
    period TEXT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (account_id, name, period)
  )`,
  `CREATE TABLE IF NOT EXISTS imports (
    account_id BIGINT PRIMARY KEY,
    source TEXT NOT NULL,
    place BIGINT NOT NULL,
    last_key TEXT NOT NULL,
    done BIGINT NOT NULL,
    holder TEXT NOT NULL,
    leased_until BIGINT NOT NULL
  )`,
];

/** The UTC day on which a visitor was first seen, or the day of this migration for older visitors. */
const daysOfVisitors = `ALTER TABLE visitors ADD COLUMN IF NOT EXISTS seen BIGINT NOT NULL DEFAULT {today}`;

/** The number of the last click group that each process has stored, for retries after an unknown outcome. */
const flushes = `CREATE TABLE IF NOT EXISTS flushes (
  account_id BIGINT NOT NULL,
  process TEXT NOT NULL,
  last BIGINT NOT NULL,
  stored BIGINT NOT NULL,
  PRIMARY KEY (account_id, process)
)`;

/** The addresses at which processes serve the links, with their leases. */
const addresses = `CREATE TABLE IF NOT EXISTS addresses (
  account_id BIGINT NOT NULL,
  process TEXT NOT NULL,
  address TEXT NOT NULL,
  leased_until BIGINT NOT NULL,
  PRIMARY KEY (account_id, process)
)`;

/** Sorted by bytes, independent of the collation of the database. */
const urlsByBytes = 'CREATE INDEX IF NOT EXISTS urls_by_bytes ON urls (account_id, domain_id, (hash COLLATE "C"), id)';

/**
 * Each version adds one migration, while processes of the previous version may still count clicks. Statements can run twice, because not
 * every engine can roll them back: if a process was killed during a migration, another one completes it.
 */
const migrations: readonly (readonly string[])[] = [initialTables, [daysOfVisitors, flushes, addresses, urlsByBytes]];
export const version = migrations.length;

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
    WHERE id = 1 AND version < ${version} AND (leased_until < ${clock} OR holder = ?)`;
  return (await queries.run(text, holder, holder)) > 0;
}

async function migrate(queries: Queries, holder: string, now: number): Promise<void> {
  const stored = await storedVersion(queries);
  for (const [index, statements] of migrations.entries()) {
    if (index < stored) continue;
    // This process lost the lease, and another one continues.
    if (!(await takeLease(queries, holder))) return;
    await queries.composed({ sql: statements.join(';').replace('{today}', String(dayOf(now))), values: [] });
    await queries.run(
      'UPDATE linkctl_schema SET version = ? WHERE id = 1 AND holder = ? AND version = ?',
      index + 1,
      holder,
      index,
    );
  }
}
