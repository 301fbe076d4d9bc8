import { UsageError } from '../base/errors.ts';
import type { System } from '../base/system.ts';
import { type Edition, editions } from '../contract/editions.ts';
import { noProfile, readConfig, requireProfile } from './config-file.ts';
import { type Choice, type CredentialFlags, choose, describeSource, type Given, givenValue } from './given-set.ts';
import { fieldOf, type Profile, type ProfileKey, profileKeys } from './profile.ts';
import { maskKey } from './redactor.ts';

/** An effective setting and its source. */
interface Setting {
  readonly key: ProfileKey;
  /** Keys are masked. Null without a value and default. */
  readonly value: unknown;
  /** Examples: `--domain`, `LINKCTL_DOMAIN`, `profile "work" (…/config.json)`, `default`. */
  readonly source: string;
}

/** Flags that override settings. */
export interface SettingFlags extends CredentialFlags {
  readonly domain?: string | undefined;
  readonly output?: string | undefined;
  readonly color?: string | undefined;
  readonly caFile?: string | undefined;
}

/** Works for incomplete profiles too, so that it shows what is missing. Throws `LocalError` and `UsageError`. */
export function effectiveSettings(flags: SettingFlags, system: System): Setting[] {
  const { config, choice, name, profile } = chosenProfile(flags, system);
  const given = givenSettings(flags, choice, system.env);
  const edition = choice.given.edition?.value ?? profile.edition ?? 'a';
  return profileKeys.map((key) => {
    const override = given[key];
    if (override) return { key, value: overridden(key, override), source: describeSource(override.source) };
    const origin = { profile: name ?? '', path: config.path };
    // Only a call runs the command.
    if (key === 'api_key' && profile.api_key_command) {
      return { key, value: '****', source: describeSource({ kind: 'command', ...origin }) };
    }
    const stored = profile[key];
    if (stored === undefined || stored === null) return { key, value: builtIn(key, edition), source: 'default' };
    return { key, value: shown(key, stored), source: describeSource({ kind: 'profile', ...origin }) };
  });
}

/** Refuses credentials: a key belongs to the origin and account it was stored with, and must not be on a command line. */
export function parseSetting(key: ProfileKey, typed: string): unknown {
  const field = fieldOf(key);
  if (field.login) throw new UsageError(`${key} cannot be set separately; it is set at login`, { hint: 'linkctl auth login' });
  const value = field.parse(typed);
  if (field.accepts(value)) return value;
  throw new UsageError(`${key}: expected ${field.expected}, got ${JSON.stringify(typed)}`);
}

/** The profile must be named or current, and must exist unless it is the sandbox. */
export function profileToChange(flags: CredentialFlags, system: System): { readonly name: string; readonly stored: Profile } {
  const { config, choice, name, profile } = chosenProfile(flags, system);
  if (name !== undefined) return { name, stored: profile };
  if (!choice.member) throw noProfile(config);
  throw new UsageError(`${describeSource(choice.member.source)} is used instead of a profile`, {
    hint: 'select a profile with --profile',
  });
}

/** Selects like `resolveCredentials`, but accepts an incomplete set. Throws if the profile does not exist. */
function chosenProfile(flags: CredentialFlags, system: System) {
  const config = readConfig(system);
  const choice = choose(flags, system.env);
  const name = choice.name ?? (choice.member ? undefined : config.currentProfile);
  if (name !== undefined) requireProfile(name, config);
  const profile: Profile = config.profiles.get(name ?? '') ?? {};
  return { config, choice, name, profile };
}

type GivenSettings = { readonly [K in ProfileKey]?: Given<unknown> | undefined };

function givenSettings(
  { domain, output, color, insecureHttp, caFile }: SettingFlags,
  { given }: Choice,
  env: System['env'],
): GivenSettings {
  return {
    ...given,
    domain: givenValue('domain', domain, env),
    output: givenValue('output', output, env),
    color: givenValue('color', color, env),
    ...(caFile && { ca_file: { value: caFile, source: { kind: 'flag', name: '--ca-file' } } }),
    ...(insecureHttp && { insecure_http: { value: true, source: { kind: 'flag', name: '--insecure-http' } } }),
  };
}

/** The key file is not read, and its path is not the value. */
function overridden(key: ProfileKey, { value, source }: Given<unknown>): unknown {
  return key === 'api_key' && source.name !== 'LINKCTL_API_KEY' ? '****' : shown(key, value);
}

function shown(key: ProfileKey, value: unknown): unknown {
  return key === 'api_key' ? maskKey(String(value)) : value;
}

function builtIn(key: ProfileKey, edition: Edition): unknown {
  return key === 'batch_size' ? editions[edition].groupBound : (fieldOf(key).default ?? null);
}
