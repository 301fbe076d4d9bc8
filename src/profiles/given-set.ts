import { UsageError } from '../base/errors.ts';
import type { System } from '../base/system.ts';
import { isEdition } from '../contract/editions.ts';
import { accountName, baseUrl } from './account-values.ts';
import { fieldOf, type Profile, type ProfileKey } from './profile.ts';

/** Commands that show settings name the source of each value. */
export type Source =
  | { readonly kind: 'flag' | 'environment'; readonly name: string }
  | { readonly kind: 'profile'; readonly profile: string; readonly path: string }
  /** `api_key_command`. */
  | { readonly kind: 'command'; readonly profile: string }
  | { readonly kind: 'default' };

export interface CredentialFlags {
  readonly profile?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly username?: string | undefined;
  readonly apiKeyFile?: string | undefined;
  readonly edition?: string | undefined;
  readonly insecureHttp?: boolean | undefined;
}

export interface Given<Value = string> {
  readonly value: Value;
  readonly source: Extract<Source, { readonly name: string }>;
}

/** Values of flags and environment, already checked. */
export interface GivenSet {
  readonly base_url: Given | undefined;
  readonly username: Given | undefined;
  /** A path, unless the source is `LINKCTL_API_KEY`. */
  readonly api_key: Given | undefined;
  readonly edition: Given<'a' | 'b'> | undefined;
}

export interface Choice {
  readonly given: GivenSet;
  /** A username or key from flags or environment: then the set must be complete, and no profile is used. */
  readonly member: Given | undefined;
  /** Named profile; undefined for the current one. */
  readonly name: string | undefined;
}

/** Flags override variables, and `--profile` overrides the variables of the set. Throws `UsageError`. */
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

/** An empty variable counts as unset; an empty flag is an error. */
export function givenValue(key: ProfileKey, typed: string | undefined, env: System['env']): Given | undefined {
  const { flag = '', variable } = fieldOf(key);
  if (typed === '') throw new UsageError(`${flag}: expected a value`);
  if (typed !== undefined) return { value: typed, source: { kind: 'flag', name: flag } };
  const value = variable && env[variable];
  return value ? { value, source: { kind: 'environment', name: variable } } : undefined;
}

function checked<Value>(
  key: ProfileKey,
  found: Given | undefined,
  read: (text: string) => Value | undefined,
): Given<Value> | undefined {
  if (!found) return undefined;
  const value = read(found.value);
  // A URL may contain a password.
  const got = key === 'base_url' ? '' : `, got ${JSON.stringify(found.value)}`;
  if (value === undefined) throw new UsageError(`${found.source.name}: expected ${fieldOf(key).expected}${got}`);
  return { value, source: found.source };
}

/** Missing parts are named and never taken from a profile. */
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

/** The key belongs to the stored origin, so with a profile a base URL may change only the path. */
export function sameOrigin(given: Given, stored: string, name: string): Given {
  const { origin } = new URL(stored);
  if (new URL(given.value).origin === origin) return given;
  throw new UsageError(
    `${describeSource(given.source)} is not the server of profile "${name}" (${origin}); the API key is not sent there`,
    { hint: 'without --profile, give the whole set: --base-url, --username and --api-key-file' },
  );
}

/** With a profile, `--edition` may fill a gap but not contradict it. */
export function sameEdition(given: GivenSet['edition'], stored: Profile['edition'], name: string): GivenSet['edition'] {
  if (!given || !stored || given.value === stored) return given;
  throw new UsageError(`${describeSource(given.source)} is edition ${given.value}, but profile "${name}" is edition ${stored}`, {
    // The login asked the server for its edition, so the profile is right.
    hint: `${given.source.kind === 'flag' ? 'remove' : 'unset'} ${given.source.name}`,
  });
}

/** Examples: `--base-url`, `LINKCTL_API_KEY`, `profile "work" (/home/ann/.config/linkctl/config.json)`, `default`. */
export function describeSource(source: Source): string {
  if (source.kind === 'command') return `api_key_command of profile "${source.profile}"`;
  if (source.kind === 'profile') return `profile "${source.profile}" (${source.path})`;
  return source.kind === 'default' ? 'default' : source.name;
}
