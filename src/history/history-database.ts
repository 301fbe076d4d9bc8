import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { checksum } from '../base/checksum.ts';
import { CliError, LocalError } from '../base/errors.ts';
import { folders, type System } from '../base/system.ts';
import { fileError } from '../files/file-error.ts';
import { makePrivateFolder } from '../files/folders.ts';
import { refuseForeign } from '../files/ownership.ts';
import { type Connection, openConnection } from '../files/sqlite.ts';

/** The server as runs name it: `https://api.example.com/3`, or `sandbox, edition a`. */
export interface HistoryAccount {
  readonly server: string;
  readonly username: string;
}

const fileName = 'history.db';

/** There may be no history yet. */
export function historyPaths({ server, username }: HistoryAccount, system: Pick<System, 'env' | 'platform'>) {
  const folder = join(folders(system).data, 'history', checksum(JSON.stringify([server, username])));
  return { folder, file: join(folder, fileName), lock: join(folder, 'lock') };
}

/** README.md beside this file documents the tables and columns. */
const initialTables = `
  CREATE TABLE account (server TEXT NOT NULL, username TEXT NOT NULL);
  CREATE TABLE readings (
    id INTEGER PRIMARY KEY,
    began INTEGER NOT NULL,
    ended INTEGER NOT NULL,
    scope TEXT NOT NULL,
    words TEXT NOT NULL,
    links INTEGER NOT NULL
  );
  CREATE TABLE links (
    id INTEGER PRIMARY KEY,
    domain TEXT NOT NULL,
    hash TEXT NOT NULL,
    short_url TEXT NOT NULL,
    long_url TEXT NOT NULL,
    tags TEXT NOT NULL,
    total INTEGER NOT NULL,
    unique_total INTEGER NOT NULL,
    there INTEGER
  );
  CREATE UNIQUE INDEX link_names ON links (domain, hash) WHERE there IS NOT NULL;
  CREATE TABLE counters (
    reading INTEGER NOT NULL,
    link INTEGER NOT NULL,
    clicks INTEGER NOT NULL,
    unique_clicks INTEGER NOT NULL,
    PRIMARY KEY (reading, link)
  ) WITHOUT ROWID;
  CREATE TABLE events (id INTEGER PRIMARY KEY, reading INTEGER NOT NULL, link INTEGER NOT NULL, kind TEXT NOT NULL);
  CREATE INDEX events_of_reading ON events (reading);
  CREATE TABLE selected (reading INTEGER NOT NULL, link INTEGER NOT NULL, PRIMARY KEY (reading, link)) WITHOUT ROWID;
  CREATE TABLE changes (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    run TEXT NOT NULL,
    row INTEGER NOT NULL,
    kind TEXT NOT NULL,
    hash TEXT NOT NULL,
    domain TEXT,
    total INTEGER,
    unique_total INTEGER,
    new_hash TEXT,
    reading INTEGER,
    UNIQUE (run, row)
  );
  CREATE INDEX changes_to_come ON changes (id) WHERE reading IS NULL;
`;

/** The version of a file is the number of migrations that it has. A change of tables or columns is a new one at the end. */
const migrations: readonly string[] = [initialTables];
const schemaVersion = migrations.length;

export interface History {
  /** Staging writes only temporary tables. Throws a `LocalError` that names the file. */
  work<T>(action: 'read' | 'stage' | 'write', step: (connection: Connection) => T): T;
  close(): void;
}

/** Creates the history if there is none. Throws a `LocalError`. */
export async function openHistory(account: HistoryAccount, system: System): Promise<History> {
  const { folder, file } = historyPaths(account, system);
  let connection: Connection | undefined;
  try {
    makePrivateFolder(folder);
    if (existsSync(file)) refuseForeign(file, statSync(file), system);
    connection = await openConnection(folder, fileName);
    const open = connection;
    // A staged listing may exceed the memory limit.
    open.exec('PRAGMA temp_store=FILE; PRAGMA cache_size=-16384');
    open.write(() => prepare(open, account, file));
    return {
      work: (action, step) => {
        try {
          return action === 'write' ? open.write(() => step(open)) : open.read(() => step(open));
        } catch (error) {
          throw error instanceof CliError ? error : fileError(action === 'read' ? 'read' : 'write', file, error);
        }
      },
      close: () => open.close(),
    };
  } catch (error) {
    connection?.close();
    throw fileError('open', file, error);
  }
}

export function hasHistory(account: HistoryAccount, system: Pick<System, 'env' | 'platform'>): boolean {
  return existsSync(historyPaths(account, system).file);
}

/** Undefined if the account has no history. Throws a `LocalError`. */
export async function readHistory<T>(
  account: HistoryAccount,
  system: System,
  step: (connection: Connection) => T,
): Promise<T | undefined> {
  if (!hasHistory(account, system)) return undefined;
  const history = await openHistory(account, system);
  try {
    return history.work('read', step);
  } finally {
    history.close();
  }
}

function prepare(connection: Connection, { server, username }: HistoryAccount, file: string): void {
  const version = connection.sql('PRAGMA user_version').get<{ user_version: number }>()?.user_version ?? 0;
  if (version > schemaVersion) throw new LocalError(`${file} was written by a newer linkctl; update this one`);
  if (version < schemaVersion) connection.exec(`${migrations.slice(version).join('')} PRAGMA user_version = ${schemaVersion}`);
  if (version === 0) connection.sql('INSERT INTO account (server, username) VALUES (?, ?)').run(server, username);
  const owner = connection.sql('SELECT server, username FROM account').get<HistoryAccount>();
  if (owner?.server === server && owner.username === username) return;
  throw new LocalError(`${file} is not the history of ${username} on ${server}`, { hint: 'move it away' });
}
