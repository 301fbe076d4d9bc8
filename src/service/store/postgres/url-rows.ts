import { storedUrls, storedValues, type UrlRow, urlColumns } from '../records.ts';
import type { StoredDomain, StoredUrl } from '../store.ts';
import { type AccountRows, listDomains } from './account-rows.ts';
import type { PostgresValue } from './queries.ts';

/** URLs to write, a row for each: what `unnestedValues` gives, in the columns `id` and those of `storedValues`. */
export const unnestedUrls = `unnest(CAST(? AS BIGINT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]), CAST(? AS BIGINT[]), CAST(? AS TEXT[]),
  CAST(? AS BIGINT[]), CAST(? AS TEXT[]), CAST(? AS BIGINT[]))`;

export function unnestedValues(urls: readonly (Pick<StoredUrl, 'id'> & Parameters<typeof storedValues>[0])[]): PostgresValue[] {
  const values = urls.map(storedValues);
  return [
    urls.map(({ id }) => id),
    values.map(([hash]) => hash),
    values.map(([, longUrl]) => longUrl),
    values.map(([, , key]) => key),
    values.map(([, , , note]) => note),
    values.map(([, , , , emailStats]) => emailStats),
    values.map(([, , , , , date]) => date),
    values.map(([, , , , , , maxClicks]) => maxClicks),
  ];
}

/** URLs by id, in the order of `ids`: three statements for a page, however long, sent at once. */
export async function readUrls(rows: AccountRows, ids: readonly number[]): Promise<StoredUrl[]> {
  if (ids.length === 0) return [];
  const { queries, accountId } = rows;
  const [found, tags, domains] = await Promise.all([
    queries.all<UrlRow>(
      `SELECT ${urlColumns.join(', ')} FROM urls WHERE account_id = ? AND id = ANY(CAST(? AS BIGINT[]))`,
      accountId,
      ids,
    ),
    // A row for each URL: rows are what takes the time.
    queries.all<{ url_id: number; labels: string }>(
      `SELECT l.url_id, json_agg(t.label ORDER BY t.folded COLLATE "C") AS labels
       FROM url_tags AS l JOIN tags AS t ON t.account_id = l.account_id AND t.id = l.tag_id
       WHERE l.account_id = ? AND l.url_id = ANY(CAST(? AS BIGINT[])) GROUP BY l.url_id`,
      accountId,
      ids,
    ),
    listDomains(rows),
  ]);
  return storedUrls(ids, {
    rows: found,
    labels: new Map(tags.map(({ url_id, labels }) => [url_id, JSON.parse(labels)])),
    domains,
  });
}

/** Ids by hash in one domain; unknown hashes are missing from the map. */
export async function findIds(
  { queries, accountId }: AccountRows,
  domain: StoredDomain,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const found = await queries.all<{ id: number; hash: string }>(
    'SELECT id, hash FROM urls WHERE account_id = ? AND domain_id = ? AND hash = ANY(CAST(? AS TEXT[]))',
    accountId,
    domain.id,
    hashes,
  );
  return new Map(found.map(({ id, hash }) => [hash, id]));
}
