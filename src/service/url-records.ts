import type { Edition } from '../contract/editions.ts';
import { type ErrorCode, errors } from '../contract/errors.ts';
import type { DateTime, ErrorRecord, UrlRecord } from '../contract/records.ts';
import type { StoredDomain, StoredUrl } from './store/store.ts';

/** `YYYY-MM-DD HH:MM:SS`, UTC (4.1.6). */
export function dateTime(time: number): DateTime {
  return new Date(time).toISOString().slice(0, 19).replace('T', ' ');
}

export function errorRecord(code: ErrorCode): ErrorRecord {
  return { code, message: errors[code].message };
}

export function shortUrlWithProtocol(domain: StoredDomain, hash: string): string {
  return `${domain.useHttps ? 'https' : 'http'}://${domain.name}/${hash}`;
}

/** A record as reads show it: `last_visit` is a field of edition A's list reads. */
export function listedRecord(url: StoredUrl, edition: Edition): UrlRecord {
  const record = urlRecord(url, edition);
  if (edition === 'a') record.last_visit = url.lastVisit === null ? null : dateTime(url.lastVisit);
  return record;
}

/** A record as shortening and editing answer with it: an error with code 0 comes along (4.3.1, FIELD-NOTES 3). */
export function succeededItem(url: StoredUrl, edition: Edition): UrlRecord {
  return { ...urlRecord(url, edition), error: { ...errorRecord(0), details: '' } };
}

function urlRecord(url: StoredUrl, edition: Edition): UrlRecord {
  const address = shortUrlWithProtocol(url.domain, url.hash);
  return {
    hash: url.hash,
    long_url: url.longUrl,
    short_url: `${url.domain.name}/${url.hash}`,
    // On every record. Wider than API.md 2.3; as public deployments do (FIELD-NOTES 2).
    short_url_with_protocol: address,
    total_clicks: url.totalClicks,
    unique_clicks: url.uniqueClicks,
    note: url.note,
    email_stats: url.emailStats,
    expiration_date: url.expirationDate,
    ...(edition === 'a' && { max_clicks: url.maxClicks }),
    tags: [...url.tags],
    // The form of the values is not shown in API.md. Text, as locations are elsewhere; this service draws no images.
    links: { qr_small: `${address}.qr?size=small`, qr_big: `${address}.qr?size=big` },
  };
}
