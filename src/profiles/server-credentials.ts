import { UsageError } from '../base/errors.ts';
import type { System } from '../base/system.ts';
import type { Edition } from '../contract/editions.ts';
import { isExposed } from './account-values.ts';
import type { Source } from './credential-values.ts';
import { type ApiKey, type KeySource, readKey } from './key-source.ts';
import type { Profile } from './profile.ts';

/** Defaults of a profile: all that is not part of its set of credentials. */
export type Settings = Omit<Profile, 'base_url' | 'username' | 'api_key' | 'api_key_command' | 'edition'>;

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

export interface CredentialParts extends Omit<ServerCredentials, 'kind' | 'readKey'> {
  readonly key: KeySource;
  /** `--insecure-http`, or the profile's `insecure_http`. */
  readonly insecureHttp: boolean;
}

/** Puts a set together. Throws `UsageError` where its key would travel in the open (R-43, B74). */
export function serverCredentials({ key, insecureHttp, ...parts }: CredentialParts, system: System): ServerCredentials {
  const exposed = isExposed(parts.baseUrl);
  if (exposed && !insecureHttp) {
    throw new UsageError(`${parts.baseUrl} is not encrypted: everyone on the way could read the API key`, {
      hint: 'use https://, or allow it with --insecure-http',
    });
  }
  let reading: Promise<ApiKey> | undefined;
  return {
    ...parts,
    kind: 'server',
    warnings: exposed ? [...parts.warnings, `the API key goes unencrypted to ${parts.baseUrl}`] : parts.warnings,
    readKey: () => {
      reading ??= readKey(key, system);
      return reading;
    },
  };
}
