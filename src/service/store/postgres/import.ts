import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isLeased, only, type Queries } from '../rows/queries.ts';
import { movedTables, type Table } from '../rows/tables.ts';
import { ImportRefusal, type StoreOptions } from '../store-options.ts';
import { type ImportSource, openSource, type SourceRow } from './import-source.ts';
import { lockForImport, openAccount } from './postgres-account.ts';
import type { Database } from './postgres-database.ts';
import { clock } from './postgres-dialect.ts';
import { lease } from './schema.ts';

export interface Imported {
  /** False if everything had been imported before. */
  readonly isNew: boolean;
  /** False if the folder has changed since it was imported. */
  readonly isCurrent: boolean;
  readonly urls: number;
  readonly tags: number;
  readonly clicks: number;
  readonly log: number;
}

export interface ImportOptions {
  /** The folder of a SQLite store that is imported into the database first. */
  readonly importFrom?: string | undefined;
  readonly onImported?: ((imported: Imported) => void) | undefined;
}

interface ImportRow {
  readonly source: string;
  readonly place: number;
  readonly last_key: string;
  readonly done: number;
}

/**
 * Imports the account of a SQLite file, including counters and log. Each step is a transaction that also stores the progress, so that an
 * interrupted import can be resumed; it restarts if the file has changed. Until it is complete, nobody else changes the account or the
 * file.
 */
export async function importFolder(database: Database, folder: string, options: StoreOptions): Promise<Imported> {
  const source = await openSource(folder, options.edition, options.username);
  try {
    const { accountId } = await database.query((queries) => openAccount(queries, options));
    const work: Import = { database, source, accountId, holder: randomUUID() };
    const isNew = await begin(work);
    if (isNew) await moveTables(work);
    // The folder may have changed since an earlier import.
    const { source: moved } = only(await database.query((queries) => progress(queries, accountId)));
    const { urls = 0, tags = 0, clicks = 0, log = 0 }: { [name: string]: number } = JSON.parse(moved);
    return { isNew, isCurrent: moved === contentsOf(source), urls, tags, clicks, log };
  } finally {
    source.close();
  }
}

interface Import {
  readonly database: Database;
  readonly source: ImportSource;
  readonly accountId: number;
  readonly holder: string;
}

/** As stored with an import. */
function contentsOf({ contents }: ImportSource): string {
  return JSON.stringify(contents);
}

/** Empty before the first import. */
function progress(queries: Queries, accountId: number): Promise<ImportRow[]> {
  return queries.all<ImportRow>('SELECT source, place, last_key, done FROM imports WHERE account_id = ?', accountId);
}

async function rowCount(queries: Queries, table: string, accountId: number): Promise<number> {
  const text = `SELECT count(*) AS count FROM ${table} WHERE account_id = ?`;
  return only(await queries.all<{ count: number }>(text, accountId)).count;
}

/** Returns true, with the lease held, if there is something to import. */
async function begin(work: Import): Promise<boolean> {
  for (;;) {
    const state = await work.database.write((queries) => take(queries, work));
    if (state !== 'held by another') return state === 'to be moved';
    await delay(200);
  }
}

async function take(queries: Queries, { source, accountId, holder }: Import) {
  await lockForImport({ queries, accountId });
  const contents = contentsOf(source);
  const [row] = await progress(queries, accountId);
  if (row?.done === 1) return 'moved';
  if (!row) {
    if ((await rowCount(queries, 'urls', accountId)) > 0)
      throw new ImportRefusal('the account has links in the database already: an import needs an empty one');
    await queries.run(
      "INSERT INTO imports (account_id, source, place, last_key, done, holder, leased_until) VALUES (?, '', 0, '[]', 0, '', 0)",
      accountId,
    );
  }
  const taken = await queries.run(
    `UPDATE imports SET holder = ?, leased_until = ${clock} + ${lease}
     WHERE account_id = ? AND (holder = ? OR NOT (${isLeased(queries.dialect, lease)}))`,
    holder,
    accountId,
    holder,
  );
  if (taken === 0) return 'held by another';
  if (row?.source !== contents) await restart(queries, accountId, source.salt, contents);
  return 'to be moved';
}

/** Deletes the rows of an earlier import of other contents, and those of a first start. */
async function restart(queries: Queries, accountId: number, salt: string, contents: string): Promise<void> {
  for (const { name } of movedTables) await queries.run(`DELETE FROM ${name} WHERE account_id = ?`, accountId);
  await queries.run('UPDATE accounts SET salt = ? WHERE id = ?', salt, accountId);
  await queries.run("UPDATE imports SET source = ?, place = 0, last_key = '[]' WHERE account_id = ?", contents, accountId);
}

async function moveTables(work: Import): Promise<void> {
  while (await work.database.write((queries) => moveChunk(queries, work)));
  // Without statistics the planner chooses bad plans, and index-only scans need the visibility map. Engines without VACUUM do not need it.
  for (const { name } of movedTables)
    await work.database
      .query((queries) => queries.composed({ sql: `VACUUM (ANALYZE) ${name}`, values: [] }), 'schema')
      .catch(() => {});
  await work.database.write((queries) => finish(queries, work));
}

/** Returns false if all tables are moved. */
async function moveChunk(queries: Queries, { source, accountId, holder }: Import): Promise<boolean> {
  const { place, last_key } = only(await progress(queries, accountId));
  const table = movedTables[place];
  if (!table) return false;
  const rows = source.rows(table, JSON.parse(last_key));
  const last = rows.at(-1);
  if (last) await insert(queries, accountId, table, rows);
  const next = last ? [0, JSON.stringify(table.key.map((column) => last[column]))] : [1, '[]'];
  const renewed = await queries.run(
    `UPDATE imports SET place = place + ?, last_key = ?, leased_until = ${clock} + ${lease} WHERE account_id = ? AND holder = ?`,
    ...next,
    accountId,
    holder,
  );
  if (renewed === 0) throw new Error('another process has taken over the import');
  return true;
}

async function insert({ dialect, run }: Queries, accountId: number, table: Table, rows: readonly SourceRow[]): Promise<void> {
  const types = Object.entries(table.columns).map(([column, type]) => [column, type.startsWith('TEXT') ? 'TEXT' : 'BIGINT']);
  const moved = dialect.table('moved', Object.fromEntries(types), rows);
  await run(
    `INSERT INTO ${table.name} (account_id, ${Object.keys(table.columns).join(', ')})
     SELECT CAST(? AS BIGINT), moved.* FROM ${moved.sql} ${onConflict(table)}`,
    accountId,
    ...moved.values,
  );
}

/** A process that serves the account counts its calls. */
function onConflict({ name }: Table): string {
  if (name !== 'tallies') return '';
  return 'ON CONFLICT (account_id, name, period) DO UPDATE SET count = tallies.count + excluded.count';
}

/** Verifies the number of rows before the account is used. */
async function finish(queries: Queries, { source, accountId, holder }: Import): Promise<void> {
  for (const { name } of movedTables) {
    const [count, expected = 0] = [await rowCount(queries, name, accountId), source.contents[name]];
    // A process that serves the account may have counted calls of another day.
    if (name === 'tallies' ? count < expected : count !== expected) {
      throw new Error(`${count} of ${expected} rows of ${name} are in the database: the import has failed`);
    }
  }
  await queries.run('UPDATE imports SET done = 1, leased_until = 0 WHERE account_id = ? AND holder = ?', accountId, holder);
}
