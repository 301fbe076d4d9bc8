import { isLocalhost } from '../../../contract/web-address.ts';
import type { DomainSettings, StoredDomain, Usage } from '../store.ts';
import type { Connection } from './connection.ts';

/** The rows of one account, the clock, and the randomness: what every query of the store needs. */
export interface AccountRows {
  readonly connection: Connection;
  readonly accountId: number;
  /** Salts the hashes of visitors. */
  readonly salt: string;
  readonly now: () => number;
  readonly random: (size: number) => Uint8Array;
}

/** Finds the account of `username`, or makes it. */
export function openAccount(connection: Connection, username: string, outside: Pick<AccountRows, 'now' | 'random'>): AccountRows {
  const find = () =>
    connection.sql('SELECT id, salt FROM accounts WHERE username = ?').get<{ id: number; salt: string }>(username);
  if (!find()) {
    const salt = Buffer.from(outside.random(16)).toString('hex');
    connection.sql('INSERT INTO accounts (username, salt) VALUES (?, ?) ON CONFLICT DO NOTHING').run(username, salt);
  }
  const row = find();
  if (!row) throw new Error(`the account ${username} cannot be stored`);
  return { connection, accountId: row.id, salt: row.salt, ...outside };
}

interface DomainRow {
  id: number;
  name: string;
  position: number;
  hash_generation: 'incremental' | 'random';
  redirect_code: string;
  use_https: number;
  custom_root_page: string;
  custom_404_page: string;
}

export function listDomains({ connection, accountId }: AccountRows): StoredDomain[] {
  const rows = connection
    .sql(
      `SELECT id, name, position, hash_generation, redirect_code, use_https, custom_root_page, custom_404_page
       FROM domains WHERE account_id = ? ORDER BY position, id`,
    )
    .all<DomainRow>(accountId);
  return rows.map((row, index) => ({
    id: row.id,
    name: row.name,
    isDefault: index === 0,
    hashGeneration: row.hash_generation,
    redirectCode: row.redirect_code,
    useHttps: row.use_https !== 0,
    customRootPage: row.custom_root_page,
    custom404Page: row.custom_404_page,
  }));
}

/** Puts the given domains first, in their order; stored ones that are not named stay usable behind them. */
export function placeDomains(rows: AccountRows, wanted: readonly DomainSettings[]): void {
  const { connection, accountId } = rows;
  const stored = listDomains(rows);
  if (wanted.every((settings, index) => matches(stored[index], settings))) return;
  connection.write(() => {
    connection.sql('UPDATE domains SET position = position + ? WHERE account_id = ?').run(wanted.length, accountId);
    for (const [position, settings] of wanted.entries()) {
      connection
        .sql(
          'INSERT INTO domains (account_id, name, position) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET position = excluded.position',
        )
        .run(accountId, settings.name, position);
      setUpDomain(rows, settings);
    }
  });
}

/** Edition B has one domain: another name renames it, and its links stay with it. */
export function placeOnlyDomain(rows: AccountRows, wanted: DomainSettings): void {
  const [stored] = listDomains(rows);
  if (stored && stored.name !== wanted.name) {
    rows.connection.sql('UPDATE domains SET name = ? WHERE account_id = ?').run(wanted.name, rows.accountId);
  }
  placeDomains(rows, [wanted]);
}

/** See `Store`. */
export function renameLocalDomain(rows: AccountRows, name: string): void {
  const stored = listDomains(rows);
  const [first] = stored;
  if (!first || !isLocalhost(first.name) || stored.some((domain) => domain.name === name)) return;
  rows.connection.sql('UPDATE domains SET name = ? WHERE account_id = ? AND id = ?').run(name, rows.accountId, first.id);
}

/** What a domain is set up with, and the columns that hold it. */
const settable = [
  ['hashGeneration', 'hash_generation'],
  ['redirectCode', 'redirect_code'],
  ['useHttps', 'use_https'],
  ['customRootPage', 'custom_root_page'],
  ['custom404Page', 'custom_404_page'],
] as const;

function matches(stored: StoredDomain | undefined, settings: DomainSettings): boolean {
  if (stored?.name !== settings.name) return false;
  return settable.every(([key]) => settings[key] === undefined || settings[key] === stored[key]);
}

function setUpDomain({ connection, accountId }: AccountRows, settings: DomainSettings): void {
  for (const [key, column] of settable) {
    const value = settings[key];
    if (value === undefined) continue;
    connection
      .sql(`UPDATE domains SET ${column} = ? WHERE account_id = ? AND name = ?`)
      .run(typeof value === 'boolean' ? Number(value) : value, accountId, settings.name);
  }
}

/** Records of one domain, or of the account in all its domains; kept up to date by every change. */
export function countUrls({ connection, accountId }: AccountRows, domain?: StoredDomain): number {
  const total = 'SELECT coalesce(sum(urls), 0) AS count FROM domains WHERE account_id = ? AND id = coalesce(?, id)';
  return connection.count(total, accountId, domain?.id ?? null);
}

/** Things that are counted per calendar period, the period being the start of an ISO date. */
export type Tally = { readonly name: 'calls'; readonly period: string } | { readonly name: 'urls'; readonly period: string };

/** The UTC day is our reading of "today" (FIELD-NOTES, "still unknown"; API.md 4.1.6). */
export function callsOfDay(now: number): Tally {
  return { name: 'calls', period: new Date(now).toISOString().slice(0, 10) };
}

export function urlsOfMonth(now: number): Tally {
  return { name: 'urls', period: new Date(now).toISOString().slice(0, 7) };
}

export function readTally({ connection, accountId }: AccountRows, tally: Tally): number {
  const text = 'SELECT count FROM tallies WHERE account_id = ? AND name = ? AND period = ?';
  return connection.count(text, accountId, tally.name, tally.period);
}

/** Adds to a tally unless that takes it above `limit`; whether it did. */
export function addToTally({ connection, accountId }: AccountRows, tally: Tally, amount: number, limit: number): boolean {
  if (amount > limit) return false;
  const { changes } = connection
    .sql(
      `INSERT INTO tallies (account_id, name, period, count) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET count = count + excluded.count WHERE count + excluded.count <= ?`,
    )
    .run(accountId, tally.name, tally.period, amount, limit);
  return Number(changes) > 0;
}

export function readUsage(rows: AccountRows): Usage {
  const now = rows.now();
  return {
    userId: String(rows.accountId),
    urls: countUrls(rows),
    callsToday: readTally(rows, callsOfDay(now)),
    urlsThisMonth: readTally(rows, urlsOfMonth(now)),
  };
}
