import type { Edition } from '../../contract/editions.ts';
import { fields, hashPattern, isCalendarDate, lengthFault } from '../../contract/fields.ts';
import { parseUrl, withLocalName } from '../../contract/web-address.ts';
import { maximumTags, type SharedChanges } from '../store/store.ts';
import { Refusal } from './refusal.ts';

/** An unvalidated item of a payload. */
export type Item = { readonly [name: string]: unknown };

/** An empty text stands for a missing value, because forms contain only text. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

/**
 * Each reader returns undefined if the item lacks the field. `null` means the same, except for `expiration_date`, where it means no expiry.
 * Readers throw the refusal of the item. Where API.md does not give codes and lengths, they are those of public deployments or our choice.
 */
export function readLongUrl(item: Item, ownHosts: ReadonlySet<string>): string | undefined {
  const given = readText(item, 'long_url');
  if (given === undefined) return undefined;
  const text = withScheme(given);
  const { min, max } = fields.long_url.length;
  if (lengthFault(text, fields.long_url.length)) throw new Refusal(1206, `long_url: not ${min} to ${max} characters`);
  if (/[\s\p{Cc}\p{Surrogate}]/u.test(text)) throw new Refusal(1206, 'long_url: contains white space or control characters');
  const url = parseUrl(text);
  if (!url) throw new Refusal(1206, 'long_url: not a URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new Refusal(1216, 'long_url: neither http nor https');
  // A short URL must not redirect to another one, which could be itself. Other services of this machine have other ports.
  if (ownHosts.has(withLocalName(url.host))) throw new Refusal(1216, 'long_url: points to a short URL domain');
  return text;
}

/** Clients send `www.example.com/x`, which public deployments read as http. */
function withScheme(text: string): string {
  return /^[^\s/?#@:]+\.[^\s/?#@:.]+(:\d{1,5})?([/?#]|$)/.test(text) ? `http://${text}` : text;
}

/** Other hashes are not looked up, because engines treat unusual text differently. */
export function isHash(text: string): boolean {
  return text.length <= fields.custom_hash.length.max && hashPattern.test(text);
}

/** An empty hash means none, as in public deployments: a new link gets a generated one, an edited link keeps its own. */
export function readCustomHash(item: Item): string | undefined {
  const value = item.custom_hash;
  if (!isGiven(value)) return undefined;
  if (typeof value !== 'string' || !isHash(value)) {
    throw new Refusal(1204, `custom_hash: not 1 to ${fields.custom_hash.length.max} letters, digits, "_" or "-"`);
  }
  return value;
}

function readNote(item: Item): string | undefined {
  const note = readText(item, 'note');
  if (note !== undefined && lengthFault(note, fields.note.length)) {
    throw new Refusal(1305, `note: longer than ${fields.note.length.max} characters`);
  }
  // Engines truncate text at a NUL.
  if (note !== undefined && /[\0\p{Surrogate}]/u.test(note)) throw new Refusal(1305, 'note: contains an invalid character');
  return note;
}

/** Accepts the usual words because forms contain only text. */
function readEmailStats(item: Item): boolean | undefined {
  const value = item.email_stats;
  if (value === undefined || value === null) return undefined;
  if (value === true || value === 1 || value === '1' || value === 'true') return true;
  if (value === false || value === 0 || value === '0' || value === 'false' || value === '') return false;
  throw new Refusal(1305, 'email_stats: neither true nor false');
}

/** Null or, in forms, an empty text means no expiry. */
function readExpirationDate(item: Item): string | null | undefined {
  const value = item.expiration_date;
  if (value === undefined) return undefined;
  if (value === null || value === '') return null;
  if (typeof value !== 'string' || !isCalendarDate(value)) throw new Refusal(1312, 'expiration_date: not a day as YYYY-MM-DD');
  return value;
}

function readMaxClicks(item: Item): number | undefined {
  const value = item.max_clicks;
  if (!isGiven(value)) return undefined;
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 0) {
    throw new Refusal(1305, 'max_clicks: not a whole number from 0');
  }
  return number;
}

/** The fields that edits of all styles have. Edition B has no `max_clicks`. */
export function readSharedFields(item: Item, edition: Edition): SharedChanges {
  return {
    note: readNote(item),
    emailStats: readEmailStats(item),
    expirationDate: readExpirationDate(item),
    maxClicks: edition === 'a' ? readMaxClicks(item) : undefined,
  };
}

export const tooManyTags = new Refusal(1311, `tags: more than ${maximumTags}`);

/** In forms a single entry may come without a list. */
export function readTags(item: Item): string[] | undefined {
  const value = item.tags;
  if (!isGiven(value)) return undefined;
  const entries: unknown[] = Array.isArray(value) ? value : [value];
  if (entries.length > maximumTags) throw tooManyTags;
  if (!entries.every((entry) => typeof entry === 'string')) throw new Refusal(1311, 'tags: not a list of labels');
  return entries;
}

const labelLength = { min: 1, max: 255 };

/** API.md has no rule for labels: 1 to 255 characters, not all blank and without control characters. */
export function isLabel(label: string): boolean {
  return label.trim() !== '' && !lengthFault(label, labelLength) && !/[\p{Cc}\p{Surrogate}]/u.test(label);
}

export function checkLabel(label: unknown): string {
  if (typeof label !== 'string' || !isLabel(label)) throw new Refusal(1311, 'tags: not a label');
  return label;
}

/** The entries of an edit are instructions (2.3). An entry without a sign is ambiguous and refused. */
export function readTagInstructions(item: Item): { label: string; attach: boolean }[] {
  return (readTags(item) ?? []).map((entry) => {
    if (!/^[+-]/.test(entry)) throw new Refusal(1311, 'tags: begins with neither "+" nor "-"');
    return { label: checkLabel(entry.slice(1)), attach: entry.startsWith('+') };
  });
}

function readText(item: Item, name: 'long_url' | 'note'): string | undefined {
  const value = item[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw new Refusal(name === 'long_url' ? 1206 : 1305, `${name}: not text`);
  return value;
}
