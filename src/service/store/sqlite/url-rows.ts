import { storedUrls, type UrlRow, urlColumns } from '../rows/stored-urls.ts';
import type { StoredDomain, StoredUrl } from '../store.ts';
import { type AccountRows, listDomains } from './account-rows.ts';

const members = urlColumns.map((name) => `'${name}', u.${name}`).join(', ');

/**
 * Returns URLs in the order of `ids`. Uses two queries for any number of ids: the records and their tags. Each returns one JSON text, which
 * takes half the time of a thousand rows.
 */
export function readUrls(rows: AccountRows, ids: readonly number[]): StoredUrl[] {
  const list = JSON.stringify(ids);
  const found = jsonRows<UrlRow>(
    rows,
    `SELECT json_group_array(json_object(${members})) AS json FROM json_each(?) AS wanted
     CROSS JOIN urls AS u WHERE u.account_id = ? AND u.id = wanted.value`,
    list,
  );
  return storedUrls(ids, { rows: found, labels: readTags(rows, list), domains: listDomains(rows) });
}

/** Omits unknown hashes. */
export function findIds(
  { connection, accountId }: AccountRows,
  domain: StoredDomain,
  hashes: readonly string[],
): Map<string, number> {
  const found = connection
    .sql(
      `SELECT u.id, u.hash FROM json_each(?) AS wanted
       CROSS JOIN urls AS u WHERE u.account_id = ? AND u.domain_id = ? AND u.hash = wanted.value`,
    )
    .all<{ id: number; hash: string }>(JSON.stringify(hashes), accountId, domain.id);
  return new Map(found.map(({ id, hash }) => [hash, id]));
}

export function findId({ connection, accountId }: AccountRows, domain: StoredDomain, hash: string): number | undefined {
  const find = connection.sql('SELECT id FROM urls WHERE account_id = ? AND domain_id = ? AND hash = ?');
  return find.get<{ id: number }>(accountId, domain.id, hash)?.id;
}

/** Returns the labels of each URL. */
function readTags(rows: AccountRows, list: string): ReadonlyMap<number, readonly string[]> {
  const found = jsonRows<[number, string]>(
    rows,
    `SELECT json_group_array(json_array(url_id, label)) AS json FROM (
       SELECT l.url_id, t.label FROM json_each(?) AS wanted
       CROSS JOIN url_tags AS l ON l.account_id = ? AND l.url_id = wanted.value
       CROSS JOIN tags AS t ON t.id = l.tag_id
       ORDER BY l.url_id, t.folded)`,
    list,
  );
  const tags = new Map<number, string[]>();
  for (const [urlId, label] of found) {
    const labels = tags.get(urlId);
    if (labels) labels.push(label);
    else tags.set(urlId, [label]);
  }
  return tags;
}

/** Expects a query that returns one JSON text. */
function jsonRows<Row>({ connection, accountId }: AccountRows, text: string, ids: string): Row[] {
  const answer = connection.sql(text).get<{ json: string }>(ids, accountId);
  return JSON.parse(answer?.json ?? '[]');
}
