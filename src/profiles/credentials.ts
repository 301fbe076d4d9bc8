import { LocalError, UsageError } from '../base/errors.ts';
import { NoFolderError, type System } from '../base/system.ts';
import type { Edition } from '../contract/editions.ts';
import { exposure, isExposed } from './account-values.ts';
import { type Config, noProfile, readConfig, unknownProfile } from './config-file.ts';
import {
  type CredentialFlags,
  choose,
  describeSource,
  type GivenSet,
  givenEdition,
  incompleteSet,
  type Source,
  sameEdition,
  sameOrigin,
} from './given-set.ts';
import { type ApiKey, type KeySource, readKey } from './key-source.ts';
import { type Profile, type Settings, settingsOf, wholeProfile } from './profile.ts';
import { sandboxName } from './profile-name.ts';

/** Lines for stderr, without `note:` and `warning:` before them. */
export interface Notices {
  /** For a terminal, or with `-v` (B63). */
  readonly notes: readonly string[];
  /** Always. */
  readonly warnings: readonly string[];
}

/** One whole set, from one place (B62). */
export interface ServerCredentials extends Notices {
  readonly kind: 'server';
  /** Absent where flags or environment gave the set. */
  readonly profile: string | undefined;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly username: string;
  readonly edition: Edition;
  readonly sources: { readonly [part in 'baseUrl' | 'username' | 'apiKey' | 'edition']: Source };
  readonly settings: Settings;
  /** Reads the file or runs the command at the first call, once. Throws as `readKey` of a key source. */
  readKey(): Promise<ApiKey>;
}

/** The service in this process: no account, no key (CLI 3.2). */
export interface SandboxCredentials extends Notices {
  readonly kind: 'sandbox';
  readonly profile: typeof sandboxName;
  readonly edition: Edition;
  readonly settings: Settings;
}

export type Credentials = ServerCredentials | SandboxCredentials;

/**
 * Server and account, as one whole set (B61, B62): what flags and environment give, else a stored profile. Throws `UsageError` for
 * a set with gaps or contradictions, `AuthError` where nothing is given, `LocalError` for an unknown profile or a bad
 * configuration (B69, B71).
 */
export function resolveCredentials(flags: CredentialFlags, system: System): Credentials {
  const { given, member, name } = choose(flags, system.env);
  if (member && flags.profile !== undefined) {
    throw new UsageError(`specify only one of --profile and ${describeSource(member.source)}`);
  }
  if (member) return givenCredentials(given, flags, system);
  // The sandbox must not need a configuration that can be read.
  if (name === sandboxName) return sandbox(given, flags, system);
  const config = readConfig(system);
  const chosen = name ?? config.currentProfile;
  if (chosen === sandboxName) return sandbox(given, flags, system);
  if (chosen === undefined) throw given.base_url ? incompleteSet(given) : noProfile(config, ', so no account is available');
  return storedCredentials(chosen, config, { given, flags, system });
}

/** A set that is whole, and what the key needs. */
interface WholeSet extends Omit<ServerCredentials, 'kind' | 'readKey'> {
  readonly key: KeySource;
  /** `--insecure-http`, or the profile's `insecure_http`. */
  readonly insecureHttp: boolean;
}

/** Throws `UsageError` where the key would travel in the open (R-43, B74). */
function serverCredentials({ key, insecureHttp, ...set }: WholeSet, system: System): ServerCredentials {
  const exposed = isExposed(set.baseUrl);
  if (exposed && !insecureHttp) throw exposure(set.baseUrl);
  const warnings = exposed ? [...set.warnings, `the API key is sent unencrypted to ${set.baseUrl}`] : set.warnings;
  let reading: Promise<ApiKey> | undefined;
  return {
    ...set,
    kind: 'server',
    warnings,
    readKey() {
      reading ??= readKey(key, system);
      return reading;
    },
  };
}

/** The set of flags and environment. */
function givenCredentials(given: GivenSet, flags: CredentialFlags, system: System): ServerCredentials {
  const { base_url, username, api_key: key, edition } = given;
  if (!base_url || !username || !key) throw incompleteSet(given);
  const { kind, name } = key.source;
  return serverCredentials(
    {
      profile: undefined,
      baseUrl: base_url.value,
      username: username.value,
      edition: edition?.value ?? 'a',
      sources: {
        baseUrl: base_url.source,
        username: username.source,
        apiKey: key.source,
        edition: edition?.source ?? { kind: 'default' },
      },
      settings: {},
      ...(kind === 'environment' ? shadowNotices(name, system) : { notes: [], warnings: [] }),
      key: name === 'LINKCTL_API_KEY' ? { kind: 'variable', name, value: key.value } : { kind: 'file', path: key.value },
      insecureHttp: flags.insecureHttp ?? false,
    },
    system,
  );
}

/** B63: the environment beats a profile that is stored. */
function shadowNotices(variable: string, system: System): Notices {
  const { currentProfile, warnings } = readableConfig(system);
  const shadowed = system.env.LINKCTL_PROFILE || currentProfile;
  return {
    notes: shadowed ? [`using ${variable} from the environment; profile "${shadowed}" is not used`] : [],
    warnings,
  };
}

/** What the command line and the environment give beside the name of a profile. */
interface Beside {
  readonly given: GivenSet;
  readonly flags: CredentialFlags;
  readonly system: System;
}

/**
 * The set of a stored profile. Throws `AuthError` for a profile that lacks a part, `UsageError` for a contradiction.
 */
function storedCredentials(name: string, config: Config, { given, flags, system }: Beside): ServerCredentials {
  const profile = config.profiles.get(name);
  if (!profile) throw unknownProfile(name, config);
  const { base_url, username, key } = wholeProfile(name, profile);
  const stored: Source = { kind: 'profile', profile: name, path: config.path };
  const override = given.base_url && sameOrigin(given.base_url, base_url, name);
  const edition = sameEdition(given.edition, profile.edition, name);
  return serverCredentials(
    {
      profile: name,
      baseUrl: override?.value ?? base_url,
      username,
      edition: edition?.value ?? profile.edition ?? 'a',
      sources: {
        baseUrl: override?.source ?? stored,
        username: stored,
        apiKey: stored,
        edition: edition?.source ?? (profile.edition ? stored : { kind: 'default' }),
      },
      settings: settingsOf(profile),
      notes: [],
      warnings: config.warnings,
      key,
      insecureHttp: flags.insecureHttp ?? profile.insecure_http ?? false,
    },
    system,
  );
}

function sandbox(given: GivenSet, flags: CredentialFlags, system: System): SandboxCredentials {
  if (given.base_url) throw new UsageError(`${describeSource(given.base_url.source)}: the sandbox has no base URL`);
  const { profiles, warnings } = readableConfig(system);
  const profile = profiles.get(sandboxName) ?? {};
  return {
    kind: 'sandbox',
    profile: sandboxName,
    edition: editionOf(profile, flags, system),
    settings: settingsOf(profile),
    notes: [],
    warnings,
  };
}

/** The edition that the sandbox has for these flags: its links are served as that. Throws `UsageError`. */
export function sandboxEdition(flags: CredentialFlags, system: System): Edition {
  return editionOf(readableConfig(system).profiles.get(sandboxName) ?? {}, flags, system);
}

function editionOf(profile: Profile, flags: CredentialFlags, { env }: System): Edition {
  return givenEdition(flags, env)?.value ?? profile.edition ?? 'a';
}

/** Where the credentials come from elsewhere, a configuration that cannot be read is worth a warning and no more; one without a place is none. */
function readableConfig(system: System): Omit<Config, 'path'> {
  try {
    return readConfig(system);
  } catch (error) {
    if (!(error instanceof LocalError)) throw error;
    const warnings = error instanceof NoFolderError ? [] : [error.message];
    return { currentProfile: undefined, profiles: new Map(), warnings };
  }
}
