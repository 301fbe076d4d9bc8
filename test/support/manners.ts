import { parseUrl } from '../../src/contract/web-address.ts';
import type { WholeAnswer } from './faulty-endings.ts';
import { readBody, withText } from './readings.ts';

/**
 * How a server shows an account that is in use, and what it makes of what it is sent, where that differs from the local service.
 * Each holds for every request until `behave` says otherwise; they go together in any way, and with any step.
 *
 *     const wire = await startFaultyServer({ backend: service.baseUrl, pageCap: 30, totalCount: 'page length' });
 *     await wire.behave({ lag: 100, oldestFirst: true });
 */
export interface Manners {
  /** Rows that a page holds at most, whatever `limit` says: in listings and in reads by `hashes`. */
  readonly pageCap?: number;
  /** What `page.total_count` is instead of right: left out, right but as text, the number of rows on this page, or that of the rows so far. */
  readonly totalCount?: 'missing' | 'text' | 'page length' | 'so far';
  /** Listings begin with the oldest link, where no other order is asked for. Reads by `hashes` are as ever. */
  readonly oldestFirst?: boolean;
  /**
   * Milliseconds that listings and searches are behind: what was made, changed or deleted since is not seen in them. Reads by hash
   * and `/account` are up to date. What was there before the first request is old; later changes past this server are never seen:
   * whoever else writes uses `sideDoor`. With `startHurried` waits are 50 times shorter: 5 and 15 s are 100 and 300 here. `Infinity`
   * is until `catchUp`.
   */
  readonly lag?: number;
  /** Long URLs as `new URL` writes them: in answers only, or in what is stored. */
  readonly longUrls?: 'shown normalised' | 'stored normalised';
  /** Notes without the blanks around them: in answers only, or in what is stored. */
  readonly notes?: 'shown trimmed' | 'stored trimmed';
  /** Answers write hashes in upper case, and requests may name a link in any case. */
  readonly hashes?: 'shown in upper case';
}

const names = ['pageCap', 'totalCount', 'oldestFirst', 'lag', 'longUrls', 'notes', 'hashes'] as const satisfies (keyof Manners)[];

/** A request on its way to the service. */
export interface Passed {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  readonly body: Buffer;
}

/** Takes a request to the service, or to a copy of it that is behind. */
export type Ask = (request: Passed) => Promise<WholeAnswer>;

/** What a server with these manners remembers. */
export interface Memory {
  /** How the service writes a hash, by its upper case. */
  readonly hashes: Map<string, string>;
}

/** Answers a request as such a server would. `ask` reaches the account, `askListing` what listings are made of. */
export async function mannered(
  manners: Manners,
  memory: Memory,
  request: Passed,
  ask: Ask,
  askListing: Ask,
): Promise<WholeAnswer> {
  if (names.every((name) => manners[name] === undefined)) return ask(request);
  const stored = withStoredForm(manners, memory, request);
  const { pathname, searchParams: query } = new URL(stored.url, 'http://localhost');
  if (stored.method !== 'GET' || !pathname.endsWith('/urls')) return shown(manners, memory, await ask(stored));
  if (manners.pageCap !== undefined) {
    query.set('limit', String(Math.min(Number(query.get('limit') ?? manners.pageCap), manners.pageCap)));
  }
  const isListing = !query.has('hashes');
  const askPage = (more: object = {}): Promise<WholeAnswer> => {
    const parameters = new URLSearchParams({ ...Object.fromEntries(query), ...more });
    return (isListing ? askListing : ask)({ ...stored, url: `${pathname}?${parameters}` });
  };
  const isReversed = manners.oldestFirst && isListing && !query.has('order_by');
  const page = isReversed ? await oldestFirst(askPage, Number(query.get('offset') ?? 0)) : await askPage();
  return shown(manners, memory, page);
}

interface Listing {
  readonly urls: readonly object[];
  readonly page: { readonly results_count: number; readonly total_count: number; readonly offset: number };
}

/** The page that stands as far from the end as the one that was asked for stands from the beginning, backwards. */
async function oldestFirst(askPage: (more?: object) => Promise<WholeAnswer>, offset: number): Promise<WholeAnswer> {
  const newest = await askPage();
  const { page } = readJson(newest) as Partial<Listing>;
  if (!page?.results_count) return newest;
  const limit = page.results_count;
  const answer = await askPage({ offset: page.total_count - offset - limit, limit });
  const oldest = readJson(answer) as Listing;
  return { ...answer, body: write({ ...oldest, urls: [...oldest.urls].reverse(), page }) };
}

/** The request as the service gets it. */
function withStoredForm(manners: Manners, { hashes }: Memory, request: Passed): Passed {
  const { longUrls, notes } = manners;
  const known = (hash: string): string => hashes.get(hash.toUpperCase()) ?? hash;
  const url = manners.hashes ? withHashes(request.url, known) : request.url;
  const body = readBody(request.body);
  if (!Array.isArray(body?.urls)) return { ...request, url };
  const urls = body.urls.map((item: object) => {
    let stored = item;
    if (longUrls === 'stored normalised') stored = withText(stored, 'long_url', normalised);
    if (notes === 'stored trimmed') stored = withText(stored, 'note', (text) => text.trim());
    if (manners.hashes) stored = withText(withText(stored, 'hash', known), 'custom_hash', known);
    return stored;
  });
  return { ...request, url, body: write({ ...body, urls }) };
}

/** The same address with other hashes in its path and in `hashes`. */
function withHashes(url: string, known: (hash: string) => string): string {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const list = searchParams.get('hashes');
  if (list) searchParams.set('hashes', list.split(',').map(known).join());
  const path = pathname.replace(/(?<=\/(?:urls|stats)\/)[^/]+$/, (hash) => encodeURIComponent(known(decodeURIComponent(hash))));
  return `${path}?${searchParams}`.replace(/\?$/, '');
}

/** The answer as such a server gives it. */
function shown(manners: Manners, { hashes }: Memory, answer: WholeAnswer): WholeAnswer {
  const body = readBody(answer.body);
  if (!Array.isArray(body?.urls)) return answer;
  const urls = body.urls.map((item: object) => {
    let record = item;
    if (manners.longUrls === 'shown normalised') record = withText(record, 'long_url', normalised);
    if (manners.notes === 'shown trimmed') record = withText(record, 'note', (text) => text.trim());
    return manners.hashes ? shouted(record, hashes) : record;
  });
  return { ...answer, body: write({ ...body, urls, ...(body.page && { page: withTotal(body.page, manners) }) }) };
}

function withTotal({ total_count: total, ...page }: Listing['page'], { totalCount }: Manners): object {
  if (totalCount === 'missing') return page;
  const shown = { text: String(total), 'page length': page.results_count, 'so far': page.offset + page.results_count };
  return { ...page, total_count: totalCount === undefined ? total : shown[totalCount] };
}

function shouted(record: object, hashes: Memory['hashes']): object {
  const { hash } = record as { hash?: unknown };
  if (typeof hash !== 'string') return record;
  hashes.set(hash.toUpperCase(), hash);
  const inAddress = (address: string): string =>
    address.endsWith(`/${hash}`) ? address.slice(0, -hash.length) + hash.toUpperCase() : address;
  let changed = withText(record, 'hash', (text) => text.toUpperCase());
  for (const name of ['short_url', 'short_url_with_protocol']) changed = withText(changed, name, inAddress);
  return changed;
}

/** As a browser writes it. */
export function normalised(url: string): string {
  return parseUrl(url)?.href ?? url;
}

function readJson({ body }: WholeAnswer): object {
  return readBody(body) ?? {};
}

function write(body: object): Buffer {
  return Buffer.from(JSON.stringify(body));
}
