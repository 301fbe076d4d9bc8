import { hostName } from './web-address.ts';

/** What identifies a link (F5): a hash, and on edition A the domain that it lives on, where that is known (4.1.7). */
export interface LinkKey {
  readonly hash: string;
  /** In ASCII and lower case (B97), with the port if it has one. */
  readonly domain?: string | undefined;
}

/** The domains that links are on; undefined among them where nothing says it. */
export type LinkDomains = readonly (string | undefined)[];

/** The domains of an account on edition A, in ASCII. */
export interface AccountDomains {
  /** Empty where the server has no list of them: then there is one, whatever it is called. */
  readonly names: readonly string[];
  /** The one on which a call acts that names none (4.1.7); undefined where the server does not say. */
  readonly defaultDomain: string | undefined;
  /** Whether the short URLs of a domain are for https, by name; absent where nobody asked. */
  readonly useHttps?: ReadonlyMap<string, boolean>;
}

/** A link as people write it; equal for equal links. */
export function linkText({ domain, hash }: LinkKey): string {
  return domain === undefined ? hash : `${domain}/${hash}`;
}

/** `a.example, b.example and c.example`; of many the first, and how many others there are. */
export function enumerated(names: readonly string[], conjunction: 'and' | 'or', atMost: number): string {
  const shown = names.slice(0, atMost);
  const last = names.length > shown.length ? `${names.length - shown.length} others` : shown.pop();
  return shown.length === 0 ? `${last}` : `${shown.join(', ')} ${conjunction} ${last}`;
}

/** The link of a record, as `linkText` writes it where the server says its domain; equal for equal links. */
export function recordText({ short_url, hash }: { readonly short_url?: string; readonly hash: string }): string {
  return short_url ?? hash;
}

/** Equal for what may be one hash: some servers write it in another case than it was asked for in, or with blanks around it. */
export function foldedHash(hash: string): string {
  return hash.trim().toLowerCase();
}

/** The domain that a record is on, as far as its short URL says it. */
export function recordDomain({ short_url }: { readonly short_url?: string | undefined }): string | undefined {
  const slash = short_url?.indexOf('/') ?? -1;
  return (slash > 0 && hostName(short_url?.slice(0, slash) ?? '')) || undefined;
}
