import { hasInvisible } from '../base/safe-text.ts';
import { utcDay } from '../base/times.ts';
import { calendarTime } from '../contract/calendar-time.ts';
import type { RecordField } from '../contract/fields.ts';
import { foldedHash } from '../contract/link.ts';
import { trimmedLabel } from '../contract/tag-label.ts';
import { parseUrl } from '../contract/web-address.ts';

/** Each field has a canonical form for comparisons and for people. Requests keep what was typed, and JSON output what the server sent. */
export type ValueField = 'hash' | RecordField;

/** Known values of a link in any spelling. */
export type LinkValues = Readonly<Partial<Record<ValueField, unknown>>>;

/** False for text that would turn into another URL or another list of hashes. API.md defines neither its characters nor its length. */
export function isHash(text: string): boolean {
  return text !== '' && text !== '.' && text !== '..' && !/[,/?#\\]/.test(text) && !hasInvisible(text);
}

/** A missing value gets the API's default. */
export function canonical(field: ValueField, value: unknown): string {
  return canonicalOf[field](value);
}

export function isDefault(field: ValueField, value: unknown): boolean {
  return canonical(field, value) === canonical(field, undefined);
}

const canonicalOf: { readonly [F in ValueField]: (value: unknown) => string } = {
  hash: (value) => foldedHash(textOf(value)),
  long_url: (value) => canonicalUrl(textOf(value)),
  note: (value) => noteText(value),
  tags: (value) => (Array.isArray(value) ? tagSet(value.filter((label) => typeof label === 'string')).join('\0') : ''),
  expiration_date: (value) => lastDay(value),
  email_stats: (value) => String(value === true),
  max_clicks: (value) => String(Number(value ?? 0)),
};

/** `YYYY-MM-DD`; empty if the link never expires, or was never visited. Some servers add a time, in UTC or with an offset. */
export function lastDay(value: unknown): string {
  const text = textOf(value).trim();
  if (text === '' || isNever(text)) return '';
  // A shorter text has no offset.
  const day = text.length > 20 ? dayOfTime(text) : text.slice(0, 10);
  return isNever(day) ? '' : day;
}

/** Days are in UTC (4.1.6), but the first or last second of a day stands for that day in any zone. */
function dayOfTime(text: string): string {
  const time = isWholeDay.test(text) ? undefined : calendarTime(text);
  return time === undefined ? text.slice(0, 10) : utcDay(time);
}

const isWholeDay = /^.{11}(?:00:00(?::00[.0]*)?|23:59(?::59[.\d]*)?)(?![:.\d])/;

/** Servers write "never" as null, an empty text, a far day or their zero day; people write the word. */
export function isNever(date: string): boolean {
  return /^never$/i.test(date) || date.startsWith('9999-12-31') || isZeroDay(date);
}

/** The zero day of databases, and what PHP and Go make of it. */
export function isZeroDay(date: string): boolean {
  return /^(?:0000-00-00|-0001-11-30|0001-01-01)(?:[T ].*)?$/.test(date);
}

/** Some servers trim notes. */
export function noteText(value: unknown): string {
  return textOf(value).trim();
}

/** Sorts labels and ignores case. */
export function tagSet(tags: readonly string[]): string[] {
  return tags.length === 0 ? [] : [...new Set(tags.map(trimmedLabel))].sort();
}

/** Equal for two spellings of one address, because servers normalise URLs. */
export function canonicalUrl(text: string): string {
  if (isCanonical.test(text) && !text.includes('/.')) return text;
  const url = parseUrl(text.trim());
  if (!url) return text.trim();
  return url.href.replace(percentEncoded, normaliseEscape).replace(/[?#]+$/, '');
}

/** Parsing is slow and would leave most URLs unchanged, so those are recognized here. */
const isCanonical = /^https?:\/\/(?:[a-z][a-z\d-]*\.)+[a-z]{2,}\/(?:[\w~./-]*)(?:\?[\w~.=&-]+)?$/;

export function sameUrl(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === 'string' && typeof other === 'string' && canonicalUrl(one) === canonicalUrl(other));
}

/** In the form of a browser's address bar; undefined if the text is no URL. */
export function canonicalHost(text: string): string | undefined {
  return parseUrl(text.trim())?.host;
}

const percentEncoded = /%[0-9a-f]{2}/gi;

/** These characters mean the same encoded or not; others, such as `/` and `&`, do not. */
const sameWhenEncoded = /[A-Za-z0-9\-._~!$'()*,;:@|{}^`"<>[\]\\ ]/;

function normaliseEscape(sequence: string): string {
  const character = String.fromCharCode(Number.parseInt(sequence.slice(1), 16));
  return sameWhenEncoded.test(character) ? character : sequence.toUpperCase();
}

export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
