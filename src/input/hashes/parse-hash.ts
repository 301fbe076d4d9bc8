import { UsageError } from '../../base/errors.ts';
import { quoted, shellWord } from '../../base/quoted.ts';
import type { LinkKey } from '../../contract/link.ts';
import { hostName, isSameDomain } from '../../contract/web-address.ts';
import { readLinkName } from '../../link/short-url.ts';
import type { WireValue } from '../field-values.ts';

/** Throws a UsageError for text that names no link. */
export function parseHash(text: string): LinkKey {
  const link = readLinkName(text);
  if (link) return link;
  // A long URL may have been meant. One with a password is not repeated.
  const isLongUrl = /^https?:\/\/(?![^/?#]*@)/i.test(text);
  const hint = isLongUrl ? `to find links by destination: linkctl list --search ${shellWord(text)}` : undefined;
  throw new UsageError(`${quoted(text)} is not a hash or a short URL`, { hint });
}

/**
 * Accepts `https://s.ex/abc/`, `s.ex/abc` or `abc`. Returns the last part of the path, the number of parts, and the host if there is one.
 */
export function hashOfShortUrl(text: string): {
  readonly host: string | undefined;
  readonly hash: string;
  readonly parts: number;
} {
  const [, scheme, rest = ''] = /^(https?:\/\/)?([^?#]*)/i.exec(text) ?? [];
  const parts = rest.split('/').filter((part) => part !== '');
  const hasHost = scheme !== undefined || (parts.length > 1 && !rest.startsWith('/'));
  const host = hasHost ? hostName(parts.shift()?.toLowerCase() ?? '') : '';
  return { host: host || undefined, hash: parts.at(-1) ?? '', parts: parts.length };
}

/** A warning about a path of several parts. */
export function lastPartUsed(path: string, hash: string): string {
  return `the last part of ${quoted(path)} is used as the hash: ${hash}`;
}

/**
 * Identifies the link of a row: `short_url` or `domain` distinguishes it from equal hashes on other domains. `remedy` says how to rename a link,
 * for a row whose hash is not that of its short URL. Throws a UsageError.
 */
export function rowLink(text: string, shortUrl: WireValue | undefined, domain: WireValue | undefined, remedy?: string): LinkKey {
  const named = parseHash(text);
  const listed = typeof shortUrl === 'string' ? shortUrl : '';
  // Some servers have short URLs of another form, of which only the host is known.
  const { hash = named.hash } = readLinkName(listed) ?? {};
  if (hash !== named.hash) {
    throw new UsageError(`${quoted(text)} does not match ${quoted(listed)}${remedy === undefined ? '' : `: ${remedy}`}`);
  }
  const own = domain === undefined ? undefined : hostName(String(domain));
  if (own === '') throw new UsageError(`${quoted(String(domain))} is not a domain name`);
  let place = named.domain;
  for (const other of [hashOfShortUrl(listed).host, own]) {
    if (other !== undefined && place !== undefined && !isSameDomain(other, place)) {
      throw new UsageError(`${quoted(text)} has two domains, ${place} and ${other}`);
    }
    place ??= other;
  }
  return { hash: named.hash, domain: place };
}
