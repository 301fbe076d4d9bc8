import type { LoggedRequest } from '../support/faulty-server.ts';
import type { Dice } from './circumstances.ts';
import type { ResultRow } from './deeds.ts';
import { type AccountLink, domainsOf } from './rewrite-account.ts';
import type { Dump, PreparedAccount } from './served-account.ts';

export function keyOf({ domain, item }: AccountLink): string {
  return `${domain}/${item.custom_hash}`;
}

/** What somebody else does to a link. */
export interface ForeignDeed {
  readonly link: AccountLink;
  readonly kind: 'leads elsewhere' | 'deleted' | 'has another note' | 'was not selected';
  /** Undefined where it is deleted. */
  readonly change: { readonly long_url?: string; readonly note?: string } | undefined;
  /** An undo that is under way may leave a link alone of which it does not change what changed. */
  readonly isAmid: boolean;
}

/** Some of the links that were rewritten, and others. */
export function foreignDeeds(
  { links }: PreparedAccount,
  selected: readonly AccountLink[],
  dice: Dice,
  isAmid: boolean,
): ForeignDeed[] {
  const deeds = new Map<string, ForeignDeed>();
  const chosen = new Set(selected);
  const others = links.filter((link) => !chosen.has(link));
  for (let nth = 0; nth < 20; nth += 1) {
    const kind = dice.of(['leads elsewhere', 'leads elsewhere', 'deleted', 'has another note', 'was not selected'] as const);
    const link = dice.of(kind === 'was not selected' ? others : selected);
    const change =
      kind === 'deleted'
        ? undefined
        : kind === 'leads elsewhere'
          ? { long_url: `https://foreign.example/${nth}` }
          : { note: 'foreign' };
    deeds.set(keyOf(link), { link, kind, change, isAmid });
  }
  return [...deeds.values()];
}

/** Notes on every record that is not what it has to be. */
export function judgeDump(when: string, found: Dump, wanted: Dump, deeds: readonly ForeignDeed[] = []): string[] {
  const done = new Map(deeds.map((deed) => [keyOf(deed.link), deed]));
  const wrong = [...wanted].flatMap(([key, record]) => {
    const deed = done.get(key);
    const allowed = deed ? recordsAfter(deed, record) : [record];
    const now = found.get(key);
    return allowed.includes(now) ? [] : [`${key} is ${now}, and not ${allowed.join(' or ')}`];
  });
  const more = [...found.keys()].filter((key) => !wanted.has(key)).map((key) => `${key} was not there before`);
  return shortened(when, [...wrong, ...more]);
}

/** What somebody else changed stays, and what the undo changes back besides. */
function recordsAfter({ kind, link, change, isAmid }: ForeignDeed, record: string): (string | undefined)[] {
  if (!change) return [undefined];
  const after = { ...JSON.parse(record), ...change };
  const records = [JSON.stringify(after)];
  if (kind === 'has another note' && isAmid) records.push(JSON.stringify({ ...after, long_url: link.rewritten }));
  return records;
}

/** Every row is there once, and those that were left alone say so. */
export function judgeResults(rows: readonly ResultRow[], count: number, refused: readonly ForeignDeed[]): string[] {
  const left = new Set(refused.map(({ link }) => keyOf(link)));
  const wrong = rows.flatMap(({ hash, short_url, status, message }) => {
    const key = short_url.replace(/^https?:\/\//, '') || `${domainsOf.b[0]}/${hash}`;
    const isLeft = left.delete(key);
    return (status === 'failed') === isLeft ? [] : [`${key} is ${status}: ${message}`];
  });
  const missing = [...left].map((key) => `${key} is not named`);
  const more = rows.length === count ? [] : [`${rows.length} rows for ${count} links`];
  return shortened('results', [...wrong, ...missing, ...more]);
}

/** What was sent, by links. */
export interface Sent {
  readonly links: number;
  /** Sent once more, after a doubt. */
  readonly again: number;
  readonly calls: number;
  /** Links of the largest call, to change or to read. */
  readonly largest: number;
}

interface SentItem {
  readonly hash: string;
  readonly long_url: string;
}

/**
 * Whether a link is sent again although its first call was answered and was read to have taken effect, or was not read. A call whose answer
 * was lost is repeated as it is (R 2.1).
 */
function isNeedless(
  key: string,
  { first, second }: { first: LoggedRequest; second: LoggedRequest },
  log: readonly LoggedRequest[],
): boolean {
  const { applied, step } = first;
  if (applied === undefined || applied > second.time || Object.keys(step).length > 0) return false;
  const between = log.slice(log.indexOf(first) + 1, log.indexOf(second));
  return !between.some((request) => request.time <= applied && keysRead(request).includes(key));
}

/** Links that a call reads by hash. */
function keysRead({ method, url }: LoggedRequest): string[] {
  const { domain, hashes } = namedIn(url);
  return method === 'GET' ? hashes.map((hash) => `${domain}/${hash}`) : [];
}

function namedIn(url: string): { domain: string; hashes: string[] } {
  const { searchParams } = new URL(url, 'http://localhost');
  return { domain: searchParams.get('domain') ?? domainsOf.b[0], hashes: searchParams.get('hashes')?.split(',') ?? [] };
}

/**
 * Every change that was sent is for a link of the selection and leads it where it has to lead; none is sent that is seen to be so, and
 * no call holds more links than the bound.
 */
export function judgeSent(
  log: readonly LoggedRequest[],
  wanted: ReadonlyMap<string, string>,
  bound: number,
): Sent & { readonly notes: string[] } {
  const sentIn = new Map<string, LoggedRequest>();
  const notes: string[] = [];
  let [links, again, largest] = [0, 0, 0];
  for (const request of log) {
    const { domain, hashes } = namedIn(request.url);
    const urls: SentItem[] = request.method === 'PATCH' ? JSON.parse(request.body).urls : [];
    largest = Math.max(largest, urls.length, hashes.length);
    if (request.method !== 'GET' && urls.length === 0) notes.push(`${request.method} ${request.url} was sent`);
    for (const { hash, ...fields } of urls) {
      const key = `${domain}/${hash}`;
      const first = sentIn.get(key);
      links += 1;
      if (first) again += 1;
      if (first && isNeedless(key, { first, second: request }, log)) notes.push(`${key} was sent twice, and was as it should be`);
      if (JSON.stringify(fields) !== JSON.stringify({ long_url: wanted.get(key) }))
        notes.push(`${key} was sent ${JSON.stringify(fields)}`);
      sentIn.set(key, request);
    }
  }
  if (largest > bound) notes.push(`a call had ${largest} links, and the bound is ${bound}`);
  return { links, again, calls: log.length, largest, notes: shortened('sent', notes) };
}

/** Notes of one kind in one trial. */
const shownNotes = 4;

function shortened(when: string, notes: readonly string[]): string[] {
  const shown = notes.slice(0, shownNotes).map((note) => `${when}: ${note}`);
  return notes.length > shownNotes ? [...shown, `${when}: ${notes.length} in all`] : shown;
}
