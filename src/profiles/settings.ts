import { UsageError } from '../base/errors.ts';
import type { System } from '../base/system.ts';
import { editions } from '../contract/editions.ts';
import { readConfig } from './config-file.ts';
import { type CredentialFlags, describeSource, type Given, type GivenSet, givenSet } from './credential-values.ts';
import { noProfile, unknownProfile } from './credentials.ts';
import { type Profile, type ProfileKey, profileFields } from './profile.ts';
import { sandboxName } from './profile-name.ts';
import { maskKey } from './redactor.ts';

/** One value in force and where it comes from (B72). */
export interface Setting {
  readonly key: ProfileKey;
  /** A key is masked. Null where there is none, and nothing built in. */
  readonly value: unknown;
  /** `--domain`, `LINKCTL_DOMAIN`, `profile "work" (…/config.json)`, `default`. */
  readonly source: string;
}

/** The flags of the line that stand before a profile's settings. */
export interface SettingFlags extends CredentialFlags {
  readonly domain?: string | undefined;
  readonly output?: string | undefined;
  readonly color?: string | undefined;
}

/** Every setting, whether the profile is complete or not: this is where one looks when it is not. Throws `LocalError`, `UsageError`. */
export function settingsInForce(flags: SettingFlags, system: System): Setting[] {
  const config = readConfig(system);
  const { name, given } = choose(flags, system, config.currentProfile);
  const profile = name === undefined ? {} : (config.profiles.get(name) ?? {});
  if (name !== undefined && name !== sandboxName && !config.profiles.has(name)) throw unknownProfile(name, config);
  const overrides = givenSettings(flags, given, system.env);
  const edition = given.edition?.value ?? profile.edition ?? 'a';
  return (Object.keys(profileFields) as ProfileKey[]).map((key) => {
    const override = overrides[key];
    if (override) return { key, value: overridden(key, override), source: describeSource(override.source) };
    const stored = profile[key];
    if (stored === undefined || stored === null) return { key, value: builtIn(key, edition), source: 'default' };
    const source = describeSource({ kind: 'profile', profile: name ?? '', key, path: config.path });
    return { key, value: shown(key, stored), source };
  });
}

/** The profile that `config set` and `unset` change: it must be named or current, and stored, or the sandbox. */
export function profileToChange(flags: CredentialFlags, system: System): string {
  const config = readConfig(system);
  const { name, given } = choose(flags, system, config.currentProfile);
  if (name === undefined) {
    const member = given.username ?? given.key;
    if (member)
      throw new UsageError(`${describeSource(member.source)} is in force, and no profile`, { hint: 'name it: --profile' });
    throw noProfile(config);
  }
  if (name !== sandboxName && !config.profiles.has(name)) throw unknownProfile(name, config);
  return name;
}

interface Choice {
  /** Absent where flags or environment give the credentials, or nothing is chosen. */
  readonly name: string | undefined;
  readonly given: GivenSet;
}

/** As `resolveCredentials` chooses (B61), without asking for a whole set. */
function choose(flags: CredentialFlags, { env }: System, current: string | undefined): Choice {
  const given = givenSet(flags, flags.profile === undefined ? env : {});
  const isGiven = given.username !== undefined || given.key !== undefined;
  return { name: flags.profile ?? (isGiven ? undefined : env.LINKCTL_PROFILE || current), given };
}

interface Override {
  readonly value: unknown;
  readonly source: Given['source'];
}
type Overrides = { readonly [K in ProfileKey]?: Override };

function givenSettings({ domain, output, color, insecureHttp }: SettingFlags, given: GivenSet, env: System['env']): Overrides {
  return {
    ...pick('base_url', given.baseUrl),
    ...pick('username', given.username),
    ...pick('api_key', given.key),
    ...pick('edition', given.edition),
    ...pick('domain', firstOf('--domain', domain, 'LINKCTL_DOMAIN', env)),
    ...pick('output', firstOf('--output', output, 'LINKCTL_OUTPUT', env)),
    ...pick('color', firstOf('--color', color, '', env)),
    ...pick('insecure_http', insecureHttp ? { value: true, source: { kind: 'flag', name: '--insecure-http' } } : undefined),
  };
}

function pick(key: ProfileKey, given: Override | undefined): Overrides {
  return given ? { [key]: given } : {};
}

function firstOf(flag: string, typed: string | undefined, variable: string, env: System['env']): Given | undefined {
  if (typed !== undefined) return { value: typed, source: { kind: 'flag', name: flag } };
  const value = env[variable];
  return value ? { value, source: { kind: 'environment', name: variable } } : undefined;
}

/** A key file is not read for this, and its path is not the value. */
function overridden(key: ProfileKey, { value, source }: Override): unknown {
  return key === 'api_key' && source.name !== 'LINKCTL_API_KEY' ? '****' : shown(key, value);
}

function shown(key: ProfileKey, value: unknown): unknown {
  return key === 'api_key' ? maskKey(String(value)) : value;
}

/** What holds where nobody said anything. */
function builtIn(key: ProfileKey, edition: 'a' | 'b'): Profile[ProfileKey] {
  const values: Profile = {
    edition: 'a',
    dedupe: 'off',
    batch_size: editions[edition].groupBound,
    insecure_http: false,
    method_override: false,
    short_url_scheme: 'https',
    color: 'auto',
  };
  return values[key] ?? null;
}
