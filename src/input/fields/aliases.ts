import type { FieldName } from '../../contract/fields.ts';
import { type UtmName, utmNames } from '../../link/rules/utm.ts';

/** What a column of another service can mean (I2). */
export type Meaning = FieldName | 'short_url' | UtmName;

/**
 * Other names of our fields, as data. Where a file may have several of one field that go together, the first of them counts: a title
 * before a description, the short URL that somebody chose before the one that a service made.
 */
const names: { readonly [M in Meaning]?: readonly string[] } = {
  long_url: ['url', 'destination', 'destination url', 'original url', 'target', 'target url'],
  custom_hash: [
    'short_id',
    'slashtag',
    'slug',
    'keyword',
    'code',
    'short code',
    'key',
    'path',
    'alias',
    'back-half',
    'custom back-half',
    'address',
  ],
  short_url: [
    ...['custom link', 'custom bitlink', 'custom bitlinks'],
    ...['short url', 'tinyurl', 'short link', 'bitlink', 'link'],
  ],
  note: ['title', 'note', 'notes', 'name', 'description', 'label'],
  tags: ['labels', 'link_tags', 'tag'],
  expiration_date: ['expiration', 'expires', 'expires at', 'expires on', 'expire_in', 'expiry', 'expired_at'],
};

/** Known, and cannot be set: what a service keeps by itself. */
const unsettableNames: readonly string[] = [
  ...['created', 'created at', 'created by', 'created on', 'creation date', 'date created', 'date added', 'timestamp'],
  ...['updated', 'updated at', 'modified', 'modified at', 'last click', 'last clicked', 'last visit', 'last visited'],
  ...['id', 'link id', 'domain', 'archived', 'ip', 'ip address', 'status', 'active', 'banned', 'qr', 'qr code'],
  ...['user', 'user id', 'owner', 'creator', 'author', 'group', 'workspace', 'referrer', 'country'],
  ...['favourite', 'favorite', 'password', 'favicon', 'thumbnail', 'image', 'channel', 'channels', 'public', 'is public'],
  ...['domain id', 'domain name', 'https', 'forward parameters', 'integrated', 'deeplinks', 'deleted', 'analytics'],
];

/** Columns of many files that are a letter or two from a name of ours, and not it. */
const everydayNames: readonly string[] = [
  ...['cash', 'dash', 'wash', 'has', 'node', 'vote', 'not', 'bags', 'tabs', 'main', 'remain'],
  ...['expired', 'keywords', 'targets', 'address 1', 'address 2'],
];

/**
 * A service whose further columns are not listed here: a file with all of these headers may have others, which are not used (the vendor's
 * own export has seven more).
 */
const openForms: readonly (readonly string[])[] = [['long url', 'short url']];

/** Names that differ in case, spaces, `_` and `-` alone are the same (I2). */
export function folded(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+/g, '');
}

const meanings: ReadonlyMap<string, Meaning> = new Map([
  ...utmNames.map((name) => [folded(name), name] as const),
  ...Object.entries(names).flatMap(([meaning, all]) =>
    [meaning, ...all].map((name) => [folded(name), meaning as Meaning] as const),
  ),
]);

const unsettable: ReadonlySet<string> = new Set(unsettableNames.map(folded));

const everyday: ReadonlySet<string> = new Set(everydayNames.map(folded));

/** Whether a name is a word of its own, however near it is to one of ours. */
export function isEveryday(name: string): boolean {
  return everyday.has(folded(name));
}

/** What a foreign name means; `unsettable` for counters and other things that a service keeps by itself. */
export function meaningOf(name: string): Meaning | 'unsettable' | undefined {
  return meanings.get(folded(name)) ?? (unsettable.has(folded(name)) || isCounter(name) ? 'unsettable' : undefined);
}

/** Names that several services have and what they mean, for near misses. */
export const aliases: readonly (readonly [name: string, meaning: Meaning])[] = Object.entries(names).flatMap(([meaning, all]) =>
  all.map((name) => [folded(name), meaning as Meaning] as const),
);

/** The position of a name among those of its field. */
export function rankOf(name: string, meaning: string): number {
  const all = new Map(Object.entries(names)).get(meaning) ?? [];
  const rank = all.findIndex((candidate) => folded(candidate) === folded(name));
  return rank < 0 ? all.length : rank;
}

/** Whether these headers are those of a service that has columns which are not listed here. */
export function mayHaveOthers(headers: readonly string[]): boolean {
  const found = new Set(headers.map(folded));
  return openForms.some((form) => form.every((name) => found.has(folded(name))));
}

/**
 * Whether a name counts what has happened: never to be taken for `max_clicks`, which ends links after so many (D34). A bound says so.
 */
function isCounter(name: string): boolean {
  return (
    /(clicks?|visits?|hits?|views?|scans?|impressions?|engagements?|redirects|count)$/.test(folded(name)) &&
    !/max|limit/i.test(name)
  );
}
