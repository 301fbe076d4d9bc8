import type { KnownRecord } from '../matching/verdict.ts';

/** A record's short URL with its scheme where the server says it. */
export function shortUrlOf({ short_url_with_protocol, short_url, hash }: KnownRecord): string {
  return short_url_with_protocol || short_url || hash;
}

/** The members of a record that say its short URL, made of the one text that is kept of them. */
export function shortUrlMembers(shortUrl: string): Pick<KnownRecord, 'short_url' | 'short_url_with_protocol'> {
  const scheme = /^https?:\/\//.exec(shortUrl)?.[0];
  return scheme ? { short_url: shortUrl.slice(scheme.length), short_url_with_protocol: shortUrl } : { short_url: shortUrl };
}
