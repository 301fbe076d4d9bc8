import { UsageError } from '../base/errors.ts';
import type { System } from '../base/system.ts';
import { isEdition } from '../contract/editions.ts';
import { accountName, baseUrl } from './account-values.ts';
import { fieldOf, type Profile, type ProfileKey } from './profile.ts';

/** Where one value of a set of credentials came from (B72). */
export type Source =
  | { readonly kind: 'flag' | 'environment'; readonly name: string }
  | { readonly kind: 'profile'; readonly profile: string; readonly path: string }
  | { readonly kind: 'default' };

/** The flags that choose a server and an account, as the command line gave them. */
export interface CredentialFlags {
  readonly profile?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly username?: string | undefined;
  readonly apiKeyFile?: string | undefined;
  readonly edition?: string | undefined;
  readonly insecureHttp?: boolean | undefined;
}

/** A value with its source. */
export interface Given<Value = string> {
  readonly value: Value;
  readonly source: Extract<Source, { readonly name: string }>;
}

/** The credentials that flags and environment give. Each value is checked; some may be missing. */
export interface GivenSet {
  readonly base_url: Given | undefined;
  readonly username: Given | undefined;
  /** A path where the source is not `LINKCTL_API_KEY`. */
  readonly api_key: Given | undefined;
  readonly edition: Given<'a' | 'b'> | undefined;
}

/** What the command line and the environment choose. */
export interface Choice {
  readonly given: GivenSet;
  /** A username or a key. With one of these the set must be given whole, and belongs to no profile. */
  readonly member: Given | undefined;
  /** The profile that they name; without one, the caller takes the current profile of the configuration. */
  readonly name: string | undefined;
}

/** Reads flags, then environment (B61); `--profile` beats the variables. Throws `UsageError` for an invalid value. */
export function choose(flags: CredentialFlags, env: System['env']): Choice {
  const given = givenSet(flags, flags.profile === undefined ? env : {});
  const member = given.username ?? given.api_key;
  return { given, member, name: flags.profile ?? (member ? undefined : env.LINKCTL_PROFILE || undefined) };
}

function givenSet(flags: CredentialFlags, env: System['env']): GivenSet {
  return {
    base_url: checked('base_url', givenValue('base_url', flags.baseUrl, env), baseUrl),
    username: checked('username', givenValue('username', flags.username, env), accountName),
    api_key: givenKey(flags, env),
    edition: givenEdition(flags, env),
  };
}

export function givenEdition(flags: CredentialFlags, env: System['env']): GivenSet['edition'] {
  const edition = givenValue('edition', flags.edition, env);
  return checked('edition', edition, (value) => (isEdition(value) ? value : undefined));
}

function givenKey({ apiKeyFile }: CredentialFlags, env: System['env']): Given | undefined {
  const file = givenValue('api_key', apiKeyFile, env);
  const value = env.LINKCTL_API_KEY;
  if (!value) return file;
  if (file?.source.kind === 'environment') throw new UsageError('set only one of LINKCTL_API_KEY_FILE and LINKCTL_API_KEY');
  return file ?? { value, source: { kind: 'environment', name: 'LINKCTL_API_KEY' } };
}

/** The flag of a profile's field, else its variable. A variable that is empty is not set; a flag that is empty is a mistake. */
export function givenValue(key: ProfileKey, typed: string | undefined, env: System['env']): Given | undefined {
  const { flag = '', variable } = fieldOf(key);
  if (typed === '') throw new UsageError(`${flag}: expected a value`);
  if (typed !== undefined) return { value: typed, source: { kind: 'flag', name: flag } };
  const value = variable && env[variable];
  return value ? { value, source: { kind: 'environment', name: variable } } : undefined;
}

/** The value as `read` parses it. The message does not quote it: a URL may contain a password. */
function checked<Value>(
  key: ProfileKey,
  found: Given | undefined,
  read: (text: string) => Value | undefined,
): Given<Value> | undefined {
  if (!found) return undefined;
  const value = read(found.value);
  if (value === undefined) throw new UsageError(`${found.source.name}: expected ${fieldOf(key).expected}`);
  return { value, source: found.source };
}

/** B62: gaps are named, never filled from a profile. */
export function incompleteSet(given: GivenSet): UsageError {
  const parts = (['base_url', 'username', 'api_key'] as const).map((key) => ({ key, value: given[key] }));
  const found = parts.flatMap(({ value }) => (value ? [describeSource(value.source)] : []));
  const missing = parts.flatMap(({ key, value }) => {
    const { flag, variable } = fieldOf(key);
    return value ? [] : [`${flag} (${variable}${key === 'api_key' ? ', LINKCTL_API_KEY' : ''})`];
  });
  return new UsageError(
    `${found.join(', ')} without ${missing.join(' and ')}: give --base-url, --username and an API key together`,
    {
      hint: 'set all of them, or store them with linkctl auth login',
    },
  );
}

/** With a profile, a base URL may differ from the stored one in its path only: the key belongs to the origin (B74, R-42). */
export function sameOrigin(given: Given, stored: string, name: string): Given {
  const { origin } = new URL(stored);
  if (new URL(given.value).origin === origin) return given;
  throw new UsageError(
    `${describeSource(given.source)} is not the server of profile "${name}" (${origin}); the API key is not sent there`,
    { hint: 'without --profile, give the whole set: --base-url, --username and --api-key-file' },
  );
}

/** With a profile, an edition may fill a gap or repeat the stored one, but not replace it (B62). */
export function sameEdition(given: GivenSet['edition'], stored: Profile['edition'], name: string): GivenSet['edition'] {
  if (!given || !stored || given.value === stored) return given;
  throw new UsageError(`${describeSource(given.source)} is edition ${given.value}, but profile "${name}" is edition ${stored}`, {
    hint: `linkctl config set edition ${given.value} --profile ${name}`,
  });
}

/** `--base-url`, `LINKCTL_API_KEY`, `profile "work" (/home/ann/.config/linkctl/config.json)`, `default`. */
export function describeSource(source: Source): string {
  if (source.kind === 'profile') return `profile "${source.profile}" (${source.path})`;
  return source.kind === 'default' ? 'default' : source.name;
}
