import { AuthError, UsageError } from '../base/errors.ts';
import type { System } from '../base/system.ts';
import { baseUrl as normalised } from './account-values.ts';
import type { Config } from './config-file.ts';
import { type CredentialFlags, describeSource, type Given, type GivenSet, type Source } from './credential-values.ts';
import type { KeySource } from './key-source.ts';
import type { Profile, ProfileKey } from './profile.ts';
import { type ServerCredentials, type Settings, serverCredentials } from './server-credentials.ts';

/** A profile that is stored, and what is said beside it. */
export interface StoredRequest {
  readonly name: string;
  readonly profile: Profile;
  readonly config: Config;
  readonly flags: CredentialFlags;
  readonly given: GivenSet;
}

/**
 * The set of a stored profile. A base URL beside it may differ in its path only, as the key belongs to its origin (B74, R-42).
 * Throws `AuthError` for a profile that lacks a part, `UsageError` for a contradiction.
 */
export function storedSet({ name, profile, config, flags, given }: StoredRequest, system: System): ServerCredentials {
  const { base_url, username, key } = wholeSet(name, profile);
  const source = (part: ProfileKey): Source => ({ kind: 'profile', profile: name, key: part, path: config.path });
  const override = given.baseUrl && sameOrigin(given.baseUrl, base_url, name);
  const edition = editionOf(name, profile, given);
  return serverCredentials(
    {
      profile: name,
      baseUrl: override?.value ?? base_url,
      username,
      edition: edition?.value ?? profile.edition ?? 'a',
      sources: {
        baseUrl: override?.source ?? source('base_url'),
        username: source('username'),
        apiKey: source(key.kind === 'command' ? 'api_key_command' : 'api_key'),
        edition: edition?.source ?? (profile.edition ? source('edition') : { kind: 'default' }),
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

/** A profile without its set of credentials, so that the key is not handed around. */
export function settingsOf({
  base_url: _url,
  username: _username,
  api_key: _key,
  api_key_command: _command,
  edition: _edition,
  ...settings
}: Profile): Settings {
  return settings;
}

function wholeSet(name: string, profile: Profile): { base_url: string; username: string; key: KeySource } {
  const key = keyOf(name, profile);
  const base_url = normalised(profile.base_url ?? '');
  const { username } = profile;
  if (base_url && username && key) return { base_url, username, key };
  const missing = [base_url ? [] : ['base_url'], username ? [] : ['username'], key ? [] : ['api_key']].flat();
  throw new AuthError(`profile "${name}" has no ${missing.join(' and no ')}`, { hint: `linkctl auth login --profile ${name}` });
}

function keyOf(name: string, { api_key, api_key_command }: Profile): KeySource | undefined {
  if (api_key_command) return { kind: 'command', argv: api_key_command };
  return api_key ? { kind: 'stored', profile: name, value: api_key } : undefined;
}

function sameOrigin(given: Given, stored: string, name: string): Given {
  const { origin } = new URL(stored);
  if (new URL(given.value).origin === origin) return given;
  throw new UsageError(
    `${describeSource(given.source)} names another server than profile "${name}" (${origin}); its key is not sent there`,
    { hint: 'without --profile, give the whole set: --base-url, --username and --api-key-file' },
  );
}

/** Given beside a profile, an edition may fill a gap or agree; it never mixes with another (B62). */
function editionOf(name: string, { edition: stored }: Profile, { edition }: GivenSet): GivenSet['edition'] {
  if (!edition || !stored || edition.value === stored) return edition;
  throw new UsageError(
    `${describeSource(edition.source)} says edition ${edition.value}, profile "${name}" is of edition ${stored}`,
    {
      hint: `linkctl config set edition ${edition.value} --profile ${name}`,
    },
  );
}
