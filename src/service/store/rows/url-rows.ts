import type { StoredDomain, StoredUrl } from '../store.ts';
import type { AccountRows } from './account-rows.ts';
import type { PostgresValue } from './queries.ts';
import { storedUrls, storedValues, type UrlRow, urlColumns } from './stored-urls.ts';

/** URLs as rows of `unnestedValues`, in the columns `id` and those of `storedValues`. */
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

/** A row with its labels, as a list or JSON, so that a page is one statement and one snapshot. */
export interface LabelledRow extends UrlRow {
  readonly labels: string | readonly string[] | null;
}

const labels = `(SELECT json_agg(t.label ORDER BY t.folded COLLATE "C") FROM url_tags AS l
  JOIN tags AS t ON t.account_id = l.account_id AND t.id = l.tag_id WHERE l.account_id = u.account_id AND l.url_id = u.id)`;

/** The columns of a `LabelledRow` from `urls AS u`. */
export const recordColumns = `${urlColumns.map((column) => `u.${column}`).join(', ')}, ${labels} AS labels`;

/** In the order of the rows. */
export async function urlsOf(rows: AccountRows, found: readonly LabelledRow[]): Promise<StoredUrl[]> {
  return storedUrls(
    found.map(({ id }) => id),
    {
      rows: found,
      labels: new Map(found.map(({ id, labels }) => [id, typeof labels === 'string' ? JSON.parse(labels) : (labels ?? [])])),
      domains: await domainsOf(rows, found),
    },
  );
}

/** The cached list may lack a domain that another process has just added. */
async function domainsOf({ domains }: AccountRows, found: readonly LabelledRow[]): Promise<readonly StoredDomain[]> {
  const known = await domains.list();
  const ids = new Set(known.map(({ id }) => id));
  return found.every(({ domain_id }) => ids.has(domain_id)) ? known : domains.renewed();
}

/** In the order of `ids`. */
export async function readUrls(rows: AccountRows, ids: readonly number[]): Promise<StoredUrl[]> {
  if (ids.length === 0) return [];
  const found = await rows.queries.all<LabelledRow>(
    `SELECT ${recordColumns} FROM urls AS u WHERE u.account_id = ? AND u.id = ANY(CAST(? AS BIGINT[]))`,
    rows.accountId,
    ids,
  );
  const byId = new Map((await urlsOf(rows, found)).map((url) => [url.id, url]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** In the order of `hashes`, without unknown ones. */
export async function findUrls(rows: AccountRows, domain: StoredDomain, hashes: readonly string[]): Promise<StoredUrl[]> {
  if (hashes.length === 0) return [];
  const found = await rows.queries.all<LabelledRow>(
    `SELECT ${recordColumns} FROM urls AS u WHERE u.account_id = ? AND u.domain_id = ? AND u.hash = ANY(CAST(? AS TEXT[]))`,
    rows.accountId,
    domain.id,
    hashes,
  );
  const byHash = new Map((await urlsOf(rows, found)).map((url) => [url.hash, url]));
  return hashes.flatMap((hash) => byHash.get(hash) ?? []);
}

/** Omits unknown hashes. */
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
