import type { FieldName } from '../../contract/fields.ts';
import { isObject } from '../../contract/records.ts';
import { type UtmName, utmNames } from '../../link/rules/utm.ts';

/** The fields that a column of another service can set. */
type Meaning = FieldName | 'short_url' | UtmName;

/**
 * Names of our fields in other services. If a file has several for one field, the first in this list takes precedence: a title before a
 * description, a custom short URL before a generated one.
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

/** Decides which values of a column mark a link as protected or disabled. */
export type Guard = 'secret' | 'set' | 'unset' | 'later';

/** What a service may have done to a link. It says so with a flag or with a time. */
const measures = [
  ...['banned', 'disabled', 'archived', 'deleted', 'blocked', 'suspended', 'deactivated', 'paused', 'inactive', 'trashed'],
];

/** Links that are protected or disabled at the source are skipped, because they must not become public here. */
const guards: { readonly [G in Guard]: readonly string[] } = {
  secret: ['password'],
  set: [
    ...['has_password', 'link_password', 'protected', 'is_protected', 'private', 'is_private', 'secret_key'],
    ...measures.flatMap((name) => [name, `is_${name}`, `${name}_at`]),
  ],
  unset: [
    ...['active', 'enabled', 'published', 'public'].flatMap((name) => [name, `is_${name}`]),
    ...['status', 'state', 'visibility'],
  ],
  later: [
    ...['valid', 'active'].flatMap((name) => [`${name}_since`, `${name}_from`, `${name}_after`]),
    ...['start_at', 'starts_at', 'not_before'],
  ],
};

/** In the name of a column about passwords, in any wording: `requires_password`, `requiresPassword`, `Password Protection`. */
const aboutPasswords = /pass[ _-]?(?:word|wd|code|phrase)/i;
/** In `Compass Code`. So `linkpassword` is known only as a name of its own. */
const endOfWord = /[a-z]pass/;

/** JSON objects that only group other members. */
const containers: ReadonlySet<string> = new Set(['meta', 'attributes', 'properties', 'settings', 'options', 'details', 'limits']);

/** Ignores case, spaces, `_` and `-`, and the name of a grouping object: `meta.title` is a title. */
export function folded(name: string): string {
  const fold = name.toLowerCase().replace(/[\s_-]+/g, '');
  const dot = fold.indexOf('.');
  return dot > 0 && containers.has(fold.slice(0, dot)) ? fold.slice(dot + 1) : fold;
}

/** Flattens objects that only group members: `meta.title`. */
export function flat(record: object): Readonly<Record<string, unknown>> {
  const groups = Object.entries(record).filter(([name, value]) => containers.has(name.toLowerCase()) && isObject(value));
  if (groups.length === 0) return record as Record<string, unknown>;
  const members: Record<string, unknown> = Object.assign(Object.create(null), record);
  for (const [name, group] of groups) {
    delete members[name];
    for (const [inner, value] of Object.entries(group as object)) members[`${name}.${inner}`] = value;
  }
  return members;
}

function foldedSet(all: readonly string[]): ReadonlySet<string> {
  return new Set(all.map(folded));
}

/** Names of values that a service maintains itself. */
const unsettable = foldedSet([
  ...['created', 'created at', 'created by', 'created on', 'creation date', 'date created', 'date added', 'timestamp'],
  ...['updated', 'updated at', 'modified', 'modified at', 'last click', 'last clicked', 'last visit', 'last visited'],
  ...['id', 'link id', 'ip', 'ip address', 'qr', 'qr code', 'comments', 'campaign'],
  ...['user', 'user id', 'owner', 'creator', 'author', 'group', 'workspace', 'referrer', 'country'],
  ...['favourite', 'favorite', 'favicon', 'thumbnail', 'image', 'channel', 'channels'],
  ...['domain id', 'https', 'integrated', 'analytics', 'visits summary', 'ping', 'no stats'],
]);

/** Names for the host of the short URL. */
const places = foldedSet(['domain', 'branded domain', 'domain name']);

/** Features that do not exist here; reported with the number of affected links. */
const lost = foldedSet([
  ...['ios', 'ios_url', 'iphone_url', 'android', 'android_url', 'deeplinks', 'deep_links'],
  ...['geo', 'geo_targeting', 'device_targeting', 'redirect_rules', 'rules', 'expired_url', 'expiration_url'],
  ...['proxy', 'cloaking', 'rewrite', 'forward_parameters', 'split_url', 'pixels', 'retargeting', 'webhook', 'ttl'],
]);

/** Common names that resemble one of ours by chance. */
const unrelated = foldedSet([
  ...['cash', 'dash', 'wash', 'has', 'node', 'vote', 'not', 'bags', 'tabs', 'main', 'remain'],
  ...['expired', 'keywords', 'targets', 'address 1', 'address 2'],
]);

export function isUnrelated(name: string): boolean {
  return unrelated.has(folded(name));
}

/** Names of other services and their fields, for near misses. */
export const aliases: readonly (readonly [name: string, meaning: Meaning])[] = Object.entries(names).flatMap(([meaning, all]) =>
  all.map((name) => [folded(name), meaning as Meaning] as const),
);

const meanings: ReadonlyMap<string, Meaning> = new Map([
  ...[...utmNames, ...(Object.keys(names) as Meaning[])].map((name) => [folded(name), name] as const),
  ...aliases,
]);

const guardsByName: ReadonlyMap<string, Guard> = new Map(
  Object.entries(guards).flatMap(([guard, all]) => all.map((name) => [folded(name), guard as Guard] as const)),
);

/** Returns `unsettable` for counters and other values that a service maintains itself. */
export function meaningOf(name: string): Meaning | 'unsettable' | undefined {
  const fold = folded(name);
  const isUnsettable = unsettable.has(fold) || isPlace(name) || isLoss(name) || isCounter(name);
  return meanings.get(fold) ?? (isUnsettable ? 'unsettable' : undefined);
}

/** New links are all on one domain, so another one in the file is reported. */
export function isPlace(name: string): boolean {
  return places.has(folded(name));
}

/** `Link Status` is a status. */
export function guardOf(name: string): Guard | undefined {
  const fold = folded(name);
  const known = guardsByName.get(fold);
  if (known !== undefined || (aboutPasswords.test(name) && !endOfWord.test(name))) return known ?? 'set';
  return guardsByName.get(fold.replace(/^(?:short)?link/, ''));
}

/** Links with this feature lose it here. */
export function isLoss(name: string): boolean {
  return lost.has(folded(name)) || guardOf(name) !== undefined;
}

/** The precedence of a name among those of its field. */
export function rankOf(name: string, meaning: string): number {
  const all = new Map(Object.entries(names)).get(meaning) ?? [];
  const rank = all.findIndex((candidate) => folded(candidate) === folded(name));
  return rank < 0 ? all.length : rank;
}

/** A counter of past events must not be taken for `max_clicks`, which disables links. Names of limits contain max or limit. */
function isCounter(name: string): boolean {
  return (
    /(clicks?|visits?|hits?|views?|scans?|impressions?|engagements?|redirects|count)$/.test(folded(name)) &&
    !/max|limit/i.test(name)
  );
}
