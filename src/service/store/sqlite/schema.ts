import type { Edition } from '../../../contract/editions.ts';
import type { Connection } from '../../../files/sqlite.ts';
import { dayOf } from '../click-days.ts';
import { OutdatedProgram } from '../store-options.ts';

/** Each edition has its own file. */
export function fileOf(edition: Edition): string {
  return `links-${edition}.db`;
}

/**
 * Every key and query includes the account. The program generates URL ids in order of time (see `../click-days.ts`), so they also are the creation
 * time and the order of listings.
 */
const initialTables = `
  CREATE TABLE accounts (
    id INTEGER PRIMARY KEY,
    username TEXT NOT NULL UNIQUE,
    salt TEXT NOT NULL
  ) STRICT;
  CREATE TABLE domains (
    id INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    position INTEGER NOT NULL,
    hash_generation TEXT NOT NULL DEFAULT 'random',
    redirect_code TEXT NOT NULL DEFAULT '303',
    use_https INTEGER NOT NULL DEFAULT 0,
    custom_root_page TEXT NOT NULL DEFAULT '',
    custom_404_page TEXT NOT NULL DEFAULT '',
    urls INTEGER NOT NULL DEFAULT 0,
    sequence INTEGER NOT NULL DEFAULT 0,
    UNIQUE (account_id, name)
  ) STRICT;
  CREATE TABLE urls (
    id INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL,
    domain_id INTEGER NOT NULL,
    hash TEXT NOT NULL,
    long_url TEXT NOT NULL,
    long_url_key INTEGER NOT NULL,
    note TEXT NOT NULL,
    email_stats INTEGER NOT NULL,
    expiration_date TEXT,
    max_clicks INTEGER NOT NULL,
    total_clicks INTEGER NOT NULL DEFAULT 0,
    unique_clicks INTEGER NOT NULL DEFAULT 0,
    last_visit INTEGER,
    modified INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX urls_by_hash ON urls (account_id, domain_id, hash);
  CREATE INDEX urls_by_age ON urls (account_id, domain_id, id);
  CREATE INDEX urls_by_long_url ON urls (account_id, long_url_key);
  CREATE TABLE tags (
    id INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL,
    folded TEXT NOT NULL,
    label TEXT NOT NULL,
    UNIQUE (account_id, folded)
  ) STRICT;
  CREATE TABLE url_tags (
    account_id INTEGER NOT NULL,
    tag_id INTEGER NOT NULL,
    url_id INTEGER NOT NULL,
    PRIMARY KEY (account_id, tag_id, url_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX tags_by_url ON url_tags (account_id, url_id, tag_id);
  CREATE TABLE visitors (
    account_id INTEGER NOT NULL,
    url_id INTEGER NOT NULL,
    visitor INTEGER NOT NULL,
    PRIMARY KEY (account_id, url_id, visitor)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE log (
    id INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL,
    time INTEGER NOT NULL,
    type TEXT NOT NULL,
    message TEXT NOT NULL,
    object_url TEXT
  ) STRICT;
  CREATE INDEX log_by_time ON log (account_id, time, id);
  CREATE TABLE tallies (
    account_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    period TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (account_id, name, period)
  ) STRICT, WITHOUT ROWID;
`;

/**
 * Clicks per UTC day, counted from 1970. The last day with clicks is in the row of the URL, which a click updates anyway; a separate table
 * would slow redirects down by a tenth. Clicks before this version belong to no day.
 */
const clicksOfDays = `
  ALTER TABLE urls ADD COLUMN day INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE urls ADD COLUMN day_total INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE urls ADD COLUMN day_fresh INTEGER NOT NULL DEFAULT 0;
  CREATE TABLE daily_clicks (
    account_id INTEGER NOT NULL,
    url_id INTEGER NOT NULL,
    day INTEGER NOT NULL,
    total INTEGER NOT NULL,
    fresh INTEGER NOT NULL,
    PRIMARY KEY (account_id, url_id, day)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER day_is_over AFTER UPDATE OF day ON urls WHEN old.day <> new.day AND old.day_total > 0 BEGIN
    INSERT INTO daily_clicks VALUES (old.account_id, old.id, old.day, old.day_total, old.day_fresh)
    ON CONFLICT DO UPDATE SET total = total + excluded.total, fresh = fresh + excluded.fresh;
  END;
`;

/** The UTC day on which a visitor was first seen, or the day of this migration for older visitors. Old visitors are deleted. */
const daysOfVisitors = 'ALTER TABLE visitors ADD COLUMN seen INTEGER NOT NULL DEFAULT {today};';

/** The addresses at which processes serve the links, with their leases. */
const addresses = `
  CREATE TABLE addresses (
    account_id INTEGER NOT NULL,
    process TEXT NOT NULL,
    address TEXT NOT NULL,
    leased_until INTEGER NOT NULL,
    PRIMARY KEY (account_id, process)
  ) STRICT, WITHOUT ROWID;
`;

/** The version of a file is the number of migrations that it has. */
const migrations: readonly string[] = [initialTables, clicksOfDays, daysOfVisitors + addresses];
const version = migrations.length;

/** Of several processes, one migrates the file. */
export function createSchema(connection: Connection, now: number): void {
  if (storedVersion(connection) === version) return;
  connection.write(() => {
    const stored = storedVersion(connection);
    if (stored === version) return;
    if (stored > version) throw new Error('the stored links were written by a newer version of linkctl; use that version');
    const text = migrations
      .slice(stored)
      .join('')
      .replace('{today}', String(dayOf(now)));
    connection.exec(`${text} PRAGMA user_version=${version}`);
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
