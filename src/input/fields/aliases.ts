import type { FieldName } from '../../contract/fields.ts';

/** What a column of another service can mean (I4). */
export type Meaning = FieldName | 'short_url' | 'utm';

/** Other names of our fields, and what is known and cannot be set: as data. */
const names: { readonly [M in Meaning | 'unsettable']?: readonly string[] } = {
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
  short_url: ['short url', 'short link', 'custom link', 'bitlink'],
  note: ['notes', 'title', 'name', 'description', 'label'],
  tags: ['labels', 'link_tags', 'tag'],
  expiration_date: ['expires', 'expires at', 'expires on', 'expire_in', 'expiry', 'expired_at'],
  utm: ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'],
  unsettable: [
    'created',
    'created at',
    'timestamp',
    'updated at',
    'modified at',
    'id',
    'link id',
    'domain',
    'archived',
    'ip',
    'last click',
    'last visit',
  ],
};

/** Names that differ in case, spaces, `_` and `-` alone are the same (I2). */
function folded(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+/g, '');
}

const meanings: ReadonlyMap<string, Meaning | 'unsettable'> = new Map(
  Object.entries(names).flatMap(([meaning, all]) =>
    [meaning, ...all].map((name) => [folded(name), meaning as Meaning | 'unsettable'] as const),
  ),
);

/** What a foreign name means; `unsettable` for counters and other things that a service keeps by itself. */
export function meaningOf(name: string): Meaning | 'unsettable' | undefined {
  return meanings.get(folded(name)) ?? (isCounter(name) ? 'unsettable' : undefined);
}

/**
 * Whether a name counts what has happened: never to be taken for `max_clicks`, which ends links after so many (D34). A bound says so.
 */
function isCounter(name: string): boolean {
  return /(clicks?|visits?|hits?|views?|scans?|impressions?|redirects|count)$/.test(folded(name)) && !/max|limit/i.test(name);
}
