import { hash as digest } from 'node:crypto';
import type { StoredDomain, StoredUrl } from '../store.ts';
import type { AccountRows, OwnRows } from './account-rows.ts';
import { type Columns, type Dialect, only, rowsOf, type Statement } from './queries.ts';

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

/** A URL without its labels. Flags are 0 or 1. */
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
];

const urlColumns = [
  ...['id', 'domain_id', 'hash', 'long_url', 'note', 'email_stats', 'expiration_date', 'max_clicks'],
  ...['total_clicks', 'unique_clicks', 'last_visit'],
];

/** The labels of each URL are in order. */
export interface FoundUrls {
  readonly urls: Columns<UrlRow>;
  readonly labels: Columns<readonly [urlId: number, label: string]>;
}

/** A table for `WITH`. `from` begins with FROM and has `urls AS u`. */
export function foundTable(from: string): string {
  return `found AS (SELECT ${urlColumns.map((column) => `u.${column}`).join(', ')} ${from})`;
}

/** Reads the table `found` as the columns of `FoundUrls`. One join of all labels takes half as long as one for each URL. */
export function foundUrls({ queries: { dialect }, accountId }: OwnRows): Statement {
  const { jsonAggregate, jsonList, byBytes } = dialect;
  const columns = (names: readonly string[]) => `${jsonList}(${names.map((name) => `${jsonAggregate}(${name})`).join(', ')})`;
  return {
    sql: `(SELECT ${columns(urlColumns)} FROM found) AS urls,
      (SELECT ${columns(['url_id', 'label'])} FROM (
        SELECT l.url_id, t.label FROM found CROSS JOIN url_tags AS l CROSS JOIN tags AS t
        WHERE l.account_id = ? AND l.url_id = found.id AND t.account_id = ? AND t.id = l.tag_id ORDER BY t.folded${byBytes}
      ) AS labelled) AS labels`,
    values: [accountId, accountId],
  };
}

export async function urlsOf({ domains }: AccountRows, found: FoundUrls): Promise<StoredUrl[]> {
  const rows = rowsOf(found.urls);
  let known = await domains.list();
  const domainOf = ([, domainId]: UrlRow): StoredDomain | undefined => known.find(({ id }) => id === domainId);
  // The cached list may lack a domain that another process has just added.
  if (!rows.every(domainOf)) known = await domains.renewed();
  const tags = new Map<number, string[]>(rows.map(([id]) => [id, []]));
  for (const [urlId, label] of rowsOf(found.labels)) tags.get(urlId)?.push(label);
  return rows.map((row) => {
    const [id, , hash, longUrl, note, emailStats, expirationDate, maxClicks, totalClicks, uniqueClicks, lastVisit] = row;
    const domain = domainOf(row);
    if (!domain) throw new Error(`the link ${hash} has no domain`);
    const counts = { totalClicks, uniqueClicks, lastVisit };
    const values = { hash, longUrl, note, emailStats: emailStats !== 0, expirationDate, maxClicks };
    return { id, domain, ...values, ...counts, tags: tags.get(id) ?? [] };
  });
}

/** From `FROM` on: the URLs of a domain that have these hashes, as `u`. */
export function urlsNamed({ queries, accountId }: OwnRows, domain: StoredDomain, hashes: readonly string[]): Statement {
  return { sql: `${queries.dialect.urlsAmong('hash')} AND u.domain_id = ?`, values: [hashes, accountId, domain.id] };
}

/** In the order of `ids`. */
export async function readUrls(rows: AccountRows, ids: readonly number[]): Promise<StoredUrl[]> {
  const from = { sql: rows.queries.dialect.urlsAmong('id'), values: [ids, rows.accountId] };
  return inOrder(ids, await readFrom(rows, from, ids.length), ({ id }) => id);
}

/** In the order of `hashes`, without unknown ones. */
export async function findUrls(rows: AccountRows, domain: StoredDomain, hashes: readonly string[]): Promise<StoredUrl[]> {
  return inOrder(hashes, await readFrom(rows, urlsNamed(rows, domain, hashes), hashes.length), ({ hash }) => hash);
}

/** Reads at most `most` URLs. */
async function readFrom(rows: AccountRows, from: Statement, most: number): Promise<StoredUrl[]> {
  if (most === 0) return [];
  const { all, composed } = rows.queries;
  const columns = foundUrls(rows);
  const sql = `WITH ${foundTable(from.sql)} SELECT ${columns.sql}`;
  const values = [...from.values, ...columns.values];
  // A plan that is kept suits a short list.
  return urlsOf(rows, only(most === 1 ? await all<FoundUrls>(sql, ...values) : await composed<FoundUrls>({ sql, values })));
}

export function inOrder<Key>(keys: readonly Key[], urls: readonly StoredUrl[], keyOf: (url: StoredUrl) => Key): StoredUrl[] {
  const byKey = new Map(urls.map((url) => [keyOf(url), url]));
  return keys.flatMap((key) => byKey.get(key) ?? []);
}
