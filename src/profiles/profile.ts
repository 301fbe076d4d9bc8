import { UsageError } from '../base/errors.ts';
import { hasControlCharacter } from '../base/unicode.ts';
import { type Edition, editions } from '../contract/editions.ts';
import { type Format, formats } from '../contract/formats.ts';
import { accountName, baseUrl } from './account-values.ts';
import { choice, command, integer, type ProfileField, text, yesOrNo } from './profile-field.ts';

/** A stored set of credentials and defaults, under the names of the file (CLI.md 3.8). Absent and null are the same. */
export interface Profile {
  base_url?: string | null;
  username?: string | null;
  api_key?: string | null;
  edition?: Edition | null;
  /** Edition A: the working domain. */
  domain?: string | null;
  output?: Format | null;
  dedupe?: 'off' | 'account' | 'domain' | null;
  batch_size?: number | null;
  /** A program and its arguments, run without a shell; what it prints is the key. It beats `api_key`. */
  api_key_command?: string[] | null;
  insecure_http?: boolean | null;
  /** PATCH and DELETE as POST with `X-HTTP-Method-Override`. */
  method_override?: boolean | null;
  /** For servers that send no `short_url_with_protocol`. */
  short_url_scheme?: 'http' | 'https' | null;
  color?: 'auto' | 'always' | 'never' | null;
}

export type ProfileKey = keyof Profile;

/** What each key of a profile may hold: the one place that `config set` and the check of the file read. */
export const profileFields: { readonly [K in ProfileKey]-?: ProfileField } = {
  base_url: { ...text('a URL such as https://api.example.com/rest/v3', (value) => baseUrl(value) !== undefined), login: true },
  username: {
    ...text('a name without a colon and control characters', (value) => accountName(value) !== undefined),
    login: true,
  },
  api_key: { ...text('a key', (value) => value !== ''), login: true },
  edition: choice(Object.keys(editions)),
  domain: text('a domain name', (value) => /^[^\s/]+$/.test(value) && !hasControlCharacter(value)),
  output: choice(formats),
  dedupe: choice(['off', 'account', 'domain']),
  batch_size: integer(1, Math.max(editions.a.groupBound, editions.b.groupBound)),
  api_key_command: command,
  insecure_http: yesOrNo,
  method_override: yesOrNo,
  short_url_scheme: choice(['http', 'https']),
  color: choice(['auto', 'always', 'never']),
};

export function isProfileKey(name: string): name is ProfileKey {
  return Object.hasOwn(profileFields, name);
}

/** Exit 2 for a key that no profile has. */
export function requireProfileKey(name: string): ProfileKey {
  if (isProfileKey(name)) return name;
  throw new UsageError(`no setting ${JSON.stringify(name)}; expected one of ${Object.keys(profileFields).join(', ')}`);
}

/**
 * A value as typed after `config set`. Credentials are refused: a key belongs to the origin and account that it was stored with
 * and none is taken from a command line (B64).
 */
export function parseSetting(key: ProfileKey, typed: string): NonNullable<Profile[ProfileKey]> {
  const field = profileFields[key];
  if (field.login) throw new UsageError(`${key} is not set by itself, but with its account`, { hint: 'linkctl auth login' });
  const value = field.parse(typed);
  if (field.accepts(value)) return value as NonNullable<Profile[ProfileKey]>;
  throw new UsageError(`${key}: expected ${field.expected}, got ${JSON.stringify(typed)}`);
}

/** What is wrong with a profile as read from the file, one sentence a key; values are not quoted, one may be the secret. */
export function profileFaults(profile: unknown): string[] {
  if (typeof profile !== 'object' || profile === null || Array.isArray(profile)) return ['expected an object'];
  return Object.entries(profile).flatMap(([key, value]) => {
    if (!isProfileKey(key) || value === null || profileFields[key].accepts(value)) return [];
    return [`${key}: expected ${profileFields[key].expected}`];
  });
}
