import { NotFoundError, UsageError } from '../../base/errors.ts';
import { isoTime } from '../../base/times.ts';
import type { Session } from '../../cli/session.ts';
import { type Clicks, type ComparedClicks, comparable, groupClicks, type Period, type ReadLink } from '../../history/clicks.ts';
import { momentText } from '../../history/used-readings.ts';
import { pastTime, pointInTime } from '../../input/point-in-time.ts';
import { readWebAddress } from '../../link/http-url.ts';
import { type ClickGrouping, changeOf, percentText, periodRows, uncountedClicks } from '../../output/period-rows.ts';
import { grouped, quantity } from '../../output/quantity.ts';
import type { Row, RowsReport } from '../../output/report.ts';
import type { SelectionOptions } from '../../select/selection-flags.ts';
import { type CountedLinks, periodClicks, unknownFailure } from './period-clicks.ts';

export interface SinceOptions extends SelectionOptions {
  readonly since?: string;
  readonly until?: string;
  readonly by?: ClickGrouping;
  readonly top?: number;
  readonly chart?: boolean;
}

/** Default number of rows on a terminal, and of bars in a chart. */
const defaultRows = 20;

export async function statsSince(
  { selection, options }: CountedLinks & { readonly options: SinceOptions },
  session: Session,
): Promise<RowsReport> {
  const span = periodOf(options, session);
  const { by = 'link', chart } = options;
  const clicks = await periodClicks(span, session, { selection, options });
  const failure = unknownFailure(clicks);
  // None of the named links exists.
  if (failure instanceof NotFoundError) throw failure;
  const all = rowsBy[by](clicks);
  const isCut = by !== 'day' && (chart || session.format() === 'table');
  const rows = all.slice(0, options.top ?? (isCut ? defaultRows : undefined));
  const remedy = options.top === undefined ? ' Use --top <n>.' : '';
  const cutNote = rows.length < all.length ? [`Showing ${grouped(rows.length)} of ${quantity(all.length, by)}.${remedy}`] : [];
  return {
    ...periodRows(rows, {
      by,
      glyphs: session.streams.glyphs,
      chart: chart ? clicks.days : undefined,
      severalDomains: clicks.severalDomains,
    }),
    members: () => ({
      period: periodMember(clicks),
      summary: { urls: clicks.links.length, ...figuresOf(clicks.total, clicks.source) },
    }),
    outcome: () => failure,
    notes: () => [
      ...cutNote,
      ...totalNotes(clicks),
      ...(clicks.uncounted > 0 ? [uncountedClicks(clicks.uncounted)] : []),
      ...(by === 'day' || chart ? dayNotes(clicks) : []),
      ...(by === 'tag' ? tagNotes(clicks) : []),
    ],
  };
}

/** Throws a UsageError. */
export function periodOf({ since = '', until }: Pick<SinceOptions, 'since' | 'until'>, { now }: Pick<Session, 'now'>): Period {
  if (until === undefined) return { since: pastTime('--since', since, now), until: now, now };
  const period = { since: pointInTime('--since', since, now), until: pointInTime('--until', until, now), now };
  if (period.since < period.until) return period;
  throw new UsageError(`--since ${since} is not before --until ${until}`);
}

const rowsBy: { readonly [By in ClickGrouping]: (clicks: Clicks) => Row[] } = {
  link: ({ links, source }) =>
    links.map(({ link: { hash, short_url, long_url, tags }, unique, events, ...figures }) => ({
      hash,
      short_url,
      long_url,
      tags,
      ...figuresOf(figures, source),
      unique_clicks: unique ?? null,
      events,
    })),
  tag: (clicks) => groupRows('tag', clicks, ({ tags }) => tags),
  host: (clicks) => groupRows('host', clicks, hostsOf),
  day: ({ days }) => days.map(({ date, clicks, soFar = false }) => ({ date, clicks: clicks ?? null, so_far: soFar })),
};

function groupRows(field: string, clicks: Clicks, namesOf: (link: ReadLink) => readonly string[]): Row[] {
  const groups = groupClicks(clicks, namesOf);
  return groups.map(({ name, links, ...figures }) => ({ [field]: name, links, ...figuresOf(figures, clicks.source) }));
}

/** Readings do not say how many of the clicks are of today. */
function figuresOf(figures: ComparedClicks, source: Clicks['source']): Row {
  const { clicks, today = 0, before } = figures;
  const change = changeOf(comparable(figures), before);
  return { clicks, before: before ?? null, change, today: source === 'readings' ? null : today };
}

function hostsOf({ long_url }: ReadLink): string[] {
  const host = readWebAddress(long_url)?.hostname;
  return host === undefined ? [] : [host];
}

/** Times are in ISO 8601. */
function periodMember({ asked, counted, before, source }: Clicks): Row {
  return {
    since: isoTime(asked.since),
    until: isoTime(asked.until),
    first: isoTime(counted.since),
    last: isoTime(counted.until),
    before: before === undefined ? null : isoTime(before),
    source,
  };
}

/** Names the readings, because their times differ a little from the requested period. */
function totalNotes({ total, days, counted, before: earlier, asked, source }: Clicks): string[] {
  const { clicks, today, before } = total;
  const [first, last] = [momentText(counted.since), momentText(counted.until)];
  const isRead = source === 'readings';
  const what = isRead
    ? `between the readings of ${first} and ${last}`
    : `by the daily totals of the server from ${first} to ${last}${counted.until === asked.now ? ' (today so far)' : ''}`;
  const span = `${quantity(clicks, 'click')} ${what}`;
  if (before === undefined || earlier === undefined) {
    const [day, ...more] = days;
    if (!isRead && day?.soFar && more.length === 0) return [`${span}; not compared, because today is not over`];
    return [`${span}; no earlier ${isRead ? 'reading' : 'days'} for the previous period`];
  }
  const change = changeOf(comparable(total), before);
  const whole = today === undefined || today === 0 ? '' : `${grouped(comparable(total))} without today, `;
  const compared = `${whole}${grouped(before)} before, from ${momentText(earlier)}`;
  return [`${span}; ${compared}${change === null ? '' : ` (${percentText(change)})`}`];
}

function dayNotes({ days, total }: Clicks): string[] {
  const unread = days.filter(({ clicks }) => clicks === undefined);
  if (unread.length === 0) return [];
  const rest = Math.max(0, total.clicks - days.reduce((sum, { clicks = 0 }) => sum + clicks, 0));
  const [first, last] = [unread[0]?.date, unread.at(-1)?.date];
  const dates = first === last ? first : `${first} ${unread.length === 2 ? 'and' : 'to'} ${last}`;
  return [`no readings of ${quantity(unread.length, 'day')} (${dates}): ${quantity(rest, 'click')} cannot be assigned to days`];
}

function tagNotes({ links }: Clicks): string[] {
  return links.some(({ link }) => link.tags.length > 1) ? ['a link with several tags counts for each of them'] : [];
}
