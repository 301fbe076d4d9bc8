import { fingerprintOf } from '../base/fingerprint.ts';
import { linkText } from '../contract/link.ts';
import { withoutLocalPort } from '../contract/web-address.ts';
import type { StoredLink } from './parts.ts';

/** What a link is known by from reading to reading. */
export function nameOf({ domain, hash }: Pick<StoredLink, 'domain' | 'hash'>): string {
  return linkText({ domain: domain || undefined, hash });
}

/** Of what is shown of a link: another one where that has changed. */
export function textPrint({ short_url, long_url, tags }: StoredLink): number {
  let print = Math.imul(fingerprintOf(withoutLocalPortOf(short_url)).low, 0x01000193) ^ fingerprintOf(long_url).low;
  // Added up, as some servers list tags in another order every time.
  for (const tag of tags) print = (print + fingerprintOf(tag).low) | 0;
  return print >>> 0;
}

/** The sandbox has another port in every command. */
function withoutLocalPortOf(short_url: string): string {
  if (!short_url.startsWith('localhost:')) return short_url;
  const slash = short_url.indexOf('/');
  return withoutLocalPort(short_url.slice(0, slash)) + short_url.slice(slash);
}
