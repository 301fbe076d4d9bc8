import type { Edition } from '../contract/editions.ts';
import { linkText, recordDomain } from '../contract/link.ts';
import type { UrlRecord } from '../contract/records.ts';
import { withoutLocalPort } from '../contract/web-address.ts';
import type { ReadLink } from './clicks.ts';

type StoredLink = ReadLink & {
  /** In ASCII, without a local port; empty on edition B. */
  readonly domain: string;
};

/** Edition B has only one domain, so its name does not matter. */
export function storedLink(record: UrlRecord, edition: Edition): StoredLink {
  const { hash, short_url, long_url, tags } = record;
  const domain = edition === 'b' ? '' : withoutLocalPort(recordDomain(record) ?? '');
  // Servers may omit these members or send null.
  return { domain, hash, short_url: short_url || hash, long_url: long_url ?? '', tags: tags ?? [] };
}

/** Identifies a link across readings. */
export function nameOf({ domain, hash }: Pick<StoredLink, 'domain' | 'hash'>): string {
  return linkText({ domain: domain || undefined, hash });
}
