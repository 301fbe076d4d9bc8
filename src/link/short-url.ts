import { type LinkKey, withoutScheme } from '../contract/link.ts';
import { hostName } from '../contract/web-address.ts';
import { isHash } from './value.ts';

/**
 * Reads `abc`, `s.ex/abc` or `https://s.ex/abc`; a URL may have a slash, a query and a fragment after the hash. Undefined for text that
 * would become another URL, such as an empty one, `.` and `..`, and for characters that a list of hashes cannot contain.
 */
export function readLinkName(text: string): LinkKey | undefined {
  const name = bareShortUrl(text);
  const slash = name.indexOf('/');
  const hash = name.slice(slash + 1);
  if (!isHash(hash)) return undefined;
  if (slash < 0) return name === text ? { hash } : undefined;
  const domain = hostName(name.slice(0, slash));
  return domain === '' ? undefined : { hash, domain };
}

/** Removes the scheme and, of a URL with one, what may follow the hash. */
export function bareShortUrl(text: string): string {
  const rest = withoutScheme(text);
  return rest === text ? text : rest.replace(/\/?(?:[?#].*)?$/s, '');
}

/** Of a short URL without scheme. The host is in ASCII and lower case. */
export function canonicalShortUrl(text: string): string {
  const slash = text.indexOf('/');
  const host = slash < 0 ? '' : hostName(text.slice(0, slash));
  return host === '' ? text : host + text.slice(slash);
}
