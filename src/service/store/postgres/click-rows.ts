import { byDay, dayClicks } from '../click-days.ts';
import type { Click, DayClicks, StoredDomain, Target } from '../store.ts';
import { visitorNumbers, visitorsAtATime } from '../visitors.ts';
import type { AccountRows } from './account-rows.ts';
import { clock } from './lease.ts';

export function findTarget({ queries, accountId }: AccountRows, domain: StoredDomain, hash: string): Promise<Target | undefined> {
  return queries.first<Target>(
    `SELECT id, long_url AS "longUrl", expiration_date AS "expirationDate", max_clicks AS "maxClicks", total_clicks AS "totalClicks"
     FROM urls WHERE account_id = ? AND domain_id = ? AND hash = ?`,
    accountId,
    domain.id,
    hash,
  );
}

/** See `Store`. One statement, a transaction of its own. */
export async function countClick({ queries, accountId }: AccountRows, urlId: number): Promise<boolean> {
  const text = 'UPDATE urls SET total_clicks = total_clicks + 1 WHERE account_id = ? AND id = ? AND total_clicks < max_clicks';
  return (await queries.run(text, accountId, urlId)) > 0;
}

export async function clicksOfDays({ queries, accountId }: AccountRows, urlId: number): Promise<DayClicks[]> {
  const days = await queries.all<{ day: number; total: number; fresh: number }>(
    `SELECT day, sum(total) AS total, sum(fresh) AS fresh FROM (
       SELECT day, total, fresh FROM daily_clicks WHERE account_id = ? AND url_id = ?
       UNION ALL SELECT day, day_total, day_fresh FROM urls WHERE account_id = ? AND id = ? AND day_total > 0
     ) AS days GROUP BY day ORDER BY day`,
    accountId,
    urlId,
    accountId,
    urlId,
  );
  return days.map(dayClicks);
}

/** Some clicks of a process, by their number. */
export interface ClickGroup {
  readonly process: string;
  readonly number: number;
}

/** Adds clicks inside the caller's transaction, unless the group is stored already. A URL that is gone by now loses its clicks with it. */
export async function recordClicks(rows: AccountRows, clicks: readonly Click[], group?: ClickGroup): Promise<void> {
  if (group && !(await isNew(rows, group))) return;
  for (const [day, ofDay] of byDay(clicks)) await recordDay(rows, day, ofDay);
}

/** Whether the last group of the process that was stored is an earlier one; from now on it is this one. */
async function isNew({ queries, accountId }: AccountRows, { process, number }: ClickGroup): Promise<boolean> {
  const text = `INSERT INTO flushes AS f (account_id, process, last, stored) VALUES (?, ?, ?, ${clock})
    ON CONFLICT (account_id, process) DO UPDATE SET last = excluded.last, stored = excluded.stored WHERE f.last < excluded.last`;
  return (await queries.run(text, accountId, process, number)) > 0;
}

/** Milliseconds for which it is known what a process has stored: longer than a database is gone. */
const remembered = 30 * 86_400_000;

export async function forgetFlushes({ queries, accountId }: Pick<AccountRows, 'queries' | 'accountId'>): Promise<void> {
  await queries.run(`DELETE FROM flushes WHERE account_id = ? AND stored < ${clock} - ${remembered}`, accountId);
}

/** See `Store`. */
export async function forgetVisitors(
  { queries, accountId }: AccountRows,
  day: number,
  after: number,
): Promise<number | undefined> {
  const row = await queries.first<{ last: number }>(
    'SELECT url_id AS last FROM visitors WHERE account_id = ? AND url_id > ? ORDER BY url_id LIMIT 1 OFFSET ?',
    ...[accountId, after, visitorsAtATime],
  );
  await queries.run(
    'DELETE FROM visitors WHERE account_id = ? AND url_id > ? AND url_id <= ? AND seen < ?',
    ...[accountId, after, row?.last ?? Number.MAX_SAFE_INTEGER, day],
  );
  return row?.last;
}

/** Clicks of one URL, added up. */
interface Gain {
  readonly id: number;
  /** Of the day, and those of them that the counter has already. */
  total: number;
  counted: number;
  unique: number;
  lastVisit: number;
}

async function recordDay(rows: AccountRows, day: number, clicks: readonly Click[]): Promise<void> {
  const stored = await lockUrls(rows, [...new Set(clicks.map(({ urlId }) => urlId))]);
  const gains = new Map<number, Gain>();
  for (const { urlId, time, isCounted } of clicks) {
    if (!stored.has(urlId)) continue;
    const gain = gains.get(urlId) ?? { id: urlId, total: 0, counted: 0, unique: 0, lastVisit: 0 };
    gains.set(urlId, gain);
    gain.total += 1;
    gain.counted += Number(isCounted);
    gain.lastVisit = Math.max(gain.lastVisit, time);
  }
  for (const urlId of await addVisitors(
    rows,
    day,
    clicks.filter((click) => gains.has(click.urlId)),
  )) {
    const gain = gains.get(urlId);
    if (gain) gain.unique += 1;
  }
  const isOver = [...stored].filter(([, url]) => url.day !== day && url.day_total > 0).map(([id]) => id);
  if (isOver.length > 0) await endDays(rows, isOver);
  if (gains.size > 0) await addGains(rows, day, [...gains.values()]);
}

/** In the order of ids, as everybody locks them: two that wait for each other would lose a second. */
async function lockUrls({ queries, accountId }: AccountRows, ids: readonly number[]) {
  const urls = await queries.all<{ id: number; day: number; day_total: number }>(
    'SELECT id, day, day_total FROM urls WHERE account_id = ? AND id = ANY(CAST(? AS BIGINT[])) ORDER BY id FOR UPDATE',
    accountId,
    ids,
  );
  return new Map(urls.map((url) => [url.id, url]));
}

/** The URLs to which a visitor is new, one entry for each visitor. */
async function addVisitors({ queries, accountId, salt }: AccountRows, day: number, clicks: readonly Click[]): Promise<number[]> {
  const visitorOf = visitorNumbers(salt);
  const pairs = new Map(
    clicks.map(({ urlId, visitor }) => {
      const number = visitorOf(visitor);
      return [`${urlId} ${number}`, { urlId, number }];
    }),
  );
  const fresh = await queries.all<{ url_id: number }>(
    `INSERT INTO visitors (account_id, seen, url_id, visitor)
     SELECT CAST(? AS BIGINT), CAST(? AS BIGINT), url_id, visitor FROM unnest(CAST(? AS BIGINT[]), CAST(? AS BIGINT[])) AS seen (url_id, visitor)
     ON CONFLICT DO NOTHING RETURNING url_id`,
    accountId,
    day,
    [...pairs.values()].map(({ urlId }) => urlId),
    [...pairs.values()].map(({ number }) => number),
  );
  return fresh.map(({ url_id }) => url_id);
}

/** Puts the last day of URLs with the earlier ones, as their next day has begun. */
async function endDays({ queries, accountId }: AccountRows, ids: readonly number[]): Promise<void> {
  await queries.run(
    `INSERT INTO daily_clicks AS d (account_id, url_id, day, total, fresh)
     SELECT account_id, id, day, day_total, day_fresh FROM urls WHERE account_id = ? AND id = ANY(CAST(? AS BIGINT[]))
     ON CONFLICT (account_id, url_id, day) DO UPDATE SET total = d.total + excluded.total, fresh = d.fresh + excluded.fresh`,
    accountId,
    ids,
  );
}

async function addGains({ queries, accountId }: AccountRows, day: number, gains: readonly Gain[]): Promise<void> {
  await queries.run(
    `UPDATE urls AS u SET total_clicks = u.total_clicks + g.total - g.counted, unique_clicks = u.unique_clicks + g.fresh,
       last_visit = greatest(coalesce(u.last_visit, 0), g.last_visit),
       day_total = CASE WHEN u.day = g.day THEN u.day_total ELSE 0 END + g.total,
       day_fresh = CASE WHEN u.day = g.day THEN u.day_fresh ELSE 0 END + g.fresh, day = g.day
     FROM (SELECT CAST(? AS BIGINT) AS day, gain.* FROM unnest(CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS BIGINT[]),
       CAST(? AS BIGINT[])) AS gain (id, total, counted, fresh, last_visit)) AS g
     WHERE u.account_id = ? AND u.id = g.id`,
    day,
    gains.map(({ id }) => id),
    gains.map(({ total }) => total),
    gains.map(({ counted }) => counted),
    gains.map(({ unique }) => unique),
    gains.map(({ lastVisit }) => lastVisit),
    accountId,
  );
}
