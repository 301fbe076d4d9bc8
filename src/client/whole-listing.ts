import { UnavailableError } from '../base/errors.ts';
import { type AccountDomains, enumerated } from '../contract/link.ts';
import type { UrlRecord } from '../contract/records.ts';
import { isSameDomain } from '../contract/web-address.ts';
import type { Client } from './client.ts';
import { type ListSelection, urlPages } from './pages.ts';

export interface ListedAccount {
  readonly client: Client;
  /** Edition A: the working domain in ASCII; undefined for the account's default. */
  readonly domain: string | undefined;
  /** True if `--domain` was given; false for a default of environment or profile. */
  readonly domainNamed: boolean;
  /** Edition A. Sends at most one request. */
  domains(): Promise<AccountDomains>;
}

export function ofEveryDomain(selection: ListSelection, { names }: AccountDomains): ListSelection[] {
  return names.length > 1 ? names.map((domain) => ({ ...selection, domain })) : [selection];
}

/** Lists each domain, even if the profile has a working domain. */
export async function wholeAccount({ client, domains }: Pick<ListedAccount, 'client' | 'domains'>): Promise<ListSelection[]> {
  return client.edition === 'b' ? [{}] : ofEveryDomain({}, await domains());
}

/** Names the domains that are not covered; empty with `--domain` or for a single domain. `advice` says how to cover them. */
export async function coverage(
  { client, domain, domainNamed, domains }: ListedAccount,
  advice = ' To include all domains, use --all-domains.',
): Promise<string[]> {
  if (client.edition === 'b' || domainNamed) return [];
  // The listing itself succeeded, so a note must not make it fail.
  const account = await domains().catch(() => undefined);
  if (!account) return [`Covers one domain; the account may have others.${advice}`];
  const { names, defaultDomain } = account;
  if (names.length < 2) return [];
  const covered = domain ?? defaultDomain;
  const others = names.filter((name) => covered === undefined || !isSameDomain(name, covered));
  return [`Covers only ${covered ?? 'the default domain'}, ${covered ? 'not' : 'of'} ${enumerated(others, 'and', 10)}.${advice}`];
}

export interface CutListing {
  /** Undefined if the server's total does not agree with the rows. */
  readonly total: number | undefined;
  /** False if the server could not be asked for a further row. */
  readonly isCertain: boolean;
}

/**
 * Undefined if there are no further rows. A total equal to the number of rows may describe only the page, so one more row is requested.
 */
export async function cutListing(
  client: Client,
  selections: readonly ListSelection[],
  { offset, shown, total }: { readonly offset: number; readonly shown: number; readonly total: number | undefined },
): Promise<CutListing | undefined> {
  if (total !== undefined && total > offset + shown) return { total, isCertain: true };
  const [only, ...others] = selections;
  const isMore = only && others.length === 0 ? await hasRowsAt(client, only, offset + shown) : undefined;
  if (isMore === false) return undefined;
  return { total: undefined, isCertain: isMore === true };
}

/** Undefined if the server cannot answer. */
async function hasRowsAt(client: Client, selection: ListSelection, offset: number): Promise<boolean | undefined> {
  try {
    const { value } = await urlPages(client, selection, { offset, limit: 1 }).next();
    return value !== undefined && value.rows.length > 0;
  } catch {
    return undefined;
  }
}

/** Several domains can share a hash. If the server does not list its domains, whoever only shows links assumes so. */
export async function hasSeveralDomains({ client, domains }: Pick<ListedAccount, 'client' | 'domains'>): Promise<boolean> {
  return client.edition === 'a' && (await domains()).names.length > 1;
}

interface UrlCount {
  readonly count: number;
  readonly first: readonly UrlRecord[];
}

/**
 * Counts the links before a change. The server's total is trusted only if the listing ends there; otherwise all rows are counted. Throws
 * if they cannot be counted.
 */
export async function countUrls(
  client: Client,
  selection: ListSelection,
  { shown }: { readonly shown: number },
): Promise<UrlCount> {
  const { urls, page } = await client.send('listUrls', { query: { ...selection, limit: shown } });
  const first = urls.slice(0, shown);
  const total: unknown = page?.total_count;
  if (Number.isSafeInteger(total) && Number(total) >= urls.length) {
    const count = Number(total);
    if (await endsAt(count, selection, client)) return { count, first };
  }
  const pages = urlPages(client, selection, { all: true }, { untilEmpty: true, warn: refuseIncomplete });
  let count = 0;
  for await (const { rows } of pages) count += rows.length;
  return { count, first };
}

/** For whoever needs all links: a part of a selection is not what was requested, and links that are not listed would look deleted. */
export function refuseIncomplete(message: string): never {
  throw new UnavailableError(message);
}

/** True if there is a row at the last position and none after it. */
async function endsAt(count: number, selection: ListSelection, client: Client): Promise<boolean> {
  if (count === 0) return true;
  const { urls } = await client.send('listUrls', { query: { ...selection, offset: count - 1, limit: 2 } });
  return urls.length === 1;
}
