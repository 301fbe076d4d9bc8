import { hash as digest } from 'node:crypto';
import type { StoredDomain, StoredUrl } from '../store.ts';

/** Flags are 0 or 1. */
export interface UrlRow {
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

export const urlColumns: readonly (keyof UrlRow)[] = [
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

interface Page {
  readonly rows: readonly UrlRow[];
  /** Sorted labels by URL id. */
  readonly labels: ReadonlyMap<number, readonly string[]>;
  readonly domains: readonly StoredDomain[];
}

/** In the order of `ids`, without those that have no row. */
export function storedUrls(ids: readonly number[], { rows, labels, domains }: Page): StoredUrl[] {
  const domainOf = new Map(domains.map((domain) => [domain.id, domain]));
  const urls = new Map(rows.map((row) => [row.id, storedUrl(row, domainOf.get(row.domain_id), labels.get(row.id))]));
  return ids.flatMap((id) => urls.get(id) ?? []);
}

function storedUrl(row: UrlRow, domain: StoredDomain | undefined, tags: readonly string[] = []): StoredUrl {
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

/** An index key of 48 bits. URLs with equal keys must be compared in full. */
export function longUrlKey(longUrl: string): number {
  return digest('sha256', longUrl, 'buffer').readUIntBE(0, 6);
}

/** The values of `hash, long_url, long_url_key, note, email_stats, expiration_date, max_clicks` in a row. */
export function storedValues(
  url: Pick<StoredUrl, 'hash' | 'longUrl' | 'note' | 'emailStats' | 'expirationDate' | 'maxClicks'>,
): [string, string, number, string, number, string | null, number] {
  const { hash, longUrl, note, emailStats, expirationDate, maxClicks } = url;
  return [hash, longUrl, longUrlKey(longUrl), note, Number(emailStats), expirationDate, maxClicks];
}
