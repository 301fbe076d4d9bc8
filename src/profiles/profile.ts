import { isAbsolute } from 'node:path';
import { AuthError, orElse, UsageError } from '../base/errors.ts';
import { hasControlCharacter } from '../base/safe-text.ts';
import { editions, isEdition } from '../contract/editions.ts';
import { formats } from '../contract/formats.ts';
import { accountName, baseUrl } from './account-values.ts';
import type { KeySource } from './key-source.ts';

interface ProfileField<Value = unknown> {
  /** Continues "expected", such as `one of {a|b}`. */
  readonly expected: string;
  accepts(value: unknown): value is Value;
  /** For invalid text it returns a value that `accepts` rejects. */
  parse(typed: string): unknown;
  /** Only `auth login` sets it. */
  readonly login?: boolean;
  /** Flag and variable that override the stored value. */
  readonly flag?: string;
  readonly variable?: string;
  /** Built-in default. */
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
  parse: (typed) => orElse(() => JSON.parse(typed), undefined),
};

/** The single description of all settings, by their names in the file. */
const profileFields = {
  base_url: {
    ...text('a URL such as https://s.example/tiny/api/3', (value) => baseUrl(value) !== undefined),
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
  /** Default: the edition's limit. */
  batch_size: integer(1, Math.max(editions.a.groupBound, editions.b.groupBound)),
  /** Program and arguments, run without a shell; its output is the key. Takes precedence over `api_key`. */
  api_key_command: command,
  /** `off` for accounts with a tight quota: before-images cost calls. `--undo` and `--no-undo` take precedence. */
  undo: { ...choice(['on', 'off']), default: 'on' },
  insecure_http: { ...yesOrNo, flag: '--insecure-http', default: false },
  /** PEM file of certificates to trust in addition. */
  ca_file: { ...text('an absolute path', isAbsolute), flag: '--ca-file' },
  /** Sends PATCH and DELETE as POST with `X-HTTP-Method-Override`. */
  method_override: { ...yesOrNo, default: false },
  /** For servers without `short_url_with_protocol`. */
  short_url_scheme: { ...choice(['http', 'https']), default: 'https' },
  color: { ...choice(['auto', 'always', 'never']), flag: '--color', default: 'auto' },
} as const satisfies Readonly<Record<string, ProfileField>>;

export type ProfileKey = keyof typeof profileFields;

type ValueOf<Field> = Field extends { accepts(value: unknown): value is infer Value } ? Value : never;

/** Null means the same as a missing value. */
export type Profile = { [K in ProfileKey]?: ValueOf<(typeof profileFields)[K]> | null };

/** Loses the type of the value, for keys known only at run time. */
export const fieldOf = (key: ProfileKey): ProfileField => profileFields[key];

export const profileKeys: readonly ProfileKey[] = Object.keys(profileFields).filter(isProfileKey);

function isProfileKey(name: string): name is ProfileKey {
  return Object.hasOwn(profileFields, name);
}

/** Exit code 2. */
export function requireProfileKey(name: string): ProfileKey {
  if (isProfileKey(name)) return name;
  throw new UsageError(`no setting ${JSON.stringify(name)}; expected one of ${profileKeys.join(', ')}`);
}

/** Returns one sentence per key, without values: one may be the API key. */
export function profileFaults(profile: object): string[] {
  return Object.entries(profile).flatMap(([key, value]) => {
    if (!isProfileKey(key) || value === null || fieldOf(key).accepts(value)) return [];
    return [`${key}: expected ${profileFields[key].expected}`];
  });
}

/** Returns the names of settings that a server with one domain refuses in every call that they apply to. */
export function settingsOfDomains({ domain, dedupe }: Profile): ('domain' | 'dedupe')[] {
  return [...(domain ? ['domain' as const] : []), ...(dedupe === 'domain' ? ['dedupe' as const] : [])];
}

/** All settings except credentials. */
export type Settings = Omit<Profile, 'base_url' | 'username' | 'api_key' | 'api_key_command' | 'edition'>;

/** Strips the credentials, so that the key is not passed around. */
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

/** Throws `AuthError` if a part is missing. */
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
