import type { KnownRecord } from './verdict.ts';

/** A record's short URL with its scheme where the server says it. */
export function shortUrlOf({ short_url_with_protocol, short_url, hash }: KnownRecord): string {
  return short_url_with_protocol || short_url || hash;
}
