import type { Edition } from '../../../contract/editions.ts';
import type { Connection } from '../../../files/sqlite.ts';
import { dayOf } from '../click-days.ts';
import { indexes, type Table, tables } from '../rows/tables.ts';
import { OutdatedProgram } from '../store-options.ts';

/** Each edition has its own file. */
export function fileOf(edition: Edition): string {
  return `links-${edition}.db`;
}

/** Rows with an id are stored in its order, others in that of their key. */
function createTable({ name, key, unique, columns }: Table): string {
  const hasId = 'id' in columns;
  const { id, ...others } = columns;
  const parts = [
    ...(hasId ? ['id INTEGER PRIMARY KEY'] : []),
    'account_id INTEGER NOT NULL',
    ...Object.entries(others).map(([column, type]) => `${column} ${type.replace('BIGINT', 'INTEGER')}`),
    ...(hasId ? [] : [`PRIMARY KEY (account_id, ${key.join(', ')})`]),
    ...(unique ? [`UNIQUE (account_id, ${unique.join(', ')})`] : []),
  ];
  return `CREATE TABLE IF NOT EXISTS ${name} (${parts.join(', ')}) STRICT${hasId ? '' : ', WITHOUT ROWID'}`;
}

const accounts = `CREATE TABLE IF NOT EXISTS accounts (
  id INTEGER PRIMARY KEY,
  username TEXT NOT NULL UNIQUE,
  salt TEXT NOT NULL
) STRICT`;

/** Moves the last day of a URL to its earlier days. */
const dayIsOver = `
  CREATE TRIGGER IF NOT EXISTS day_is_over AFTER UPDATE OF day ON urls WHEN old.day <> new.day AND old.day_total > 0 BEGIN
    INSERT INTO daily_clicks VALUES (old.account_id, old.id, old.day, old.day_total, old.day_fresh)
    ON CONFLICT DO UPDATE SET total = total + excluded.total, fresh = fresh + excluded.fresh;
  END`;

/** Clicks before this version belong to no day. */
const daysOfUrls = ['day', 'day_total', 'day_fresh'].map(
  (column) => `ALTER TABLE urls ADD COLUMN ${column} INTEGER NOT NULL DEFAULT 0`,
);

/** Older visitors were seen on the day of this migration. */
const daysOfVisitors = 'ALTER TABLE visitors ADD COLUMN seen INTEGER NOT NULL DEFAULT {today}';

/** The columns that the files of each version lack, from the first version on. A change of tables or columns is a new entry. */
const lacking: readonly (readonly string[])[] = [daysOfUrls, [daysOfVisitors]];
const version = lacking.length + 1;

function statementsFor(stored: number): readonly string[] {
  const upgrade = stored === 0 ? [] : lacking.slice(stored - 1).flat();
  return [accounts, ...tables.map(createTable), ...upgrade, ...indexes, dayIsOver];
}

/** Of several processes, one migrates the file. */
export function createSchema(connection: Connection, now: number): void {
  if (storedVersion(connection) === version) return;
  connection.write(() => {
    const stored = storedVersion(connection);
    if (stored === version) return;
    if (stored > version) throw new Error('the stored links were written by a newer version of linkctl; use that version');
    const text = statementsFor(stored)
      .join(';')
      .replace('{today}', String(dayOf(now)));
    connection.exec(`${text}; PRAGMA user_version=${version}`);
  });
}

/** Throws if a newer version of linkctl has migrated the file. */
export function checkVersion(connection: Connection): void {
  if (storedVersion(connection) > version) throw new OutdatedProgram();
}

/** Rejects work that cannot be stored, without changing anything: the version is written again. Runs in the caller's transaction. */
export function tryToStore(connection: Connection): void {
  checkVersion(connection);
  connection.exec(`PRAGMA user_version=${version}`);
}

function storedVersion(connection: Connection): number {
  return connection.sql('PRAGMA user_version').get<{ user_version: number }>()?.user_version ?? 0;
}
