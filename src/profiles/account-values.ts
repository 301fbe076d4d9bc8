import { UsageError } from '../base/errors.ts';
import { hasControlCharacter } from '../base/safe-text.ts';
import { isLoopback, parseUrl } from '../contract/web-address.ts';

/**
 * Normalises the URL of an API: no trailing slash, userinfo or query. Undefined for invalid text, which must not appear in messages: its
 * userinfo may be a secret.
 */
export function baseUrl(text: string): string | undefined {
  // `new URL` silently removes control characters, spaces and empty parts such as `?` and `#`.
  if (/[\s\\?#]/.test(text) || hasControlCharacter(text) || !/^https?:\/\/[^/@]+(\/.*)?$/.test(text.toLowerCase()))
    return undefined;
  const url = parseUrl(text);
  if (!url) return undefined;
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** A host is tried with the usual API roots, and with its own root if a scheme was typed. Empty for invalid text. */
export function apiAddresses(text: string): string[] {
  const hasScheme = /^[a-z]+:\/\//i.test(text);
  const plain = hasScheme ? undefined : baseUrl(`http://${text}`);
  const url = plain !== undefined && !isExposed(plain) ? plain : baseUrl(hasScheme ? text : `https://${text}`);
  if (url === undefined) return [];
  if (new URL(url).pathname !== '/') return [url];
  const known = ['/tiny/api/3', '/api/3'].map((path) => url + path);
  return hasScheme ? [...known, url] : known;
}

/** Undefined if HTTP Basic cannot carry the name. */
export function accountName(text: string): string | undefined {
  return /^[^:]+$/.test(text) && !hasControlCharacter(text) ? text : undefined;
}

/** Throws a UsageError. */
export function typedAccountName(text: string): string {
  const name = accountName(text);
  if (name === undefined) throw new UsageError('--username: expected a name without colons or control characters');
  return name;
}

/** Over plain http to another machine, anyone on the way could read the key. */
export function isExposed(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopback(hostname);
}

/** Throws a UsageError, which names `shown`. */
export function refuseExposed(url: string, isAllowed: boolean, shown = url): void {
  if (isAllowed || !isExposed(url)) return;
  throw new UsageError(`${shown} is not encrypted: others could read the API key in transit`, {
    hint: 'use https://, or allow it with --insecure-http',
  });
}
