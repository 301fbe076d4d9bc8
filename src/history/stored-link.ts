import type { Edition } from '../contract/editions.ts';
import { linkText, recordDomain } from '../contract/link.ts';
import { withoutLocalPort } from '../contract/web-address.ts';
import type { ReadLink } from './clicks.ts';

type StoredLink = ReadLink & {
  /** In ASCII, without a local port; empty on edition B. */
  readonly domain: string;
};

/** Short URLs have no local port either. Edition B has only one domain, so its name does not matter. */
export function storedLink(record: Pick<ReadLink, 'hash'> & Partial<ReadLink>, edition: Edition): StoredLink {
  const { hash, short_url, long_url, tags } = record;
  const domain = edition === 'b' ? '' : withoutLocalPort(recordDomain(record) ?? '');
  // Servers may omit these members or send null.
  const shown = withoutLocalPort(short_url || hash);
  return { domain, hash, short_url: shown, long_url: long_url ?? '', tags: tags ?? [] };
}

export type LinkName = Pick<StoredLink, 'domain' | 'hash'>;

/** Identifies a link across readings. */
export function nameOf({ domain, hash }: LinkName): string {
  return linkText({ domain: domain || undefined, hash });
}

export function isOnThisComputer({ short_url }: ReadLink): boolean {
  return short_url.startsWith('localhost/');
}

/** The short URL as the server sends it now: `domain` is that of this computer, with its current port. */
export function onDomain(link: ReadLink, domain: string): ReadLink {
  return isOnThisComputer(link) ? { ...link, short_url: link.short_url.replace('localhost', domain) } : link;
}
