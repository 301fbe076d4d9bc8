import { UsageError } from '../../base/errors.ts';
import { didYouMean, meantName } from '../../base/near-names.ts';
import { quoted } from '../../base/quoted.ts';
import { utcDay } from '../../base/times.ts';
import { type Edition, thisServer } from '../../contract/editions.ts';
import { recordDomain, withoutScheme } from '../../contract/link.ts';
import type { UrlRecord } from '../../contract/records.ts';
import { hostName, readableUrl, withoutLocalPort } from '../../contract/web-address.ts';
import { readWebAddress } from '../http-url.ts';
import { bareShortUrl, canonicalShortUrl } from '../short-url.ts';
import { isHash, lastDay, noteText, textOf } from '../value.ts';
import {
  booleans,
  type Comparison,
  days,
  hosts,
  labels,
  numbers,
  type Operator,
  operators,
  texts,
  urls,
  type ValueKind,
  words,
} from './conditions.ts';
import { beginsWithPath } from './url-prefix.ts';

export interface LinkFilter {
  matches(record: UrlRecord): boolean;
}

interface FilterContext {
  readonly edition: Edition;
  /** Milliseconds. */
  readonly now: number;
}

/** All expressions must match. Throws a UsageError before anything is read. */
export function parseFilters(expressions: readonly string[], context: FilterContext): LinkFilter {
  const conditions = expressions.map((expression) => conditionOf(expression, context));
  return { matches: (record) => conditions.every((fits) => fits(record)) };
}

type Condition = (record: UrlRecord) => boolean;

interface FilterField {
  /** Set if only one edition has the field. */
  readonly edition?: Edition;
  /** The name alone is an expression. */
  readonly isBoolean: boolean;
  condition(comparison: Comparison): Condition;
}

/** A link for which `valueIn` returns undefined fits no comparison, because nothing is known of it. */
function field<Value, Allowed extends Operator>(
  kind: ValueKind<Value, Allowed>,
  valueIn: (record: UrlRecord, today: string) => Value | undefined,
  edition?: Edition,
): FilterField {
  return {
    ...(edition && { edition }),
    isBoolean: Object.is(kind, booleans),
    condition({ operator: given, ...comparison }) {
      const isNegated = given === '!=';
      const operator = kind.operators.find((one) => one === (isNegated ? '=' : given));
      if (operator === undefined) {
        const known = kind.operators.join(' ').replace(/^=/, '= !=');
        throw comparison.refuse(`this field has no operator ${given}; expected ${known}`);
      }
      const fits = kind.condition({ ...comparison, operator });
      const today = utcDay(comparison.now);
      return (record) => {
        const value = valueIn(record, today);
        return value !== undefined && fits(value) !== isNegated;
      };
    },
  };
}

// Servers store long URLs of other schemes and without one.
const longUrl = field(urls(/^https?:/i), ({ long_url }) => long_url);

const filterFields: ReadonlyMap<string, FilterField> = new Map([
  ['hash', field(texts(hashIn), ({ hash }) => hash)],
  ['short_url', field(texts(shortUrlIn, beginsShortUrl, sameOnAnyPort), ({ short_url }) => short_url || undefined)],
  ['short_url_with_protocol', field(urls(), ({ short_url_with_protocol }) => short_url_with_protocol, 'a')],
  ['domain', field(words(domainName, 'domain name, such as s.ex'), domainOf)],
  ['long_url', longUrl],
  ['url', longUrl],
  ['scheme', field(words(schemeName, 'scheme, such as https'), ({ long_url }) => long_url && schemeOf(long_url))],
  ['host', field(hosts, ({ long_url }) => (long_url ? (readWebAddress(long_url) ?? null) : undefined))],
  ['path', field(texts(pathIn, beginsWithPath), ({ long_url }) => long_url && pathOf(long_url))],
  ['note', field(texts(noteIn), ({ note }) => comparedNote(note))],
  ['tags', field(labels, ({ tags }) => tags ?? [])],
  ['total_clicks', field(numbers, ({ total_clicks }) => total_clicks ?? undefined)],
  ['unique_clicks', field(numbers, ({ unique_clicks }) => unique_clicks ?? undefined)],
  ['last_visit', field(days('first'), lastVisit, 'a')],
  ['expiration_date', field(days('last'), ({ expiration_date = null }) => expiration_date)],
  ['expired', field(booleans, ({ expiration_date }, today) => isBefore(lastDay(expiration_date), today))],
  ['max_clicks', field(numbers, ({ max_clicks }) => max_clicks ?? 0, 'a')],
  ['email_stats', field(booleans, ({ email_stats }) => email_stats === true)],
]);

function isBefore(day: string, today: string): boolean {
  return day !== '' && day < today;
}

function hashIn({ text, refuse }: Comparison): string {
  if (!isHash(text)) throw refuse(`${quoted(text)} is not a hash; for a short URL use short_url`);
  return text;
}

/** Accepts the spellings of an operand. */
function shortUrlIn({ operator, text, refuse }: Comparison): string {
  if (operator === '^=') {
    const start = withoutScheme(text) || text;
    // The beginning may be a part of the domain.
    return withoutLocalPort(start.includes('/') ? canonicalShortUrl(start) : start.toLowerCase());
  }
  const shortUrl = canonicalShortUrl(bareShortUrl(text));
  // Some servers have short URLs with a path before the hash.
  const [host = '', ...path] = shortUrl.split('/');
  if (!isHost.test(host) || path.length === 0 || !path.every(isHash)) {
    throw refuse(`${quoted(text)} is not a short URL, such as s.ex/abc`);
  }
  return withoutLocalPort(shortUrl);
}

/** A name or an IPv6 address in canonical form, with or without a port. `hostName` lets commas, asterisks and empty labels pass. */
const isHost = /^(?:[a-z\d_-]+(?:\.[a-z\d_-]+)*|\[[a-f\d:.]+\])(?::\d{1,5})?$/;

/** A part of a domain in Unicode is not a part of its ASCII form. */
function beginsShortUrl(shortUrl: string, start: string): boolean {
  const canonical = canonicalShortUrl(shortUrl);
  return [canonical, withoutLocalPort(canonical), readableUrl(canonical)].some((form) => form.startsWith(start));
}

function sameOnAnyPort(shortUrl: string): string {
  return withoutLocalPort(canonicalShortUrl(shortUrl));
}

/** Empty for links without a path. */
function pathIn({ text, refuse }: Comparison): string {
  if (!/^(?:\/[^?#]*)?$/.test(text)) throw refuse(`${quoted(text)} is not a path, such as /shop`);
  return text;
}

function noteIn({ operator, text }: Comparison): string {
  return operator === '^=' ? text.trimStart() || text : comparedNote(text);
}

/** A note of white space alone is not empty. */
function comparedNote(note: unknown): string {
  return noteText(note) || textOf(note);
}

/** A link with clicks was visited, whether the server says when or not. */
function lastVisit({ last_visit, total_clicks }: UrlRecord): string | null | undefined {
  return total_clicks > 0 && lastDay(last_visit) === '' ? undefined : last_visit;
}

function domainOf(record: UrlRecord): string | undefined {
  const domain = recordDomain(record);
  return domain && withoutLocalPort(domain);
}

function domainName(text: string): string {
  const host = hostName(text);
  return isHost.test(host) ? withoutLocalPort(host) : '';
}

/** An empty path is `/`; other schemes than http(s) have none. */
function pathOf(longUrl: string): string {
  const rest = readWebAddress(longUrl)?.rest;
  return rest === undefined ? '' : rest.replace(/[?#].*$/s, '') || '/';
}

function schemeOf(longUrl: string): string {
  return schemeName(longUrl.split(':', 1)[0] ?? '');
}

function schemeName(text: string): string {
  return /^[a-z][a-z\d+.-]*$/i.test(text) ? text.toLowerCase() : '';
}

export function filterFieldNames(edition: Edition): string[] {
  return [...filterFields].filter(([, one]) => (one.edition ?? edition) === edition).map(([name]) => name);
}

/** Operators of other tools, with ours. */
const foreign: ReadonlyMap<string, Operator> = new Map([
  ['==', '='],
  ['=>', '>='],
  ['=~', '~'],
  ['~=', '~'],
]);

function conditionOf(expression: string, { edition, now }: FilterContext): Condition {
  const refuse = (reason: string, details?: readonly string[]): UsageError =>
    new UsageError(`--filter ${quoted(expression)}: ${reason}`, { details, hint: 'linkctl help filters' });
  const names = filterFieldNames(edition);
  const known = [`fields: ${names.join(', ')}`, `operators: ${operators.join(' ')}`];
  const [, name = '', sign = '', text = ''] = /^\s*([\w-]*)\s*([=!<>^~]=?)?\s*(.*?)\s*$/s.exec(expression) ?? [];
  const found = filterFields.get(name);
  // The table shows total_clicks as CLICKS.
  const meant = name.toLowerCase() === 'clicks' ? 'total_clicks' : meantName(name, names);
  if (!found) throw refuse(`unknown field ${quoted(name || expression)}${didYouMean(meant)}`, known);
  if (found.edition !== undefined && found.edition !== edition) throw refuse(`${thisServer(edition)} has no ${name}`);
  if (sign === '' && text === '' && found.isBoolean) return found.condition({ operator: '=', text: 'true', now, refuse });
  const operator = operators.find((one) => one === sign);
  // `=~` and `=>` are operators in other tools, so such a value is a mistake.
  if (operator === undefined || (operator === '=' && /^[=<>~]/.test(text))) {
    const typed = `${sign}${/^[=<>~]*/.exec(text)?.[0]}`;
    throw refuse(
      sign === '' ? `an operator must follow ${name}` : `unknown operator ${typed}${didYouMean(foreign.get(typed))}`,
      known,
    );
  }
  return found.condition({ operator, text: operator === '~' ? text : unquoted(text), now, refuse });
}

/** Like a label in a tag expression. A pattern needs no quotes. */
function unquoted(text: string): string {
  return /^"((?:[^"]|"")*)"$/s.exec(text)?.[1]?.replaceAll('""', '"') ?? text;
}
