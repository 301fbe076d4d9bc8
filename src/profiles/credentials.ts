import { AuthError, LocalError, UsageError } from '../base/errors.ts';
import type { System } from '../base/system.ts';
import type { Edition } from '../contract/editions.ts';
import { type Config, readConfig } from './config-file.ts';
import { configPath } from './config-path.ts';
import { type CredentialFlags, describeSource, type GivenSet, givenEdition, givenSet } from './credential-values.ts';
import { sandboxName } from './profile-name.ts';
import { type Notices, type ServerCredentials, type Settings, serverCredentials } from './server-credentials.ts';
import { settingsOf, storedSet } from './stored-set.ts';

/** The service in this process: no account, no key (CLI.md 3.2). */
export interface SandboxCredentials extends Notices {
  readonly kind: 'sandbox';
  readonly profile: typeof sandboxName;
  readonly edition: Edition;
  readonly settings: Settings;
}

export type Credentials = ServerCredentials | SandboxCredentials;

/**
 * Whom to talk to, as one whole set (B61, B62): what flags and environment give, else a stored profile; `--profile` beats the
 * variables. Throws `UsageError` for a set with gaps or contradictions, `AuthError` where nothing is given, `LocalError` for an
 * unknown profile or a bad configuration (B69, B71).
 */
export function resolveCredentials(flags: CredentialFlags, system: System): Credentials {
  const explicit = flags.profile !== undefined;
  const given = givenSet(flags, explicit ? {} : system.env);
  const member = given.username ?? given.key;
  if (member && explicit) throw new UsageError(`specify only one of --profile and ${describeSource(member.source)}`);
  if (member) return wholeGivenSet(given, flags, system);
  const name = flags.profile ?? (system.env.LINKCTL_PROFILE || undefined);
  if (name === sandboxName) return sandbox(given, flags, system);
  const config = readConfig(system);
  const chosen = name ?? config.currentProfile;
  if (chosen === sandboxName) return sandbox(given, flags, system);
  if (chosen === undefined) throw given.baseUrl ? incomplete(given) : noProfile(config, ', so there is no account to work with');
  const profile = config.profiles.get(chosen);
  if (!profile) throw unknownProfile(chosen, config);
  return storedSet({ name: chosen, profile, config, flags, given }, system);
}

/** Exit 9, with the profiles that there are (B69). */
export function unknownProfile(name: string, config: Config): LocalError {
  const known = [...new Set([...config.profiles.keys(), sandboxName])];
  return new LocalError(`no profile ${JSON.stringify(name)} in ${config.path}; known: ${known.join(', ')}`, {
    hint: 'linkctl auth list',
  });
}

function wholeGivenSet(given: GivenSet, flags: CredentialFlags, system: System): ServerCredentials {
  const { baseUrl, username, key, edition } = given;
  if (!baseUrl || !username || !key) throw incomplete(given);
  const fromVariable = key.source.name === 'LINKCTL_API_KEY';
  return serverCredentials(
    {
      profile: undefined,
      baseUrl: baseUrl.value,
      username: username.value,
      edition: edition?.value ?? 'a',
      sources: {
        baseUrl: baseUrl.source,
        username: username.source,
        apiKey: key.source,
        edition: edition?.source ?? { kind: 'default' },
      },
      settings: {},
      ...(key.source.kind === 'environment' ? shadowNotices(key.source.name, system) : { notes: [], warnings: [] }),
      key: fromVariable ? { kind: 'variable', name: key.source.name, value: key.value } : { kind: 'file', path: key.value },
      insecureHttp: flags.insecureHttp ?? false,
    },
    system,
  );
}

/** B63: the environment stands before a profile that is stored. */
function shadowNotices(variable: string, system: System): Notices {
  const { config, warnings } = readableConfig(system);
  const shadowed = system.env.LINKCTL_PROFILE || config.currentProfile;
  return {
    notes: shadowed ? [`using ${variable} from the environment; profile "${shadowed}" is not used`] : [],
    warnings,
  };
}

function sandbox(given: GivenSet, flags: CredentialFlags, system: System): SandboxCredentials {
  if (given.baseUrl) throw new UsageError(`${describeSource(given.baseUrl.source)}: the sandbox has no address of its own`);
  const { config, warnings } = readableConfig(system);
  const profile = config.profiles.get(sandboxName) ?? {};
  return {
    kind: 'sandbox',
    profile: sandboxName,
    edition: givenEdition(flags, system.env)?.value ?? profile.edition ?? 'a',
    settings: settingsOf(profile),
    notes: [],
    warnings,
  };
}

/** Where the credentials come from elsewhere, a configuration that cannot be read is worth a warning and no more (B70). */
function readableConfig(system: System): { config: Config; warnings: readonly string[] } {
  try {
    const config = readConfig(system);
    return { config, warnings: config.warnings };
  } catch (error) {
    if (!(error instanceof LocalError)) throw error;
    const config: Config = { path: configPath(system), currentProfile: undefined, profiles: new Map(), warnings: [] };
    return { config, warnings: [error.message] };
  }
}

/** Exit 4, with the way on: a profile that is stored, a new one, or none. */
export function noProfile({ profiles, path }: Config, consequence = ''): AuthError {
  const first = profiles.size > 0 ? 'linkctl auth switch <profile>' : 'linkctl auth login';
  return new AuthError(`no profile is chosen (looked in ${path})${consequence}`, {
    hint: `${first}, or without an account: linkctl -p sandbox`,
  });
}

/** B62: gaps are named, never filled from a profile. */
function incomplete({ baseUrl, username, key }: GivenSet): UsageError {
  const found = [baseUrl, username, key].flatMap((value) => (value ? [describeSource(value.source)] : []));
  const missing = [
    ...(baseUrl ? [] : ['--base-url (LINKCTL_BASE_URL)']),
    ...(username ? [] : ['--username (LINKCTL_USERNAME)']),
    ...(key ? [] : ['--api-key-file (LINKCTL_API_KEY_FILE, LINKCTL_API_KEY)']),
  ];
  return new UsageError(`${found.join(', ')} without ${missing.join(' and ')}: credentials are taken as one whole set`, {
    hint: 'give all of them, or store them: linkctl auth login',
  });
}
