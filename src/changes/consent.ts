import { UsageError } from '../base/errors.ts';
import type { Invocation } from '../cli/invocation.ts';
import { canAsk, confirm, confirmCount } from '../cli/prompt.ts';
import { type Session, whereabouts } from '../cli/session.ts';
import { namedUrls } from '../client/named-urls.ts';
import type { LinkKey } from '../contract/link.ts';
import type { UrlRecord } from '../contract/records.ts';
import type { NamedTargets } from '../input/named-links.ts';
import { truncate } from '../output/display-width.ts';
import { grouped, quantity } from '../output/quantity.ts';
import { readableUrl } from '../output/url-columns.ts';

/** What a change asks before it is made. */
export interface Question {
  /** The first word of the question: `Delete`. */
  readonly verb: string;
  /** The counters are what is lost: they are shown even where nothing is asked. */
  readonly erasesCounters?: boolean;
  /** Not asked of typed links, and of a file only where somebody can answer: existing scripts keep working (W3). */
  readonly isOptional?: boolean;
}

/** One of the URLs that a change selects; it does not exist if it has no record. */
export interface AffectedUrl {
  readonly target: LinkKey;
  readonly record: UrlRecord | undefined;
}

/** URLs that a question shows, of however many (B56). */
export const shownUrls = 5;

/** From so many links on their number is typed instead of a yes (B56). */
export const typedFrom = 100;

/** `--max-affected` stops a change that is larger than its author believes, before anything is sent (B57). */
export function refuseTooMany(count: number, { global: { maxAffected } }: Invocation, orMore = false): void {
  if (maxAffected === undefined || count <= maxAffected) return;
  throw new UsageError(
    `${orMore ? 'at least ' : ''}${quantity(count, 'link')} would be affected, more than --max-affected ${maxAffected}; nothing was changed`,
  );
}

/** Refuses a change that needs an answer where nobody can give one, before anything is read for the question (B54, B57). */
export async function requireAnswer(invocation: Invocation, selects: 'named' | 'by tags'): Promise<void> {
  const { yes, dryRun, maxAffected } = invocation.global;
  if (dryRun || canAsk(invocation)) return;
  if (!yes) await confirm('', invocation);
  if (selects === 'by tags' && maxAffected === undefined) {
    throw new UsageError('--max-affected required with --by-tags when not running interactively', {
      hint: 'add --max-affected <n>; --dry-run shows how many links match',
    });
  }
}

/**
 * Asks before URLs that were named are changed for good (B56): one is shown whole, of several the first five. All are read: what is not
 * there is not counted (D50).
 */
export async function consentToNamed(
  { verb, erasesCounters = false, isOptional = false }: Question,
  { count, open }: Pick<NamedTargets, 'count' | 'open'>,
  batchSize: number,
  session: Session,
): Promise<void> {
  const { global, streams } = session;
  if (global.yes ? !erasesCounters : isOptional && !canAsk(session)) return;
  const read = (atMost?: number) => namedUrls(session.client, firstOf(open(), atMost), batchSize);
  const first: AffectedUrl[] = [];
  if (global.yes) {
    for await (const url of read(shownUrls)) first.push(url);
    return await tellCounters(first, count, session);
  }
  let found = 0;
  let seen = 0;
  for await (const url of read()) {
    seen += 1;
    if (url.record) found += 1;
    if (first.length < shownUrls) first.push(url);
    streams.progress.step(() => `${seen}/${count} links read`);
  }
  const [only] = first;
  if (count === 1 && only) {
    // B58
    await streams.message(`${whereabouts(session)}:`);
    return await confirm(`${verb} ${describe(only, erasesCounters, session)}?`, session);
  }
  const shown = first.filter(({ record }) => record).length;
  await tellFirst(first, found - shown, erasesCounters, session);
  const strangers = count - found - (first.length - shown);
  if (strangers > 0) await streams.message(`  ${streams.glyphs.ellipsis} and ${grouped(strangers)} not found`);
  const what = found === 0 ? `${quantity(count, 'link')}, none of which exist,` : quantity(found, 'link');
  const question = `${verb} ${what} of ${whereabouts(session)}?`;
  await (found < typedFrom ? confirm(question, session) : confirmCount(question, found, session));
}

async function* firstOf<T>(items: Iterable<T> | AsyncIterable<T>, atMost = Number.POSITIVE_INFINITY): AsyncGenerator<T> {
  let left = atMost;
  for await (const item of items) {
    yield item;
    left -= 1;
    if (left === 0) return;
  }
}

/** Asks before all that a tag expression selects is changed: the count is to be typed (B56). */
export async function consentToSelected(
  { verb, erasesCounters = false }: Question,
  count: number,
  first: readonly AffectedUrl[],
  session: Session,
): Promise<void> {
  if (session.global.yes) return erasesCounters ? await tellCounters(first, count, session) : undefined;
  await tellFirst(first, count - first.length, erasesCounters, session);
  const place = whereabouts({ ...session, domain: undefined });
  await confirmCount(`${verb} ${quantity(count, 'link')} of ${place}, on all its domains?`, count, session);
}

/** A line each, as long as the terminal is wide. */
async function tellFirst(first: readonly AffectedUrl[], more: number, withUnique: boolean, session: Session): Promise<void> {
  const { streams } = session;
  for (const url of first) {
    const rest = describe(url, withUnique, session, '').length + '  '.length;
    const room = Math.max(20, streams.width() - rest);
    await streams.message(`  ${describe(url, withUnique, session, truncate(longUrlOf(url), room, streams.glyphs.ellipsis))}`);
  }
  if (more > 0) await streams.message(`  ${streams.glyphs.ellipsis} and ${grouped(more)} more`);
}

async function tellCounters(first: readonly AffectedUrl[], count: number, session: Session): Promise<void> {
  for (const { record } of first) {
    if (record) await session.note(`${shortUrl(record, session)}: ${clicks(record, true)}, will be erased`);
  }
  if (count > first.length) await session.note(`${session.streams.glyphs.ellipsis} and ${grouped(count - first.length)} more`);
}

/** `https://s.ex/abc -> https://… (1,204 clicks)`. */
function describe(url: AffectedUrl, withUnique: boolean, session: Session, longUrl = longUrlOf(url)): string {
  const { record, target } = url;
  if (!record) return `${target.domain ? `${target.domain}/` : ''}${target.hash} (not found)`;
  return `${shortUrl(record, session)} -> ${longUrl} (${clicks(record, withUnique)})`;
}

function longUrlOf({ record }: AffectedUrl): string {
  return record?.long_url ?? '';
}

function shortUrl(record: UrlRecord, session: Session): string {
  return readableUrl(session.shortUrl(record));
}

function clicks({ total_clicks = 0, unique_clicks = 0 }: UrlRecord, withUnique: boolean): string {
  const total = `${grouped(total_clicks)} ${total_clicks === 1 ? 'click' : 'clicks'}`;
  return withUnique ? `${total}, ${grouped(unique_clicks)} unique` : total;
}
