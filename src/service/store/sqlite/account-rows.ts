import type { Connection } from '../../../files/sqlite.ts';
import {
  addressLease,
  conflictingAddress,
  type DomainRow,
  type PlacedDomain,
  placeDomains,
  storedDomains,
} from '../domain-plan.ts';
import type { StoredDomain, Usage } from '../store.ts';
import { newSalt, type StoreOptions } from '../store-options.ts';
import { callsOfDay, type Tally, urlsOfMonth } from '../tallies.ts';

/** The context of every query: the account, the clock and the random source. */
export interface AccountRows {
  readonly connection: Connection;
  readonly accountId: number;
  /** Salts the hashes of visitors. */
  readonly salt: string;
  readonly now: () => number;
  readonly random: (size: number) => Uint8Array;
}

/** Creates the account if it does not exist. */
export function openAccount(connection: Connection, username: string, outside: Pick<AccountRows, 'now' | 'random'>): AccountRows {
  const find = () =>
    connection.sql('SELECT id, salt FROM accounts WHERE username = ?').get<{ id: number; salt: string }>(username);
  if (!find()) {
    connection
      .sql('INSERT INTO accounts (username, salt) VALUES (?, ?) ON CONFLICT DO NOTHING')
      .run(username, newSalt(outside.random));
  }
  const row = find();
  if (!row) throw new Error(`the account ${username} cannot be stored`);
  return { connection, accountId: row.id, salt: row.salt, ...outside };
}

export function listDomains({ connection, accountId }: AccountRows): StoredDomain[] {
  const rows = connection
    .sql(
      `SELECT id, name, hash_generation, redirect_code, use_https, custom_root_page, custom_404_page
       FROM domains WHERE account_id = ? ORDER BY position, id`,
    )
    .all<DomainRow>(accountId);
  return storedDomains(rows);
}

/** Stores the configured domains in order. */
export function openDomains(rows: AccountRows, { domains, edition }: Pick<StoreOptions, 'domains' | 'edition'>): void {
  if (!placeDomains(listDomains(rows), domains, edition)) return;
  rows.connection.write(() => {
    const placed = placeDomains(listDomains(rows), domains, edition) ?? [];
    for (const [position, domain] of placed.entries()) placeDomain(rows, domain, position);
  });
}

function placeDomain({ connection, accountId }: AccountRows, { id, values }: PlacedDomain, position: number): void {
  const columns = 'name, hash_generation, redirect_code, use_https, custom_root_page, custom_404_page';
  const text =
    id === undefined
      ? `INSERT INTO domains (${columns}, position, account_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
      : `UPDATE domains SET (${columns}, position) = (?, ?, ?, ?, ?, ?, ?) WHERE account_id = ? AND id = ?`;
  connection.sql(text).run(...values, position, accountId, ...(id === undefined ? [] : [id]));
}

/** Uses the local clock, because all processes are on one machine. */
export function claimAddress({ connection, accountId, now }: AccountRows, process: string, address: string): string | undefined {
  const other = conflictingAddress(servedAddresses({ connection, accountId, now }), address);
  if (other !== undefined) return other;
  connection
    .sql('DELETE FROM addresses WHERE account_id = ? AND (leased_until < ? OR process = ?)')
    .run(accountId, now(), process);
  connection.sql('INSERT INTO addresses VALUES (?, ?, ?, ?)').run(accountId, process, address, now() + addressLease);
  return undefined;
}

export function servedAddresses({ connection, accountId, now }: Pick<AccountRows, 'connection' | 'accountId' | 'now'>): string[] {
  const text = 'SELECT address FROM addresses WHERE account_id = ? AND leased_until >= ? ORDER BY leased_until DESC';
  return connection
    .sql(text)
    .all<{ address: string }>(accountId, now())
    .map(({ address }) => address);
}

export function releaseAddress({ connection, accountId }: AccountRows, process: string): void {
  connection.sql('DELETE FROM addresses WHERE account_id = ? AND process = ?').run(accountId, process);
}

/** Reads a stored count of one domain or all domains, which every change updates. */
export function countUrls({ connection, accountId }: AccountRows, domain?: StoredDomain): number {
  const total = 'SELECT coalesce(sum(urls), 0) AS count FROM domains WHERE account_id = ? AND id = coalesce(?, id)';
  return connection.count(total, accountId, domain?.id ?? null);
}

export function readTally({ connection, accountId }: AccountRows, tally: Tally): number {
  const text = 'SELECT count FROM tallies WHERE account_id = ? AND name = ? AND period = ?';
  return connection.count(text, accountId, tally.name, tally.period);
}

/** Returns the new value. Changes nothing and returns undefined if that exceeds `limit`. */
export function addToTally(
  { connection, accountId }: AccountRows,
  tally: Tally,
  amount: number,
  limit: number,
): number | undefined {
  if (amount > limit) return undefined;
  return connection
    .sql(
      `INSERT INTO tallies (account_id, name, period, count) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET count = count + excluded.count WHERE count + excluded.count <= ? RETURNING count`,
    )
    .get<{ count: number }>(accountId, tally.name, tally.period, amount, limit)?.count;
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
