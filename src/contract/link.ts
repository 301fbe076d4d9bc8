import { hostName } from './web-address.ts';

/** Identifies a link: a hash and, on edition A, its domain if known (4.1.7). */
export interface LinkKey {
  readonly hash: string;
  /** In ASCII and lower case, with the port if it has one. */
  readonly domain?: string | undefined;
}

/** A link that was looked up by its name. */
export interface SoughtLink extends LinkKey {
  /** The account does not have its domain. */
  readonly isForeign?: boolean | undefined;
}

/** The domains of some links; contains undefined for links whose domain is unknown. */
export type LinkDomains = readonly (string | undefined)[];

/** The domains of an account on edition A, in ASCII. */
export interface AccountDomains {
  /** Empty if the server has no list of them: then there is one domain, whatever its name. */
  readonly names: readonly string[];
  /** The domain of calls without the `domain` parameter (4.1.7); undefined if the server does not say. */
  readonly defaultDomain: string | undefined;
  /** By domain name; absent if the list of domains was not requested. */
  readonly useHttps?: ReadonlyMap<string, boolean>;
}

/** Unique per link, in the form that people write. */
export function linkText({ domain, hash }: LinkKey): string {
  return domain === undefined ? hash : `${domain}/${hash}`;
}

/** Writes `a.example, b.example and c.example`; of more than `atMost` names, the first ones and the number of the others, at least two. */
export function enumerated(names: readonly string[], conjunction: 'and' | 'or', atMost = names.length): string {
  const shown = names.slice(0, names.length > atMost ? atMost - 1 : atMost);
  const last = names.length > atMost ? `${names.length - shown.length} others` : shown.pop();
  return shown.length === 0 ? `${last}` : `${shown.join(', ')} ${conjunction} ${last}`;
}

/** Unique per link; equals `linkText` if the server sends the domain. */
export function recordText({ short_url, hash }: { readonly short_url?: string; readonly hash: string }): string {
  return short_url ?? hash;
}

/** Equal for hashes that may be the same: some servers change the case of the requested hash or pad it with blanks. */
export function foldedHash(hash: string): string {
  return hash.trim().toLowerCase();
}

/** Records contain short URLs without the scheme. */
export function withoutScheme(shortUrl: string): string {
  return shortUrl.replace(/^https?:\/\//i, '');
}

/** Undefined if the short URL does not contain a domain. */
export function recordDomain({ short_url }: { readonly short_url?: string | undefined }): string | undefined {
  const slash = short_url?.indexOf('/') ?? -1;
  return (slash > 0 && hostName(short_url?.slice(0, slash) ?? '')) || undefined;
}
