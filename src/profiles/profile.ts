import { isAbsolute } from 'node:path';
import { AuthError, UsageError } from '../base/errors.ts';
import { hasControlCharacter } from '../base/unicode.ts';
import { editions, isEdition } from '../contract/editions.ts';
import { formats } from '../contract/formats.ts';
import { accountName, baseUrl } from './account-values.ts';
import type { KeySource } from './key-source.ts';

/** What one setting of a profile accepts, and what overrides it. */
export interface ProfileField<Value = unknown> {
  /** Continues "expected": `one of {a|b}`. */
  readonly expected: string;
  accepts(value: unknown): value is Value;
  /** The value of typed text. For text without a value it returns something that `accepts` refuses. */
  parse(typed: string): unknown;
  /** Only `auth login` sets it. */
  readonly login?: boolean;
  /** The flag and the variable that override what is stored. */
  readonly flag?: string;
  readonly variable?: string;
  /** The value where nothing is given or stored. */
  readonly default?: Value;
}

function text(expected: string, fits: (value: string) => boolean): ProfileField<string> {
  return { expected, accepts: (value): value is string => typeof value === 'string' && fits(value), parse: (typed) => typed };
}

function choice<const Value extends string>(values: readonly Value[]): ProfileField<Value> {
  return {
    expected: `one of {${values.join('|')}}`,
    accepts: (value): value is Value => values.some((one) => one === value),
    parse: (typed) => typed,
  };
}

function integer(least: number, most: number): ProfileField<number> {
  return {
    expected: `a whole number from ${least} to ${most}`,
    accepts: (value): value is number => typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most,
    parse: (typed) => (/^\d+$/.test(typed) ? Number(typed) : undefined),
  };
}

const yesOrNo: ProfileField<boolean> = {
  expected: 'true or false',
  accepts: (value): value is boolean => typeof value === 'boolean',
  parse: (typed) => (typed === 'true' ? true : typed === 'false' ? false : undefined),
};

const command: ProfileField<string[]> = {
  expected: 'a JSON array of a program and its arguments, such as ["pass", "show", "linkctl"]',
  accepts: (value): value is string[] =>
    Array.isArray(value) && value.every((word) => typeof word === 'string' && !word.includes('\0')) && Boolean(value[0]),
  parse: (typed) => {
    try {
      return JSON.parse(typed);
    } catch {
      return undefined;
    }
  },
};

/** The settings of a profile, credentials included, under their names in the file (CLI 3.8). All other code reads this table. */
const profileFields = {
  base_url: {
    ...text('a URL such as https://api.example.com/rest/v3', (value) => baseUrl(value) !== undefined),
    login: true,
    flag: '--base-url',
    variable: 'LINKCTL_BASE_URL',
  },
  username: {
    ...text('a name without colons or control characters', (value) => accountName(value) !== undefined),
    login: true,
    flag: '--username',
    variable: 'LINKCTL_USERNAME',
  },
  api_key: { ...text('a key', (value) => value !== ''), login: true, flag: '--api-key-file', variable: 'LINKCTL_API_KEY_FILE' },
  edition: { ...choice(Object.keys(editions).filter(isEdition)), flag: '--edition', variable: 'LINKCTL_EDITION', default: 'a' },
  /** Edition A: the working domain. */
  domain: {
    ...text('a domain name', (value) => /^[^\s/]+$/.test(value) && !hasControlCharacter(value)),
    flag: '--domain',
    variable: 'LINKCTL_DOMAIN',
  },
  output: { ...choice(formats), flag: '--output', variable: 'LINKCTL_OUTPUT' },
  dedupe: { ...choice(['off', 'account', 'domain']), default: 'off' },
  /** Without it the batch size of the edition. */
  batch_size: integer(1, Math.max(editions.a.groupBound, editions.b.groupBound)),
  /** A program and its arguments, run without a shell; what it prints is the key. It beats `api_key`. */
  api_key_command: command,
  insecure_http: { ...yesOrNo, flag: '--insecure-http', default: false },
  /** Certificates that are trusted beside the usual ones, in PEM. */
  ca_file: { ...text('an absolute path', isAbsolute), flag: '--ca-file' },
  /** PATCH and DELETE as POST with `X-HTTP-Method-Override`. */
  method_override: { ...yesOrNo, default: false },
  /** For servers that send no `short_url_with_protocol`. */
  short_url_scheme: { ...choice(['http', 'https']), default: 'https' },
  color: { ...choice(['auto', 'always', 'never']), flag: '--color', default: 'auto' },
} as const satisfies Readonly<Record<string, ProfileField>>;

export type ProfileKey = keyof typeof profileFields;

type ValueOf<Field> = Field extends { accepts(value: unknown): value is infer Value } ? Value : never;

/** A stored profile. Absent and null are the same. */
export type Profile = { [K in ProfileKey]?: ValueOf<(typeof profileFields)[K]> | null };

/** The setting of a key that is known at run time only. */
export const fieldOf = (key: ProfileKey): ProfileField => profileFields[key];

export const profileKeys: readonly ProfileKey[] = Object.keys(profileFields).filter(isProfileKey);

function isProfileKey(name: string): name is ProfileKey {
  return Object.hasOwn(profileFields, name);
}

/** Exit 2 for a key that no profile has. */
export function requireProfileKey(name: string): ProfileKey {
  if (isProfileKey(name)) return name;
  throw new UsageError(`no setting ${JSON.stringify(name)}; expected one of ${profileKeys.join(', ')}`);
}

/**
 * A value as typed after `config set`. Credentials are refused: a key belongs to the origin and account that it was stored with
 * and none is taken from a command line (B64).
 */
export function parseSetting(key: ProfileKey, typed: string): unknown {
  const field = fieldOf(key);
  if (field.login) throw new UsageError(`${key} cannot be set separately; it is set at login`, { hint: 'linkctl auth login' });
  const value = field.parse(typed);
  if (field.accepts(value)) return value;
  throw new UsageError(`${key}: expected ${field.expected}, got ${JSON.stringify(typed)}`);
}

/** What is wrong with a profile as read from the file, one sentence per key. Values are not quoted: one may be the API key. */
export function profileFaults(profile: unknown): string[] {
  if (typeof profile !== 'object' || profile === null || Array.isArray(profile)) return ['expected an object'];
  return Object.entries(profile).flatMap(([key, value]) => {
    if (!isProfileKey(key) || value === null || fieldOf(key).accepts(value)) return [];
    return [`${key}: expected ${profileFields[key].expected}`];
  });
}

/** Defaults of a profile: all that is not part of its set of credentials. */
export type Settings = Omit<Profile, 'base_url' | 'username' | 'api_key' | 'api_key_command' | 'edition'>;

/** A profile without its set of credentials, so that the key is not handed around. */
export function settingsOf({
  base_url: _1,
  username: _2,
  api_key: _3,
  api_key_command: _4,
  edition: _5,
  ...settings
}: Profile): Settings {
  return settings;
}

/** What a profile needs for calls. Throws `AuthError` where it lacks a part. */
export function wholeProfile(name: string, profile: Profile): { base_url: string; username: string; key: KeySource } {
  const { username, api_key, api_key_command } = profile;
  const base_url = baseUrl(profile.base_url ?? '');
  const stored: KeySource | undefined = api_key ? { kind: 'stored', profile: name, value: api_key } : undefined;
  const key: KeySource | undefined = api_key_command ? { kind: 'command', argv: api_key_command } : stored;
  if (base_url && username && key) return { base_url, username, key };
  const parts = { base_url, username, api_key: key };
  const missing = Object.entries(parts).flatMap(([part, value]) => (value ? [] : [part]));
  throw new AuthError(`profile "${name}" has no ${missing.join(' and no ')}`, { hint: `linkctl auth login --profile ${name}` });
}
