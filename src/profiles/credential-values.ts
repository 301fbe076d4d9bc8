import { UsageError } from '../base/errors.ts';
import type { System } from '../base/system.ts';
import { type Edition, isEdition } from '../contract/editions.ts';
import { accountName, baseUrl } from './account-values.ts';
import { type ProfileKey, profileFields } from './profile.ts';

/** Where one value of a set of credentials came from (B72). */
export type Source =
  | { readonly kind: 'flag'; readonly name: string }
  | { readonly kind: 'environment'; readonly name: string }
  | { readonly kind: 'profile'; readonly profile: string; readonly key: ProfileKey; readonly path: string }
  | { readonly kind: 'default' };

/** The flags that choose whom to talk to, as the command line gave them. */
export interface CredentialFlags {
  readonly profile?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly username?: string | undefined;
  readonly apiKeyFile?: string | undefined;
  readonly edition?: string | undefined;
  readonly insecureHttp?: boolean | undefined;
}

/** A value with its source. */
export interface Given<T extends string = string> {
  readonly value: T;
  readonly source: Source & { readonly name: string };
}

/** What flags and environment say of a set of credentials; each value is checked, the set may lack some. */
export interface GivenSet {
  readonly baseUrl: Given | undefined;
  readonly username: Given | undefined;
  /** A path where the source is not `LINKCTL_API_KEY`. */
  readonly key: Given | undefined;
  readonly edition: Given<Edition> | undefined;
}

/** Reads flags, then environment (B61). Throws `UsageError` for a value that cannot be. */
export function givenSet(flags: CredentialFlags, env: System['env']): GivenSet {
  return {
    baseUrl: checked(given('--base-url', flags.baseUrl, 'LINKCTL_BASE_URL', env), baseUrl, 'base_url'),
    username: checked(given('--username', flags.username, 'LINKCTL_USERNAME', env), accountName, 'username'),
    key: givenKey(flags, env),
    edition: givenEdition(flags, env),
  };
}

export function givenEdition(flags: CredentialFlags, env: System['env']): Given<Edition> | undefined {
  const edition = given('--edition', flags.edition, 'LINKCTL_EDITION', env);
  return checked(edition, (value) => (isEdition(value) ? value : undefined), 'edition');
}

/** `--base-url`, `LINKCTL_API_KEY`, `profile "work" (/home/ann/.config/linkctl/config.json)`, `default`. */
export function describeSource(source: Source): string {
  if (source.kind === 'profile') return `profile "${source.profile}" (${source.path})`;
  return source.kind === 'default' ? 'default' : source.name;
}

function givenKey({ apiKeyFile }: CredentialFlags, env: System['env']): Given | undefined {
  const file = given('--api-key-file', apiKeyFile, 'LINKCTL_API_KEY_FILE', env);
  const key = given('', undefined, 'LINKCTL_API_KEY', env);
  if (file?.source.kind === 'environment' && key)
    throw new UsageError('set only one of LINKCTL_API_KEY_FILE and LINKCTL_API_KEY');
  return file ?? key;
}

/** A variable that is empty is not set; a flag that is empty is a mistake. */
function given(flag: string, typed: string | undefined, variable: string, env: System['env']): Given | undefined {
  if (typed === '') throw new UsageError(`${flag}: expected a value`);
  if (typed !== undefined) return { value: typed, source: { kind: 'flag', name: flag } };
  const value = env[variable];
  return value ? { value, source: { kind: 'environment', name: variable } } : undefined;
}

/** The value as `read` understands it. It is not quoted in the message: an address may hold a password. */
function checked<T extends string>(
  found: Given | undefined,
  read: (text: string) => T | undefined,
  key: ProfileKey,
): Given<T> | undefined {
  if (!found) return undefined;
  const value = read(found.value);
  if (value === undefined) throw new UsageError(`${found.source.name}: expected ${profileFields[key].expected}`);
  return { value, source: found.source };
}
