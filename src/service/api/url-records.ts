import { utcTime } from '../../base/times.ts';
import { type ErrorCode, errors } from '../../contract/errors.ts';
import type { ErrorRecord, UrlRecord } from '../../contract/records.ts';
import type { ServiceSettings } from '../service-options.ts';
import type { StoredDomain, StoredUrl } from '../store/store.ts';
import { qrLinks } from '../visits/qr-codes.ts';

export type RecordSettings = Pick<ServiceSettings, 'edition' | 'useHttps' | 'ports'>;

export function errorRecord(code: ErrorCode): ErrorRecord {
  return { code, message: errors[code].message };
}

/** The domain in short URLs, with the port of this process. */
export function shownDomain({ name }: StoredDomain, { ports }: Pick<RecordSettings, 'ports'>): string {
  const port = ports.get(name);
  return port ? `${name}:${port}` : name;
}

/** Uses the scheme of the domain unless this process overrides it. */
export function shortUrlWithProtocol(
  domain: StoredDomain,
  hash: string,
  { useHttps = domain.useHttps, ports }: Pick<RecordSettings, 'useHttps' | 'ports'>,
): string {
  return `${useHttps ? 'https' : 'http'}://${shownDomain(domain, { ports })}/${hash}`;
}

/** Edition A includes `last_visit` in list reads. */
export function listedRecord(url: StoredUrl, settings: RecordSettings): UrlRecord {
  const record = urlRecord(url, settings);
  if (settings.edition === 'a') record.last_visit = url.lastVisit === null ? null : utcTime(url.lastVisit);
  return record;
}

/** Shortening and editing responses include an error with code 0 (4.3.1). */
export function succeededItem(url: StoredUrl, settings: RecordSettings): UrlRecord {
  return { ...urlRecord(url, settings), error: itemError({ code: 0, details: '' }) };
}

/** Includes `details` (2.1), which public deployments omit for edits. */
export function itemError({ code, details }: { readonly code: ErrorCode; readonly details: string }): ErrorRecord {
  return { ...errorRecord(code), details };
}

function urlRecord(url: StoredUrl, settings: RecordSettings): UrlRecord {
  const address = shortUrlWithProtocol(url.domain, url.hash, settings);
  return {
    hash: url.hash,
    long_url: url.longUrl,
    short_url: `${shownDomain(url.domain, settings)}/${url.hash}`,
    // On every record, as public deployments do, although API.md has it only when shortening (2.3).
    short_url_with_protocol: address,
    total_clicks: url.totalClicks,
    unique_clicks: url.uniqueClicks,
    note: url.note,
    email_stats: url.emailStats,
    expiration_date: url.expirationDate,
    ...(settings.edition === 'a' && { max_clicks: url.maxClicks }),
    tags: [...url.tags],
    links: qrLinks(address),
  };
}
