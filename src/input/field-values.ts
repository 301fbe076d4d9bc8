import { UsageError } from '../base/errors.ts';
import { quoted } from '../base/quoted.ts';
import { hasInvisible, unicodeTest } from '../base/safe-text.ts';
import { type Field, type FieldKind, type FieldName, fields, hashPattern, lengthFault } from '../contract/fields.ts';
import { splitList } from '../contract/tag-label.ts';
import { parseUrl } from '../contract/web-address.ts';
import type { UtmName } from '../link/rules/utm.ts';
import { isHash } from '../link/value.ts';
import { dayFromFlag, dayOf, isRelative, notDate, type Refused } from './dates.ts';

/**
 * A row can set the fields of the contract, UTM parameters of the long URL, the link of an edit by hash or short URL (2.3), and the hash of
 * a new link by its short URL. `old_long_url` is where the link of an edit must still lead.
 */
export type Target = FieldName | 'hash' | 'old_long_url' | 'short_url' | 'domain' | UtmName;

export type WireValue = string | number | boolean | null | string[];

interface KindValues {
  hash: string;
  url: string;
  text: string;
  boolean: boolean;
  date: string | null;
  integer: number;
  tags: string[];
}

type ValueOf<Name extends FieldName> = KindValues[(typeof fields)[Name]['kind']];

/** Converts a cell that is not empty. */
export function cellValue(target: Target, text: string): WireValue | Refused {
  if (isField(target)) return fromText[fields[target].kind](text, fields[target]);
  if (target !== 'hash') return text;
  const hash = existingHash(text.slice(text.lastIndexOf('/') + 1));
  return isRefused(hash) ? existingHash(text) : text;
}

/** Converts a value that is not null. It must have the type of the field and pass the checks of a cell. */
export function jsonValue(target: Target, value: unknown): WireValue | Refused {
  const kind: FieldKind = isField(target) ? fields[target].kind : 'hash';
  const type = jsonTypes[kind] ?? 'string';
  if (typeof value !== type && !(type === 'array' && Array.isArray(value)))
    return { refused: `must be ${type === 'array' ? 'an' : 'a'} ${type}` };
  if (typeof value === 'string') return cellValue(target, value);
  if (typeof value === 'number') return wholeNumber(value, String(value));
  return Array.isArray(value) ? labels(value) : value === true;
}

/** `flag` is its name in messages. Relative dates are resolved from `now`, in milliseconds, in UTC. Throws a UsageError. */
export function flagValue<Name extends Exclude<FieldName, 'tags'>>(
  name: Name,
  flag: string,
  text: string,
  now: number,
): ValueOf<Name> {
  const kind: FieldKind = fields[name].kind;
  const value = text === '' && kind === 'text' ? '' : kind === 'date' ? dayFromFlag(text, now) : cellValue(name, text);
  if (isRefused(value)) throw new UsageError(refusalText(flag, value));
  return value as ValueOf<Name>;
}

/** Each text is one label, even with commas. Throws a UsageError. */
export function flagLabels(flag: string, texts: readonly string[], read = newLabels): string[] {
  const value = read(texts);
  if (isRefused(value)) throw new UsageError(refusalText(flag, value));
  return value;
}

/** A reason continues the name, or begins with the value: `--note is longer than 255 characters`, `--url: "x" has no host`. */
export function refusalText(name: string, { refused }: Refused): string {
  return /^(?:is|must) /.test(refused) ? `${name} ${refused}` : `${name}: ${refused}`;
}

/** Warns about a valid value that is probably a mistake; `today` is from `utcDay`. */
export function valueWarning(target: Target, value: WireValue, today: string): string | undefined {
  if (target === 'expiration_date' && typeof value === 'string' && value < today && !isRelative(value))
    return `${value} is in the past`;
  if (target === 'long_url' && typeof value === 'string' && value.includes('@') && userinfo.test(value))
    return 'the URL contains a user name or password';
  return undefined;
}

export function isField(target: Target): target is FieldName {
  return Object.hasOwn(fields, target);
}

export function isRefused(value: WireValue | Refused): value is Refused {
  return typeof value === 'object' && value !== null && 'refused' in value;
}

/**
 * Returns the reason as the end of a sentence: `has no host`. Checks the text before parsing because the parser silently drops tabs and
 * newlines, while the text is sent as typed.
 */
export function longUrlFault(text: string): string | undefined {
  const plain = printableAscii.test(text);
  if (!plain && hasInvisible(text)) return 'contains a space or control character';
  if (!beginsWithHost.test(text)) return /^https?:/i.test(text) ? 'has no host' : noWebAddress;
  const length = wrongLength(text, fields.long_url);
  if (length) return length.refused;
  // `canParse` is faster because it does not build the parts, and is correct for ASCII.
  return (plain ? URL.canParse(text) : parseUrl(text) !== undefined) ? undefined : 'is not a valid URL';
}

export function existingHash(text: string): string | Refused {
  return isHash(text) ? text : { refused: text === '' ? 'is empty' : `${quoted(text)} is not a hash` };
}

const fromText: { readonly [K in FieldKind]: (text: string, field: Field) => KindValues[K] | Refused } = {
  hash: customHash,
  url: webAddress,
  text: plainText,
  boolean: booleanWord,
  date: (text) => {
    const day = dayOf(text);
    return day === undefined ? notDate(text) : day;
  },
  integer: (text) => wholeNumber(/^\d+$/.test(text) ? Number(text) : Number.NaN, text),
  tags: (text) => {
    const entries = splitList(text);
    return entries ? labels(entries) : { refused: `${quoted(text)} has an unclosed quote` };
  },
};

/** All others are strings. */
const jsonTypes: { readonly [K in FieldKind]?: 'boolean' | 'number' | 'array' } = {
  boolean: 'boolean',
  integer: 'number',
  tags: 'array',
};

// Backslashes count as slashes in http URLs (WHATWG), so they end the host, too. Every long URL passes the first pattern, so it names both
// cases: the flag for them makes V8 load tables of letters.
const beginsWithHost = /^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^/?#\\]/;
const userinfo = /^https?:\/\/[^/?#\\]*@/i;
const noWebAddress = 'is not an http or https URL';
const printableAscii = /^[!-~]+$/;
const hasForbidden = unicodeTest('[\\0\\p{Cs}]');
const hasControl = unicodeTest('[\\p{Cc}\\p{Cs}]');

function customHash(text: string, field: Field): string | Refused {
  // The pattern excludes everything that could turn into another URL.
  if (!hashPattern.test(text)) return { refused: `${quoted(text)} is not a hash: only letters, digits, _ and -` };
  return wrongLength(text, field) ?? text;
}

function webAddress(text: string): string | Refused {
  const fault = longUrlFault(text);
  if (fault === undefined) return text;
  const meant = fault === noWebAddress && /^[\w-]+(\.[\w-]+)+([/:?#]|$)/.test(text);
  return { refused: `${quoted(text)} ${fault}${meant ? `; did you mean ${quoted(`https://${text}`)}?` : ''}` };
}

function plainText(text: string, field: Field): string | Refused {
  if (hasForbidden(text)) return { refused: `${quoted(text)} contains an invalid character` };
  return wrongLength(text, field) ?? text;
}

const booleanWords: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', '1'].map((word) => [word, true] as const),
  ...['false', 'no', '0'].map((word) => [word, false] as const),
]);

function booleanWord(text: string): boolean | Refused {
  return booleanWords.get(text.toLowerCase()) ?? { refused: `${quoted(text)} is not true or false` };
}

function wholeNumber(value: number, text: string): number | Refused {
  return Number.isSafeInteger(value) && value >= 0 ? value : { refused: `${quoted(text)} is not a whole number of 0 or more` };
}

export function labels(entries: readonly unknown[]): string[] | Refused {
  const found: string[] = [];
  for (const entry of entries) {
    if (typeof entry !== 'string') return { refused: 'must be an array of strings' };
    if (entry.trim() === '') return { refused: 'a label is empty' };
    if (hasControl(entry)) return { refused: `label ${quoted(entry)} contains a control character` };
    found.push(entry);
  }
  return found;
}

/** Labels to attach. In a path, `.` and `..` would address another resource, so such a tag could never be deleted. */
export function newLabels(entries: readonly string[]): string[] | Refused {
  const bad = entries.find((entry) => /^\s*\.\.?\s*$/.test(entry));
  return bad === undefined ? labels(entries) : { refused: `${quoted(bad)} is not a label` };
}

function wrongLength(text: string, { length }: Field): Refused | undefined {
  const fault = length && lengthFault(text, length);
  if (fault === undefined) return undefined;
  return {
    refused: fault === 'short' ? `is shorter than ${length?.min} characters` : `is longer than ${length?.max} characters`,
  };
}
