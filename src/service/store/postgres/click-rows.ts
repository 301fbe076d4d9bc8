import { byDay, dayClicks } from '../days.ts';
import type { Click, DayClicks, StoredDomain, Target } from '../store.ts';
import { visitorNumbers } from '../visitors.ts';
import type { AccountRows } from './account-rows.ts';

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

/** Adds clicks inside the caller's transaction. A URL that is gone by now loses its clicks with it. */
export async function recordClicks(rows: AccountRows, clicks: readonly Click[]): Promise<void> {
  for (const [day, ofDay] of byDay(clicks)) await recordDay(rows, day, ofDay);
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
async function addVisitors({ queries, accountId, salt }: AccountRows, clicks: readonly Click[]): Promise<number[]> {
  const visitorOf = visitorNumbers(salt);
  const pairs = new Map(
    clicks.map(({ urlId, visitor }) => {
      const number = visitorOf(visitor);
      return [`${urlId} ${number}`, { urlId, number }];
    }),
  );
  const fresh = await queries.all<{ url_id: number }>(
    `INSERT INTO visitors (account_id, url_id, visitor)
     SELECT CAST(? AS BIGINT), url_id, visitor FROM unnest(CAST(? AS BIGINT[]), CAST(? AS BIGINT[])) AS seen (url_id, visitor)
     ON CONFLICT DO NOTHING RETURNING url_id`,
    accountId,
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
