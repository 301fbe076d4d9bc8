import type { FieldName } from '../../contract/fields.ts';
import { type UtmName, utmNames } from '../../link/rules/utm.ts';

/** What a column of another service can set. */
export type Meaning = FieldName | 'short_url' | UtmName;

/**
 * Other names of our fields, as data. Where a file may have several of one field that go together, the first of them counts: a title
 * before a description, the short URL that somebody chose before the one that a service made.
 */
const names: { readonly [M in Meaning]?: readonly string[] } = {
  long_url: ['url', 'destination', 'destination url', 'original url', 'target', 'target url'],
  custom_hash: [
    ...['short_id', 'slashtag', 'slug', 'keyword', 'code', 'short code', 'key', 'path', 'alias'],
    ...['back-half', 'custom back-half', 'address'],
  ],
  short_url: [
    ...['custom link', 'custom bitlink', 'custom bitlinks'],
    ...['short url', 'tinyurl', 'short link', 'bitlink', 'link'],
  ],
  note: ['title', 'note', 'notes', 'name', 'description', 'label'],
  tags: ['labels', 'link_tags', 'tag'],
  expiration_date: [
    ...['expiration', 'expires', 'expires at', 'expires on', 'expire_in', 'expire_at', 'expiry', 'expired_at'],
    ...['valid_until', 'expire_at_datetime'],
  ],
  max_clicks: ['max_visits', 'click_limit', 'clicks_limit', 'expire_at_views'],
};

/** Known, and cannot be set: what a service keeps by itself. */
const unsettableNames: readonly string[] = [
  ...['created', 'created at', 'created by', 'created on', 'creation date', 'date created', 'date added', 'timestamp'],
  ...['updated', 'updated at', 'modified', 'modified at', 'last click', 'last clicked', 'last visit', 'last visited'],
  ...['id', 'link id', 'domain', 'branded domain', 'ip', 'ip address', 'qr', 'qr code', 'comments', 'campaign'],
  ...['user', 'user id', 'owner', 'creator', 'author', 'group', 'workspace', 'referrer', 'country'],
  ...['favourite', 'favorite', 'favicon', 'thumbnail', 'image', 'channel', 'channels', 'public', 'is public'],
  ...['domain id', 'domain name', 'https', 'integrated', 'analytics', 'visits summary'],
];

/** When a value of one of these columns says that its link is protected or off. */
export type Guard = 'set' | 'unset' | 'later' | 'state';

/** Links that are protected or off at the source: nobody may reach here what nobody reached there. */
const guards: { readonly [G in Guard]: readonly string[] } = {
  set: [
    ...['password', 'password_protected', 'has_password', 'protected', 'banned', 'is_banned', 'disabled', 'is_disabled'],
    ...['archived', 'is_archived', 'deleted', 'is_deleted'],
  ],
  unset: ['is_active', 'active', 'enabled', 'is_enabled'],
  later: ['valid_since', 'start_at', 'starts_at', 'valid_from', 'active_from'],
  state: ['status', 'state'],
};

/** What a link does elsewhere and cannot do here: said, with the number of links that had it. */
const lostNames: readonly string[] = [
  ...[
    'ios',
    'ios_url',
    'iphone_url',
    'android',
    'android_url',
    'deeplinks',
    'deep_links',
    'geo',
    'geo_targeting',
    'device_targeting',
  ],
  ...[
    'redirect_rules',
    'rules',
    'expired_url',
    'expiration_url',
    'proxy',
    'cloaking',
    'rewrite',
    'forward_parameters',
    'split_url',
  ],
  ...['pixels', 'retargeting', 'webhook', 'ttl'],
];

/** Columns of many files that are a letter or two from a name of ours, and not it. */
const everydayNames: readonly string[] = [
  ...['cash', 'dash', 'wash', 'has', 'node', 'vote', 'not', 'bags', 'tabs', 'main', 'remain'],
  ...['expired', 'keywords', 'targets', 'address 1', 'address 2'],
];

/** Objects of a JSON record that only group its members. */
export const containers: ReadonlySet<string> = new Set([
  'meta',
  'attributes',
  'properties',
  'settings',
  'options',
  'details',
  'limits',
]);

/** Names that differ in case, spaces, `_` and `-` alone are the same, and so is `meta.title`, a title. */
export function folded(name: string): string {
  const fold = name.toLowerCase().replace(/[\s_-]+/g, '');
  const dot = fold.indexOf('.');
  return dot > 0 && containers.has(fold.slice(0, dot)) ? fold.slice(dot + 1) : fold;
}

const meanings: ReadonlyMap<string, Meaning> = new Map([
  ...utmNames.map((name) => [folded(name), name] as const),
  ...Object.entries(names).flatMap(([meaning, all]) =>
    [meaning, ...all].map((name) => [folded(name), meaning as Meaning] as const),
  ),
]);

const unsettable: ReadonlySet<string> = new Set(unsettableNames.map(folded));

const guardsByName: ReadonlyMap<string, Guard> = new Map(
  Object.entries(guards).flatMap(([guard, all]) => all.map((name) => [folded(name), guard as Guard] as const)),
);

const lost: ReadonlySet<string> = new Set(lostNames.map(folded));

const everyday: ReadonlySet<string> = new Set(everydayNames.map(folded));

/** Whether a name is a word of its own, however near it is to one of ours. */
export function isEveryday(name: string): boolean {
  return everyday.has(folded(name));
}

/** What a foreign name means; `unsettable` for counters and other things that a service keeps by itself. */
export function meaningOf(name: string): Meaning | 'unsettable' | undefined {
  const fold = folded(name);
  return meanings.get(fold) ?? (unsettable.has(fold) || isLoss(name) || isCounter(name) ? 'unsettable' : undefined);
}

/** How a column of this name says that a link is protected or off. */
export function guardOf(name: string): Guard | undefined {
  return guardsByName.get(folded(name));
}

/** Whether a link loses something where this cannot be set. */
export function isLoss(name: string): boolean {
  const fold = folded(name);
  return lost.has(fold) || guardsByName.has(fold);
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

/**
 * Whether a name counts what has happened: never to be taken for `max_clicks`, which ends links after so many. A bound says so.
 */
function isCounter(name: string): boolean {
  return (
    /(clicks?|visits?|hits?|views?|scans?|impressions?|engagements?|redirects|count)$/.test(folded(name)) &&
    !/max|limit/i.test(name)
  );
}
