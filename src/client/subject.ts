import { flagText, shellWord } from '../base/quoted.ts';
import type { AnyInput, ApiRequest } from './call/api-request.ts';

export interface AccountOptions {
  /** The API root; a trailing slash does not matter. */
  readonly baseUrl: string;
  /** Identifies a server whose address changes; the base URL by default. */
  readonly server?: string | undefined;
  readonly username: string;
  /** Stored profile of the credentials. */
  readonly profile?: string | undefined;
  /** For messages: a file path, `LINKCTL_API_KEY`. */
  readonly keySource: string;
  /** For messages without a profile: `--username`; undefined if it was typed at a question. */
  readonly usernameSource?: string | undefined;
  /** The working domain and its source: `--domain`, `profile "work" (…/config.json)`. */
  readonly domain?: { readonly name: string; readonly source: string } | undefined;
}

export interface Identity extends AccountOptions {
  /** Contains the port if it is not the default one. */
  readonly host: string;
  readonly server: string;
}

/** Values of a call that messages mention. */
export interface Subject {
  readonly identity: Identity;
  readonly method: string;
  /** The path as sent, without the query. */
  readonly path: string;
  /** Set if the call is about a single one. */
  readonly hash?: string | undefined;
  /** As sent, separated by commas. */
  readonly hashes?: string | undefined;
  readonly label?: string | undefined;
  /** The new label of a renamed tag. */
  readonly newLabel?: string | undefined;
  readonly domain?: string | undefined;
  readonly longUrl?: string | undefined;
  readonly date?: string | undefined;
  readonly expression?: string | undefined;
  readonly order?: string | undefined;
}

export function identityOf({ baseUrl, server, username, profile, keySource, usernameSource, domain }: AccountOptions): Identity {
  const root = baseUrl.replace(/\/+$/, '');
  const account = { username, profile, keySource, usernameSource, domain };
  return { host: new URL(baseUrl).host, baseUrl: root, server: server ?? root, ...account };
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
    hashes,
    label: named.label ?? label,
    newLabel: label,
    domain: one(query.domain),
    expression: one(query.tags),
    order: one(query.order_by),
  };
}

export interface Absence {
  readonly message: string;
  readonly hint: string;
}

export function noShortUrl({ hash, domain }: Pick<Subject, 'hash' | 'domain'>): Absence {
  // A hash contains no slash: the part before one is a domain.
  const [name = '', place] = (hash ?? '').split('/').reverse();
  return {
    message: `no short URL ${hash === undefined ? 'with the given hashes' : `"${hash}"`}${domain ? ` on ${domain}` : ''}`,
    hint: name === '' ? 'linkctl list' : `linkctl list ${flagText('--search', name)}${onDomain(place ?? domain)}`,
  };
}

/** A bare hash is on the default domain, so commands name the domain. Begins with a blank. */
export function onDomain(domain: string | undefined): string {
  return domain === undefined ? '' : ` --domain ${shellWord(domain)}`;
}
