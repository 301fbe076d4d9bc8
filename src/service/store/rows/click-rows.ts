import { byDay, dayClicks, dayLength } from '../click-days.ts';
import { clock } from '../postgres/lease.ts';
import type { Click, DayClicks, StoredDomain, Target } from '../store.ts';
import { visitorNumbers, visitorsPerStep } from '../visitors.ts';
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

/** A single statement is a transaction of its own. */
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

/** A numbered group of clicks of a process. */
export interface ClickGroup {
  readonly process: string;
  readonly number: number;
}

/** Runs in the caller's transaction; does nothing for a group that is stored already. Clicks of a deleted URL are dropped. */
export async function recordClicks(rows: AccountRows, clicks: readonly Click[], group?: ClickGroup): Promise<void> {
  if (group && !(await isNew(rows, group))) return;
  for (const [day, ofDay] of byDay(clicks)) await recordDay(rows, day, ofDay);
}

/** Records the group as the last one of its process; returns false if it is stored already. */
async function isNew({ queries, accountId }: AccountRows, { process, number }: ClickGroup): Promise<boolean> {
  const text = `INSERT INTO flushes AS f (account_id, process, last, stored) VALUES (?, ?, ?, ${clock})
    ON CONFLICT (account_id, process) DO UPDATE SET last = excluded.last, stored = excluded.stored WHERE f.last < excluded.last`;
  return (await queries.run(text, accountId, process, number)) > 0;
}

/** Milliseconds for which the last group of a process is kept, longer than any outage of the database. */
const flushRetention = 30 * dayLength;

export async function forgetFlushes({ queries, accountId }: Pick<AccountRows, 'queries' | 'accountId'>): Promise<void> {
  await queries.run(`DELETE FROM flushes WHERE account_id = ? AND stored < ${clock} - ${flushRetention}`, accountId);
}

export async function forgetVisitors(
  { queries, accountId }: AccountRows,
  day: number,
  after: number,
): Promise<number | undefined> {
  const row = await queries.first<{ last: number }>(
    'SELECT url_id AS last FROM visitors WHERE account_id = ? AND url_id > ? ORDER BY url_id LIMIT 1 OFFSET ?',
    ...[accountId, after, visitorsPerStep],
  );
  await queries.run(
    'DELETE FROM visitors WHERE account_id = ? AND url_id > ? AND url_id <= ? AND seen < ?',
    ...[accountId, after, row?.last ?? Number.MAX_SAFE_INTEGER, day],
  );
  return row?.last;
}

/** The clicks of one URL. */
interface ClickTotals {
  readonly id: number;
  /** `counted` of `total` are in the counter already. */
  total: number;
  counted: number;
  unique: number;
  lastVisit: number;
}

async function recordDay(rows: AccountRows, day: number, clicks: readonly Click[]): Promise<void> {
  const stored = await lockUrls(rows, [...new Set(clicks.map(({ urlId }) => urlId))]);
  const totals = new Map<number, ClickTotals>();
  for (const { urlId, time, isCounted } of clicks) {
    if (!stored.has(urlId)) continue;
    const sums = totals.get(urlId) ?? { id: urlId, total: 0, counted: 0, unique: 0, lastVisit: 0 };
    totals.set(urlId, sums);
    sums.total += 1;
    sums.counted += Number(isCounted);
    sums.lastVisit = Math.max(sums.lastVisit, time);
  }
  for (const urlId of await addVisitors(
    rows,
    day,
    clicks.filter((click) => totals.has(click.urlId)),
  )) {
    const sums = totals.get(urlId);
    if (sums) sums.unique += 1;
  }
  const isOver = [...stored].filter(([, url]) => url.day !== day && url.day_total > 0).map(([id]) => id);
  if (isOver.length > 0) await archiveDays(rows, isOver);
  if (totals.size > 0) await addClickTotals(rows, day, [...totals.values()]);
}

/** All transactions lock in the order of ids, because a deadlock costs a second. */
async function lockUrls({ queries, accountId }: AccountRows, ids: readonly number[]) {
  const urls = await queries.all<{ id: number; day: number; day_total: number }>(
    'SELECT id, day, day_total FROM urls WHERE account_id = ? AND id = ANY(CAST(? AS BIGINT[])) ORDER BY id FOR UPDATE',
    accountId,
    ids,
  );
  return new Map(urls.map((url) => [url.id, url]));
}

/** Returns one entry per new visitor of a URL. */
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

/** Moves the last day of URLs to the earlier days when a new day begins. */
async function archiveDays({ queries, accountId }: AccountRows, ids: readonly number[]): Promise<void> {
  await queries.run(
    `INSERT INTO daily_clicks AS d (account_id, url_id, day, total, fresh)
     SELECT account_id, id, day, day_total, day_fresh FROM urls WHERE account_id = ? AND id = ANY(CAST(? AS BIGINT[]))
     ON CONFLICT (account_id, url_id, day) DO UPDATE SET total = d.total + excluded.total, fresh = d.fresh + excluded.fresh`,
    accountId,
    ids,
  );
}

async function addClickTotals({ queries, accountId }: AccountRows, day: number, totals: readonly ClickTotals[]): Promise<void> {
  await queries.run(
    `UPDATE urls AS u SET total_clicks = u.total_clicks + g.total - g.counted, unique_clicks = u.unique_clicks + g.fresh,
       last_visit = greatest(coalesce(u.last_visit, 0), g.last_visit),
       day_total = CASE WHEN u.day = g.day THEN u.day_total ELSE 0 END + g.total,
       day_fresh = CASE WHEN u.day = g.day THEN u.day_fresh ELSE 0 END + g.fresh, day = g.day
     FROM (SELECT CAST(? AS BIGINT) AS day, sums.* FROM unnest(CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS BIGINT[]),
       CAST(? AS BIGINT[])) AS sums (id, total, counted, fresh, last_visit)) AS g
     WHERE u.account_id = ? AND u.id = g.id`,
    day,
    totals.map(({ id }) => id),
    totals.map(({ total }) => total),
    totals.map(({ counted }) => counted),
    totals.map(({ unique }) => unique),
    totals.map(({ lastVisit }) => lastVisit),
    accountId,
  );
}
