import { foldedHash } from '../contract/link.ts';
import { trimmedLabel } from '../contract/tag-label.ts';
import { hostName, parseUrl } from '../contract/web-address.ts';

/**
 * One form for each value of a link in which all spellings of it are equal, in whatever way a server writes it. For comparing and for
 * people: what is sent is what was typed, and JSON has what the server wrote.
 */
export type ValueField = 'hash' | 'long_url' | 'note' | 'tags' | 'expiration_date' | 'email_stats' | 'max_clicks';

/** A link as far as it is known, with its values as somebody wrote them. */
export type LinkValues = Readonly<Partial<Record<ValueField, unknown>>>;

/** A value, or the API's default where there is none. */
export function canonical(field: ValueField, value: unknown): string {
  return canonicalOf[field](value);
}

const canonicalOf: { readonly [F in ValueField]: (value: unknown) => string } = {
  hash: (value) => foldedHash(textOf(value)),
  long_url: (value) => canonicalUrl(textOf(value)),
  note: (value) => noteText(value),
  tags: (value) => (Array.isArray(value) ? tagSet(value.filter((label) => typeof label === 'string')).join('\0') : ''),
  expiration_date: (value) => lastDay(value),
  email_stats: (value) => String(value === true || value === 'true' || value === 1 || value === '1'),
  max_clicks: (value) => String(Number(value ?? 0)),
};

/** `YYYY-MM-DD`, or nothing for a link that never expires: servers write that as null, as no text or as a far day. Some add a time to a date. */
export function lastDay(value: unknown): string {
  const day = textOf(value).trim().slice(0, 10);
  return isFarDay(day) ? '' : day;
}

/** Whether a date, with a time or without, is the day that means never. */
export function isFarDay(date: string): boolean {
  return date.startsWith(farDay);
}

export const farDay = '9999-12-31';

/** A note without the blanks around it, which some servers take off, and others add. */
export function noteText(value: unknown): string {
  return textOf(value).trim();
}

/** Labels in an order of their own, without regard to case. */
export function tagSet(tags: readonly string[]): string[] {
  return tags.length === 0 ? [] : [...new Set(tags.map(trimmedLabel))].sort();
}

/** A short URL without scheme, its host in ASCII and lower case. */
export function canonicalShortUrl(text: string): string {
  const slash = text.indexOf('/');
  const host = slash < 0 ? '' : hostName(text.slice(0, slash));
  return host === '' ? text : host + text.slice(slash);
}

/** A form in which two spellings of one address are equal: servers normalise what they are given. */
export function canonicalUrl(text: string): string {
  if (isCanonical.test(text) && !text.includes('/.')) return text;
  const url = parseUrl(text.trim());
  if (!url) return text.trim();
  return url.href.replace(percentEncoded, evenOut).replace(/[?#]+$/, '');
}

/** What parsing would leave as it is: most links, and parsing is slow. */
const isCanonical = /^https?:\/\/(?:[a-z][a-z\d-]*\.)+[a-z]{2,}\/(?:[\w~./-]*)(?:\?[\w~.=&-]+)?$/;

/** Whether two spellings lead to the same address. */
export function sameUrl(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === 'string' && typeof other === 'string' && canonicalUrl(one) === canonicalUrl(other));
}

/** The host in the form that the address bar would show it, or undefined where the text is no URL. */
export function canonicalHost(text: string): string | undefined {
  return parseUrl(text.trim())?.host;
}

const percentEncoded = /%[0-9a-f]{2}/gi;

/** Characters that mean the same encoded or not; the others, such as `/` and `&`, do not. */
const sameEither = /[A-Za-z0-9\-._~!$'()*,;:@|{}^`"<>[\]\\ ]/;

function evenOut(sequence: string): string {
  const character = String.fromCharCode(Number.parseInt(sequence.slice(1), 16));
  return sameEither.test(character) ? character : sequence.toUpperCase();
}

/** Text, or a number as text. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
