import { NotFoundError } from '../base/errors.ts';
import type { System } from '../base/system.ts';
import type { Connection } from '../files/sqlite.ts';
import { type Clicks, clicksOf, type LinkClicks, type LinkEvent, type Period } from './clicks.ts';
import { type HistoryAccount, readHistory } from './history-database.ts';
import { type Reading, type ReadingScope, readingsOf } from './readings.ts';
import { nameOf } from './stored-link.ts';
import { clicksPerDay, type UsedReadings, usedReadings } from './used-readings.ts';

export interface WantedClicks {
  readonly span: Period;
  readonly scope: ReadingScope;
  /** The wanted links in the form of `nameOf`; absent for all. */
  readonly names?: ReadonlySet<string> | undefined;
}

/** Throws a `NotFoundError` if no reading is old enough, and a `LocalError` for a damaged history. */
export async function recordedClicks(wanted: WantedClicks, account: HistoryAccount, system: System): Promise<Clicks> {
  const clicks = await readHistory(account, system, (connection) => clicksIn(connection, wanted));
  if (clicks) return clicks;
  throw new NotFoundError('no reading of this account was recorded', { hint: 'linkctl stats --record' });
}

/** Returns true if links of several domains were recorded. */
export async function hasSeveralDomains(account: HistoryAccount, system: System): Promise<boolean> {
  const domains = 'SELECT COUNT(DISTINCT domain) AS count FROM links';
  return ((await readHistory(account, system, (connection) => connection.count(domains))) ?? 0) > 1;
}

function clicksIn(connection: Connection, { span, scope, names }: WantedClicks): Clicks {
  const readings = readingsOf(connection);
  const used = usedReadings(readings, span, scope);
  const { sums, perReading } = addUp(connection, readings, used, wantedLinks(connection, scope, names));
  return clicksOf({
    asked: span,
    counted: { since: used.first.from, until: used.last.from },
    before: used.before?.from,
    links: linksOf(connection, sums),
    days: clicksPerDay(used, perReading),
    source: 'readings',
  });
}

interface Sums {
  clicks: number;
  before: number;
  unique: number;
  events: LinkEvent[];
}

/** Returns link IDs; undefined for all links. */
function wantedLinks(
  connection: Connection,
  { kind, words }: ReadingScope,
  names: ReadonlySet<string> | undefined,
): ReadonlySet<number> | undefined {
  if (names === undefined && kind !== 'domain') return undefined;
  const wanted = new Set<number>();
  const next = connection.sql('SELECT id, domain, hash FROM links WHERE id > ? ORDER BY id LIMIT 5000');
  for (let last = 0; ; ) {
    const page = next.all<{ id: number; domain: string; hash: string }>(last);
    for (const link of page) if (names?.has(nameOf(link)) ?? link.domain === words) wanted.add(link.id);
    last = page.at(-1)?.id ?? 0;
    if (page.length < 5000) return wanted;
  }
}

/**
 * Processes one reading at a time to save memory. `perReading` contains the clicks since the reading before, by number. If a period begins
 * with the reading of a selection, links that it lacks are counted from their first reading.
 */
function addUp(
  connection: Connection,
  readings: readonly Reading[],
  { first, before, last }: UsedReadings,
  wanted: ReadonlySet<number> | undefined,
): { sums: Map<number, Sums>; perReading: number[] } {
  const sums = new Map<number, Sums>();
  const perReading: number[] = [];
  const sumsOf = (link: number): Sums => {
    const sum = sums.get(link) ?? { clicks: 0, before: 0, unique: 0, events: [] };
    sums.set(link, sum);
    return sum;
  };
  const selected = (nth: number) =>
    connection
      .sql('SELECT link FROM selected WHERE reading = ?')
      .all<{ link: number }>(nth)
      .map(({ link }) => link);
  let read: Set<number> | undefined;
  for (const { nth, scope } of readings.slice((before ?? first).nth - 1, last.nth)) {
    if (nth > (before ?? first).nth) {
      perReading[nth] = 0;
      for (const { link, clicks, unique_clicks } of countersOf(connection, nth)) {
        if (wanted && !wanted.has(link)) continue;
        if (read && !read.has(link)) {
          read.add(link);
          continue;
        }
        const sum = sumsOf(link);
        perReading[nth] += clicks;
        if (nth > first.nth) {
          sum.clicks += clicks;
          sum.unique += unique_clicks;
        } else sum.before += clicks;
      }
    }
    if (nth === first.nth || nth === before?.nth) read = scope.kind === 'selection' ? new Set(selected(nth)) : undefined;
    else if (read && scope.kind === 'selection') for (const link of selected(nth)) read.add(link);
  }
  const events = connection.sql('SELECT link, kind FROM events WHERE reading > ? AND reading <= ? ORDER BY reading, id');
  for (const { link, kind } of events.all<{ link: number; kind: LinkEvent }>(first.nth, last.nth)) {
    if (wanted && !wanted.has(link)) continue;
    const sum = sumsOf(link);
    if (!sum.events.includes(kind)) sum.events.push(kind);
  }
  return { sums, perReading };
}

function countersOf(connection: Connection, reading: number) {
  return connection
    .sql('SELECT link, clicks, unique_clicks FROM counters WHERE reading = ?')
    .all<{ link: number; clicks: number; unique_clicks: number }>(reading);
}

/** Links with clicks or events. */
function linksOf(connection: Connection, sums: ReadonlyMap<number, Sums>): LinkClicks[] {
  const text = connection.sql('SELECT domain, hash, short_url, long_url, tags FROM links WHERE id = ?');
  return [...sums]
    .filter(([, { clicks, before, events }]) => clicks > 0 || before > 0 || events.length > 0)
    .sort(([one], [other]) => one - other)
    .flatMap(([id, sum]) => {
      const link = text.get<Omit<LinkClicks['link'], 'tags'> & { tags: string }>(id);
      return link ? [{ link: { ...link, tags: JSON.parse(link.tags) }, ...sum }] : [];
    });
}
