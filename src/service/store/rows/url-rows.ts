import { hash as digest } from 'node:crypto';
import type { StoredDomain, StoredUrl } from '../store.ts';
import type { AccountRows } from './account-rows.ts';
import { type Aggregated, aggregated, type Dialect, type ListedValue, type Statement, type Value } from './queries.ts';

/** An index key of 48 bits. URLs with equal keys must be compared in full. */
export function longUrlKey(longUrl: string): number {
  return digest('sha256', longUrl, 'buffer').readUIntBE(0, 6);
}

/** The columns of `changedUrls`. */
export const valueColumns = 'id, hash, long_url, long_url_key, note, email_stats, expiration_date, max_clicks';

type ChangedUrl = Pick<StoredUrl, 'id' | 'hash' | 'longUrl' | 'note' | 'emailStats' | 'expirationDate' | 'maxClicks'>;

/** The stored values of URLs as a table `e`. */
export function changedUrls(dialect: Dialect, urls: readonly ChangedUrl[]): Statement {
  const [number, text] = ['BIGINT', 'TEXT'] as const;
  return dialect.table(
    'e',
    {
      ...{ id: number, hash: text, long_url: text, long_url_key: number },
      ...{ note: text, email_stats: number, expiration_date: text, max_clicks: number },
    },
    urls.map(({ id, hash, longUrl, note, emailStats, expirationDate, maxClicks }) => ({
      ...{ id, hash, long_url: longUrl, long_url_key: longUrlKey(longUrl) },
      ...{ note, email_stats: Number(emailStats), expiration_date: expirationDate, max_clicks: maxClicks },
    })),
  );
}

/** A URL as a list, which every engine reads faster than a row. Flags are 0 or 1. */
type UrlRow = readonly [
  id: number,
  domainId: number,
  hash: string,
  longUrl: string,
  note: string,
  emailStats: number,
  expirationDate: string | null,
  maxClicks: number,
  totalClicks: number,
  uniqueClicks: number,
  lastVisit: number | null,
  labels: Aggregated<string>,
];

export type UrlRows = Aggregated<UrlRow>;

/** All selected `urls AS u` with their labels as one value, `UrlRows`, so that a page is one snapshot. */
export function aggregatedUrls({ jsonAggregate, jsonList, byBytes }: Dialect): string {
  return `${jsonAggregate}(${jsonList}(u.id, u.domain_id, u.hash, u.long_url, u.note, u.email_stats, u.expiration_date, u.max_clicks,
    u.total_clicks, u.unique_clicks, u.last_visit, (
      SELECT ${jsonAggregate}(t.label ORDER BY t.folded${byBytes}) FROM url_tags AS l CROSS JOIN tags AS t
      WHERE l.account_id = u.account_id AND l.url_id = u.id AND t.account_id = l.account_id AND t.id = l.tag_id
    )))`;
}

export async function urlsOf({ domains }: AccountRows, found: UrlRows): Promise<StoredUrl[]> {
  const rows = aggregated(found);
  let known = await domains.list();
  const domainOf = ([, domainId]: UrlRow): StoredDomain | undefined => known.find(({ id }) => id === domainId);
  // The cached list may lack a domain that another process has just added.
  if (!rows.every(domainOf)) known = await domains.renewed();
  return rows.map((row) => {
    const [id, , hash, longUrl, note, emailStats, expirationDate, maxClicks, totalClicks, uniqueClicks, lastVisit, labels] = row;
    const domain = domainOf(row);
    if (!domain) throw new Error(`the link ${hash} has no domain`);
    const counts = { totalClicks, uniqueClicks, lastVisit };
    const values = { hash, longUrl, note, emailStats: emailStats !== 0, expirationDate, maxClicks };
    return { id, domain, ...values, ...counts, tags: aggregated(labels) };
  });
}

/** In the order of `ids`. */
export async function readUrls(rows: AccountRows, ids: readonly number[]): Promise<StoredUrl[]> {
  const text = `SELECT ${aggregatedUrls(rows.queries.dialect)} AS urls ${rows.queries.dialect.urlsAmong('id')}`;
  return inOrder(ids, await readList(rows, text, ids, rows.accountId), ({ id }) => id);
}

/** In the order of `hashes`, without unknown ones. */
export async function findUrls(rows: AccountRows, domain: StoredDomain, hashes: readonly string[]): Promise<StoredUrl[]> {
  const { dialect } = rows.queries;
  const text = `SELECT ${aggregatedUrls(dialect)} AS urls ${dialect.urlsAmong('hash')} AND u.domain_id = ?`;
  return inOrder(hashes, await readList(rows, text, hashes, rows.accountId, domain.id), ({ hash }) => hash);
}

async function readList(rows: AccountRows, text: string, list: ListedValue & object, ...values: Value[]): Promise<StoredUrl[]> {
  if (list.length === 0) return [];
  const found = await rows.queries.first<{ urls: UrlRows }>(text, list, ...values);
  return urlsOf(rows, found?.urls ?? null);
}

export function inOrder<Key>(keys: readonly Key[], urls: readonly StoredUrl[], keyOf: (url: StoredUrl) => Key): StoredUrl[] {
  const byKey = new Map(urls.map((url) => [keyOf(url), url]));
  return keys.flatMap((key) => byKey.get(key) ?? []);
}

/** Omits unknown hashes. */
export async function findIds(
  { queries, accountId }: AccountRows,
  domain: StoredDomain,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { jsonAggregate, jsonList, urlsAmong } = queries.dialect;
  const text = `SELECT ${jsonAggregate}(${jsonList}(u.hash, u.id)) AS ids ${urlsAmong('hash')} AND u.domain_id = ?`;
  const found = await queries.first<{ ids: Aggregated<[hash: string, id: number]> }>(text, hashes, accountId, domain.id);
  return new Map(aggregated(found?.ids ?? null));
}
