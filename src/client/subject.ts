import type { AnyInput, ApiRequest } from './call/requests.ts';

/** An account on one server, as its caller names it. */
export interface AccountOptions {
  /** The API root; a trailing slash does not matter. */
  readonly baseUrl: string;
  /** Identifies the server where its address changes from run to run; the base URL by default. */
  readonly server?: string | undefined;
  readonly username: string;
  /** The stored profile that the credentials come from. */
  readonly profile?: string | undefined;
  /** Where the key comes from, for messages: a file's path, `LINKCTL_API_KEY`. */
  readonly keySource: string;
  /** The working domain and who chose it: `--domain`, `profile "work" (…/config.json)`. */
  readonly domain?: { readonly name: string; readonly source: string } | undefined;
}

/** The account that calls are made as, and where its credentials come from (B47). */
export interface Identity extends AccountOptions {
  /** Host, with its port where it is not the usual one. */
  readonly host: string;
  readonly server: string;
}

/** What a call was about, for sentences that name it. */
export interface Subject {
  readonly identity: Identity;
  readonly method: string;
  /** The path as sent, without the query. */
  readonly path: string;
  /** What the call named, if it was a single one: a hash, a tag label, a domain, a long URL, a date, a tag expression. */
  readonly hash?: string | undefined;
  readonly label?: string | undefined;
  /** The new label of a renamed tag. */
  readonly newLabel?: string | undefined;
  readonly domain?: string | undefined;
  readonly longUrl?: string | undefined;
  readonly date?: string | undefined;
  readonly expression?: string | undefined;
  readonly order?: string | undefined;
}

export function identityOf({ baseUrl, server, username, profile, keySource, domain }: AccountOptions): Identity {
  const root = baseUrl.replace(/\/+$/, '');
  return { host: new URL(baseUrl).host, baseUrl: root, server: server ?? root, username, profile, keySource, domain };
}

export function subjectOf(identity: Identity, { method, path }: ApiRequest, input: AnyInput): Subject {
  const { path: named = {}, query = {}, body } = input;
  const one = (value: string | number | undefined): string | undefined => (value === undefined ? undefined : String(value));
  const hashes = one(query.hashes);
  const label = typeof body === 'object' && body !== null && 'label' in body ? String(body.label) : undefined;
  return {
    identity,
    method,
    path,
    hash: named.hash ?? (hashes?.includes(',') ? undefined : hashes),
    label: named.label ?? label,
    newLabel: label,
    domain: one(query.domain),
    expression: one(query.tags),
    order: one(query.order_by),
  };
}
