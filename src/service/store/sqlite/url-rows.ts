import { hash as digest } from 'node:crypto';
import type { StoredDomain, StoredUrl } from '../store.ts';
import { type AccountRows, listDomains } from './account-rows.ts';

interface UrlRow {
  id: number;
  domain_id: number;
  hash: string;
  long_url: string;
  note: string;
  email_stats: number;
  expiration_date: string | null;
  max_clicks: number;
  total_clicks: number;
  unique_clicks: number;
  last_visit: number | null;
}

const columns: readonly (keyof UrlRow)[] = [
  'id',
  'domain_id',
  'hash',
  'long_url',
  'note',
  'email_stats',
  'expiration_date',
  'max_clicks',
  'total_clicks',
  'unique_clicks',
  'last_visit',
];
const members = columns.map((name) => `'${name}', u.${name}`).join(', ');

/**
 * URLs by id, in the order of `ids`. Two queries for a page, however long: the records, then their tags. Each answers with one
 * JSON text, which the engine returns in half the time of a thousand rows.
 */
export function readUrls(rows: AccountRows, ids: readonly number[]): StoredUrl[] {
  const list = JSON.stringify(ids);
  const found = jsonRows<UrlRow>(
    rows,
    `SELECT json_group_array(json_object(${members})) AS json FROM json_each(?) AS wanted
     CROSS JOIN urls AS u WHERE u.account_id = ? AND u.id = wanted.value`,
    list,
  );
  const tags = readTags(rows, list);
  const domains = new Map(listDomains(rows).map((domain) => [domain.id, domain]));
  const urls = new Map(found.map((row) => [row.id, storedUrl(row, domains.get(row.domain_id), tags.get(row.id))]));
  return ids.flatMap((id) => urls.get(id) ?? []);
}

/** Ids by hash in one domain; unknown hashes are missing from the map. */
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

/** One id by hash. */
export function findId({ connection, accountId }: AccountRows, domain: StoredDomain, hash: string): number | undefined {
  const find = connection.sql('SELECT id FROM urls WHERE account_id = ? AND domain_id = ? AND hash = ?');
  return find.get<{ id: number }>(accountId, domain.id, hash)?.id;
}

/** 48 bits that represent a long URL in the index; equal keys still need their URLs compared. */
export function longUrlKey(longUrl: string): number {
  return digest('sha256', longUrl, 'buffer').readUIntBE(0, 6);
}

/** Attached labels of each URL in a JSON list of ids. */
function readTags(rows: AccountRows, list: string): Map<number, string[]> {
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

/** The rows of a query of ids that answers with one JSON text. */
function jsonRows<Row>({ connection, accountId }: AccountRows, text: string, ids: string): Row[] {
  const answer = connection.sql(text).get<{ json: string }>(ids, accountId);
  return JSON.parse(answer?.json ?? '[]');
}

function storedUrl(row: UrlRow, domain: StoredDomain | undefined, tags: string[] = []): StoredUrl {
  if (!domain) throw new Error(`the link ${row.hash} has no domain`);
  return {
    id: row.id,
    domain,
    hash: row.hash,
    longUrl: row.long_url,
    note: row.note,
    emailStats: row.email_stats !== 0,
    expirationDate: row.expiration_date,
    maxClicks: row.max_clicks,
    totalClicks: row.total_clicks,
    uniqueClicks: row.unique_clicks,
    lastVisit: row.last_visit,
    tags,
  };
}

/** The values of `hash, long_url, long_url_key, note, email_stats, expiration_date, max_clicks` as a row holds them. */
export function storedValues(
  url: Pick<StoredUrl, 'hash' | 'longUrl' | 'note' | 'emailStats' | 'expirationDate' | 'maxClicks'>,
): [string, string, number, string, number, string | null, number] {
  const { hash, longUrl, note, emailStats, expirationDate, maxClicks } = url;
  return [hash, longUrl, longUrlKey(longUrl), note, Number(emailStats), expirationDate, maxClicks];
}
