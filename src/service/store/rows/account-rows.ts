import type { DomainList } from '../domain-list.ts';
import {
  addressLease,
  conflictingAddress,
  type DomainRow,
  type PlacedDomain,
  placeDomains,
  storedDomains,
} from '../domain-plan.ts';
import { clock } from '../postgres/lease.ts';
import { version } from '../postgres/schema.ts';
import type { StoredDomain, Usage } from '../store.ts';
import { OutdatedProgram } from '../store-errors.ts';
import { newSalt, type StoreOptions } from '../store-options.ts';
import { callsOfDay, type Tally, urlsOfMonth } from '../tallies.ts';
import type { Queries } from './queries.ts';

/** The context of every query: the account, the clock and the random source. */
export interface AccountRows {
  readonly queries: Queries;
  readonly accountId: number;
  readonly domains: DomainList;
  /** Salts the hashes of visitors. */
  readonly salt: string;
  readonly now: () => number;
  readonly random: (size: number) => Uint8Array;
}

/** Creates the account if it does not exist. */
export async function openAccount(queries: Queries, options: StoreOptions): Promise<{ accountId: number; salt: string }> {
  const { edition, username, random } = options;
  for (;;) {
    const row = await queries.first<{ id: number; salt: string }>(
      'SELECT id, salt FROM accounts WHERE edition = ? AND username = ?',
      edition,
      username,
    );
    if (row) return { accountId: row.id, salt: row.salt };
    await queries.run(
      `INSERT INTO accounts (id, edition, username, salt)
       SELECT coalesce(max(id), 0) + 1, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT) FROM accounts ON CONFLICT DO NOTHING`,
      edition,
      username,
      newSalt(random),
    );
  }
}

type OwnRows = Pick<AccountRows, 'queries' | 'accountId'>;

/**
 * The first statement of every change of an account serializes all changes. It is an update because a read lock is not effective under
 * snapshot isolation. Throws if a newer version of linkctl has migrated the tables.
 */
export async function lockAccount({ queries, accountId }: OwnRows): Promise<void> {
  const text = `UPDATE accounts SET writes = writes + 1 WHERE id = ? AND (SELECT version FROM linkctl_schema WHERE id = 1) = ${version}`;
  if ((await queries.run(text, accountId)) === 0) throw new OutdatedProgram();
}

export async function listDomains({ queries, accountId }: OwnRows): Promise<StoredDomain[]> {
  const rows = await queries.all<DomainRow>(
    `SELECT id, name, hash_generation, redirect_code, use_https, custom_root_page, custom_404_page
     FROM domains WHERE account_id = ? ORDER BY position, id`,
    accountId,
  );
  return storedDomains(rows);
}

/** Stores the configured domains in order, in the caller's transaction. */
export async function openDomains(rows: OwnRows, { domains, edition }: Pick<StoreOptions, 'domains' | 'edition'>): Promise<void> {
  const stored = await listDomains(rows);
  let lastId = Math.max(0, ...stored.map(({ id }) => id));
  for (const [position, domain] of (placeDomains(stored, domains, edition) ?? []).entries()) {
    if (domain.id === undefined) lastId += 1;
    await placeDomain(rows, domain, position, lastId);
  }
}

async function placeDomain(
  { queries, accountId }: OwnRows,
  domain: PlacedDomain,
  position: number,
  newId: number,
): Promise<void> {
  const columns = 'name, hash_generation, redirect_code, use_https, custom_root_page, custom_404_page';
  const text =
    domain.id === undefined
      ? `INSERT INTO domains (${columns}, position, account_id, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
      : `UPDATE domains SET (${columns}, position) = (?, ?, ?, ?, ?, ?, ?) WHERE account_id = ? AND id = ?`;
  await queries.run(text, ...domain.values, position, accountId, domain.id ?? newId);
}

/** Runs in the caller's transaction, which holds the lock of the account. */
export async function claimAddress(
  { queries, accountId }: OwnRows,
  process: string,
  address: string,
): Promise<string | undefined> {
  const other = conflictingAddress(await servedAddresses({ queries, accountId }), address);
  if (other !== undefined) return other;
  await queries.run(
    `DELETE FROM addresses WHERE account_id = ? AND (leased_until < ${clock} OR process = ?)`,
    accountId,
    process,
  );
  const text = `INSERT INTO addresses (account_id, process, address, leased_until) VALUES (?, ?, ?, ${clock} + ${addressLease})`;
  await queries.run(text, accountId, process, address);
  return undefined;
}

export async function servedAddresses({ queries, accountId }: OwnRows): Promise<string[]> {
  const text = `SELECT address FROM addresses WHERE account_id = ? AND leased_until >= ${clock} ORDER BY leased_until DESC`;
  return (await queries.all<{ address: string }>(text, accountId)).map(({ address }) => address);
}

export async function releaseAddress({ queries, accountId }: OwnRows, process: string): Promise<void> {
  await queries.run('DELETE FROM addresses WHERE account_id = ? AND process = ?', accountId, process);
}

/** Reads a stored count of one domain or all domains, which every change updates. */
export async function countUrls({ queries, accountId }: AccountRows, domain?: StoredDomain): Promise<number> {
  const text = `SELECT coalesce(sum(urls), 0) AS count FROM domains WHERE account_id = ? AND id = coalesce(CAST(? AS BIGINT), id)`;
  return (await queries.first<{ count: number }>(text, accountId, domain?.id ?? null))?.count ?? 0;
}

export async function readTally({ queries, accountId }: AccountRows, { name, period }: Tally): Promise<number> {
  const text = 'SELECT count FROM tallies WHERE account_id = ? AND name = ? AND period = ?';
  return (await queries.first<{ count: number }>(text, accountId, name, period))?.count ?? 0;
}

/** Returns the new value. Changes nothing and returns undefined if that exceeds `limit`. */
export async function addToTally(
  { queries, accountId }: AccountRows,
  tally: Tally,
  amount: number,
  limit: number,
): Promise<number | undefined> {
  if (amount > limit) return undefined;
  const row = await queries.first<{ count: number }>(
    `INSERT INTO tallies AS t (account_id, name, period, count) VALUES (?, ?, ?, ?)
     ON CONFLICT (account_id, name, period) DO UPDATE SET count = t.count + excluded.count WHERE t.count + excluded.count <= ? RETURNING count`,
    accountId,
    tally.name,
    tally.period,
    amount,
    limit,
  );
  return row?.count;
}

export async function readUsage(rows: AccountRows): Promise<Usage> {
  const now = rows.now();
  const [urls, callsToday, urlsThisMonth] = await Promise.all([
    countUrls(rows),
    readTally(rows, callsOfDay(now)),
    readTally(rows, urlsOfMonth(now)),
  ]);
  return { userId: String(rows.accountId), urls, callsToday, urlsThisMonth };
}
