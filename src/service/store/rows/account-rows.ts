import { utcDay } from '../../../base/times.ts';
import { addressLease, changesShortUrls, conflictingAddress, linksOf, type PlacedDomain, placeDomains } from '../domain-plan.ts';
import type { AccountLinks, StoredDomain, Usage } from '../store.ts';
import type { StoreOptions } from '../store-options.ts';
import { isLeased, only, type Queries, type Statement } from './queries.ts';

/** The context of every query: the account, the process, the clock and the random source. */
export interface AccountRows {
  readonly queries: Queries;
  readonly accountId: number;
  /** Identifies this process among those of the account. */
  readonly process: string;
  /** The cached list may be a second old. */
  readonly domains: { list(): Promise<readonly StoredDomain[]>; renewed(): Promise<readonly StoredDomain[]> };
  /** Salts the hashes of visitors. */
  readonly salt: string;
  readonly now: () => number;
  readonly random: (size: number) => Uint8Array;
}

export type OwnRows = Pick<AccountRows, 'queries' | 'accountId'>;

export async function listDomains({ queries, accountId }: OwnRows): Promise<StoredDomain[]> {
  const rows = await queries.all<Pick<StoredDomain, 'id' | 'name'> & { readonly useHttps: number }>(
    'SELECT id, name, use_https AS "useHttps" FROM domains WHERE account_id = ? ORDER BY position, id',
    accountId,
  );
  return rows.map((row, index) => ({ ...row, isDefault: index === 0, useHttps: row.useHttps !== 0 }));
}

/** Stores the domains in order. */
async function storeDomains({ queries, accountId }: OwnRows, placed: readonly PlacedDomain[]): Promise<void> {
  const columns = 'name, use_https, position';
  // Nothing sets them, and nothing reads them.
  const [unused, defaults] = ['hash_generation, redirect_code, custom_root_page, custom_404_page', "'random', '303', '', ''"];
  const newId = `(SELECT coalesce(max(id), 0) + 1 FROM domains WHERE ${queries.dialect.idScope})`;
  // Domains may exchange their names, which are unique.
  if (placed.length > 0) await queries.run("UPDATE domains SET name = '/' || CAST(id AS TEXT) WHERE account_id = ?", accountId);
  for (const [position, { id, name, useHttps }] of placed.entries()) {
    const text =
      id === undefined
        ? `INSERT INTO domains (${columns}, ${unused}, account_id, id) VALUES (?, ?, ?, ${defaults}, ?, ${newId})`
        : `UPDATE domains SET (${columns}) = (?, ?, ?) WHERE account_id = ? AND id = ?`;
    await queries.run(text, name, Number(useHttps), position, accountId, id ?? accountId);
  }
}

/**
 * Changes nothing, and returns the address or domain of another process, if its address conflicts with the own one, or if it would
 * print other short URLs.
 */
export async function openAt(
  rows: AccountRows,
  address: string | undefined,
  { domains, edition }: StoreOptions,
): Promise<string | undefined> {
  const stored = await listDomains(rows);
  const placed = placeDomains(stored, domains, edition) ?? [];
  if (address !== undefined && changesShortUrls(stored, placed)) {
    // Another machine may have the same local address.
    const [other] = await servedAddresses(rows, rows.process);
    if (other !== undefined) return linksOf(other, stored, address);
  }
  const conflicting = address === undefined ? undefined : await claimAddress(rows, address);
  if (conflicting === undefined) await storeDomains(rows, placed);
  return conflicting;
}

/** Runs in the caller's transaction, so that of two processes one sees the other. */
export async function claimAddress(rows: AccountRows, address: string): Promise<string | undefined> {
  const { queries, accountId, process } = rows;
  const other = conflictingAddress(await servedAddresses(rows), address);
  if (other !== undefined) return other;
  const old = `DELETE FROM addresses WHERE account_id = ? AND (process = ? OR NOT (${isLeased(queries.dialect, addressLease)}))`;
  await queries.run(old, accountId, process);
  const end = `${queries.dialect.clock} + ${addressLease}`;
  const text = `INSERT INTO addresses (account_id, process, address, leased_until) VALUES (?, ?, ?, ${end})`;
  await queries.run(text, accountId, process, address);
  return undefined;
}

/** The newest first, without those of `process`. */
export async function servedAddresses({ queries, accountId }: OwnRows, process = ''): Promise<string[]> {
  const isValid = isLeased(queries.dialect, addressLease);
  const text = `SELECT address FROM addresses WHERE account_id = ? AND process <> ? AND ${isValid} ORDER BY leased_until DESC`;
  return (await queries.all<{ address: string }>(text, accountId, process)).map(({ address }) => address);
}

export async function releaseAddress({ queries, accountId, process }: AccountRows): Promise<void> {
  await queries.run('DELETE FROM addresses WHERE account_id = ? AND process = ?', accountId, process);
}

/** Takes the account. Every change updates the stored counts. */
export const urlCount = 'SELECT coalesce(sum(urls), 0) FROM domains WHERE account_id = ?';

/** Accounts without links are left out. `edition` is an expression: not every engine has the column. */
export function listAccounts({ all }: Pick<Queries, 'all'>, edition: string): Promise<AccountLinks[]> {
  return all<AccountLinks>(
    `SELECT ${edition} AS edition, a.username AS username, sum(d.urls) AS links
     FROM accounts AS a JOIN domains AS d ON d.account_id = a.id
     GROUP BY a.id, a.username, ${edition} HAVING sum(d.urls) > 0`,
  );
}

/** Counters per calendar period. Takes the account, the name and the period, which is the start of an ISO date. */
export const tallyCount = 'SELECT coalesce(sum(count), 0) FROM tallies WHERE account_id = ? AND name = ? AND period = ?';

const addToTally = `INSERT INTO tallies AS t (account_id, name, period, count) VALUES (?, ?, ?, ?)
  ON CONFLICT (account_id, name, period) DO UPDATE SET count = t.count + excluded.count`;

export function monthOfUrls(time: number): readonly [name: string, period: string] {
  return ['urls', utcDay(time).slice(0, 7)];
}

/** Returns the new value. Changes nothing and returns undefined if that exceeds `limit`. */
export async function addCalls(rows: OwnRows, day: string, amount: number, limit: number): Promise<number | undefined> {
  if (amount > limit) return undefined;
  const text = `${addToTally} WHERE t.count + excluded.count <= ? RETURNING count`;
  const values = [rows.accountId, 'calls', day, amount, limit];
  return (await rows.queries.first<{ count: number }>(text, ...values))?.count;
}

export function tallyUrls({ accountId }: OwnRows, time: number, amount: number): Statement {
  return { sql: addToTally, values: [accountId, ...monthOfUrls(time), amount] };
}

export async function readUsage({ queries, accountId, now }: AccountRows): Promise<Usage> {
  const time = now();
  const usage = await queries.all<Omit<Usage, 'userId'>>(
    `SELECT (${urlCount}) AS urls, (${tallyCount}) AS "callsToday", (${tallyCount}) AS "urlsThisMonth"`,
    ...[accountId, accountId, 'calls', utcDay(time), accountId, ...monthOfUrls(time)],
  );
  return { ...only(usage), userId: String(accountId) };
}
