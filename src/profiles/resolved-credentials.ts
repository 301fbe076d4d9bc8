import { LocalError, UsageError } from '../base/errors.ts';
import { NoFolderError, type System } from '../base/system.ts';
import type { Edition } from '../contract/editions.ts';
import { isExposed, refuseExposed } from './account-values.ts';
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
import { sandboxName } from './profile-names.ts';

/** Lines for stderr, without their prefix. */
interface Notices {
  /** Printed on a terminal or with `-v`. */
  readonly note?: string | undefined;
  /** Always printed. */
  readonly warnings: readonly string[];
}

/** A complete set from one source. */
export interface ServerCredentials extends Notices {
  readonly kind: 'server';
  /** Undefined if flags or environment provide the set. */
  readonly profile: string | undefined;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly username: string;
  readonly edition: Edition;
  readonly sources: { readonly [part in 'baseUrl' | 'username' | 'apiKey' | 'edition']: Source };
  readonly settings: Settings;
  /** Reads the file or runs the command once, on the first call. */
  readKey(): Promise<ApiKey>;
}

/** The service in this process needs no account and no key. */
interface SandboxCredentials extends Notices {
  readonly kind: 'sandbox';
  readonly profile: typeof sandboxName;
  readonly edition: Edition;
  readonly settings: Settings;
}

export type Credentials = ServerCredentials | SandboxCredentials;

/**
 * Takes a complete set from flags and environment, or else from a profile, and never mixes them. Throws `UsageError` for an incomplete or
 * contradictory set, `AuthError` without any, `LocalError` for an unknown profile or a corrupt configuration.
 */
export function resolveCredentials(flags: CredentialFlags, system: System): Credentials {
  const { given, member, name } = choose(flags, system.env);
  if (member && flags.profile !== undefined) {
    throw new UsageError(`specify only one of --profile and ${describeSource(member.source)}`);
  }
  if (member) return givenCredentials(given, flags, system);
  // The sandbox works without a readable configuration.
  if (name === sandboxName) return sandbox(given, flags, system);
  const config = readConfig(system);
  const chosen = name ?? config.currentProfile;
  if (chosen === sandboxName) return sandbox(given, flags, system);
  if (chosen === undefined) throw given.base_url ? incompleteSet(given) : noProfile(config, ', so no account is available');
  return storedCredentials(chosen, config, { given, flags, system });
}

interface WholeSet extends Omit<ServerCredentials, 'kind' | 'readKey'> {
  readonly key: KeySource;
  /** From `--insecure-http` or the profile. */
  readonly insecureHttp: boolean;
}

/** Throws `UsageError` if the key would be sent unencrypted. */
function serverCredentials({ key, insecureHttp, ...set }: WholeSet, system: System): ServerCredentials {
  refuseExposed(set.baseUrl, insecureHttp);
  const warnings = isExposed(set.baseUrl) ? [...set.warnings, `the API key is sent unencrypted to ${set.baseUrl}`] : set.warnings;
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
      ...(kind === 'environment' ? shadowNotices(name, system) : { warnings: [] }),
      key: name === 'LINKCTL_API_KEY' ? { kind: 'variable', name, value: key.value } : { kind: 'file', path: key.value },
      insecureHttp: flags.insecureHttp ?? false,
    },
    system,
  );
}

/** Variables override a stored profile, which the user may not expect. */
function shadowNotices(variable: string, system: System): Notices {
  const { currentProfile, warnings } = readableConfig(system);
  const shadowed = system.env.LINKCTL_PROFILE || currentProfile;
  return {
    note: shadowed && `using ${variable} from the environment; profile "${shadowed}" is not used`,
    warnings,
  };
}

/** LINKCTL_PROFILE overrides the current profile, which the user may have forgotten. */
export function overridingProfile(profile: string | undefined, { LINKCTL_PROFILE: used }: System['env']): string[] {
  if (!used || !profile || used === profile) return [];
  return [`note: using profile "${used}" from LINKCTL_PROFILE; profile "${profile}" is not used: unset LINKCTL_PROFILE`];
}

interface GivenOptions {
  readonly given: GivenSet;
  readonly flags: CredentialFlags;
  readonly system: System;
}

/** Throws `AuthError` for an incomplete profile, `UsageError` for a contradiction. */
function storedCredentials(name: string, config: Config, { given, flags, system }: GivenOptions): ServerCredentials {
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
        apiKey: key.kind === 'command' ? { kind: 'command', profile: name } : stored,
        edition: edition?.source ?? (profile.edition ? stored : { kind: 'default' }),
      },
      settings: settingsOf(profile),
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
    warnings,
  };
}

/** `serve` uses it to serve the sandbox's links. Throws `UsageError`. */
export function sandboxEdition(flags: CredentialFlags, system: System): Edition {
  return editionOf(readableConfig(system).profiles.get(sandboxName) ?? {}, flags, system);
}

function editionOf(profile: Profile, flags: CredentialFlags, { env }: System): Edition {
  return givenEdition(flags, env)?.value ?? profile.edition ?? 'a';
}

/** If credentials come from elsewhere, a configuration that cannot be read is only a warning. */
function readableConfig(system: System): Omit<Config, 'path'> {
  try {
    return readConfig(system);
  } catch (error) {
    if (!(error instanceof LocalError)) throw error;
    const warnings = error instanceof NoFolderError ? [] : [error.message];
    return { currentProfile: undefined, profiles: new Map(), warnings };
  }
}
