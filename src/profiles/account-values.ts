import { UsageError } from '../base/errors.ts';
import { hasControlCharacter } from '../base/unicode.ts';
import { isLoopback, parseUrl } from '../contract/web-address.ts';

/**
 * The root of an API as it is stored and compared: no trailing slash, no userinfo, no query. Undefined for anything that is not
 * such an http(s) URL; the text is never part of a message, because its userinfo may be a secret.
 */
export function baseUrl(text: string): string | undefined {
  // `new URL` deletes control characters and spaces silently (R 0.10), and an empty `?` or `#` or userinfo.
  if (/[\s\\?#]/.test(text) || hasControlCharacter(text) || !/^https?:\/\/[^/@]+(\/.*)?$/i.test(text)) return undefined;
  const url = parseUrl(text);
  if (!url) return undefined;
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/**
 * Where the API of an address may be: of a host alone, at the roots that deployments are known to have (FIELD-NOTES 27), and
 * at its own root where a scheme was typed. None for what is no address.
 */
export function apiAddresses(text: string): string[] {
  const hasScheme = /^[a-z]+:\/\//i.test(text);
  const plain = hasScheme ? undefined : baseUrl(`http://${text}`);
  const url = plain !== undefined && !isExposed(plain) ? plain : baseUrl(hasScheme ? text : `https://${text}`);
  if (url === undefined) return [];
  if (new URL(url).pathname !== '/') return [url];
  const known = ['/tiny/api/3', '/api/3'].map((path) => url + path);
  return hasScheme ? [...known, url] : known;
}

/** A username that HTTP Basic can carry, or undefined. */
export function accountName(text: string): string | undefined {
  return /^[^:]+$/.test(text) && !hasControlCharacter(text) ? text : undefined;
}

/** A username from the command line. Throws a UsageError for an invalid one. */
export function typedAccountName(text: string): string {
  const name = accountName(text);
  if (name === undefined) throw new UsageError('--username: expected a name without colons or control characters');
  return name;
}

/** Whether a base URL is `http://` to another machine, so that everyone on the way could read the key (B74). */
export function isExposed(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopback(hostname);
}

/** Why no key is sent to an address (R-43, B74). */
export function exposure(address: string): UsageError {
  return new UsageError(`${address} is not encrypted: others could read the API key in transit`, {
    hint: 'use https://, or allow it with --insecure-http',
  });
}
