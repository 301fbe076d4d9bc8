import type { Edition } from '../contract/editions.ts';
import { linkText, recordDomain } from '../contract/link.ts';
import type { UrlRecord } from '../contract/records.ts';
import { withoutLocalPort } from '../contract/web-address.ts';
import type { ReadLink } from './clicks.ts';

/** A link as the history keeps it. */
export type StoredLink = ReadLink & {
  /** In ASCII, without a local port; empty on edition B. */
  readonly domain: string;
};

/** A link as the history keeps it. Edition B has one domain, whatever it is called. */
export function storedLink(record: UrlRecord, edition: Edition): StoredLink {
  const { hash, short_url, long_url, tags } = record;
  const domain = edition === 'b' ? '' : withoutLocalPort(recordDomain(record) ?? '');
  // Servers may leave out any of them, or send null.
  return { domain, hash, short_url: short_url || hash, long_url: long_url ?? '', tags: tags ?? [] };
}

/** By which a link is known from reading to reading. */
export function nameOf({ domain, hash }: Pick<StoredLink, 'domain' | 'hash'>): string {
  return linkText({ domain: domain || undefined, hash });
}
