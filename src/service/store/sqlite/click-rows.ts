import { byDay, dayClicks } from '../click-days.ts';
import type { Click, DayClicks, StoredDomain, Target } from '../store.ts';
import { visitorNumbers, visitorsPerStep } from '../visitors.ts';
import type { AccountRows } from './account-rows.ts';

export function findTarget({ connection, accountId }: AccountRows, domain: StoredDomain, hash: string): Target | undefined {
  return connection
    .sql(
      `SELECT id, long_url AS longUrl, expiration_date AS expirationDate, max_clicks AS maxClicks, total_clicks AS totalClicks
       FROM urls WHERE account_id = ? AND domain_id = ? AND hash = ?`,
    )
    .get<Target>(accountId, domain.id, hash);
}

export function clicksOfDays({ connection, accountId }: AccountRows, urlId: number): DayClicks[] {
  return connection
    .sql(
      `SELECT day, sum(total) AS total, sum(fresh) AS fresh FROM (
         SELECT day, total, fresh FROM daily_clicks WHERE account_id = ?1 AND url_id = ?2
         UNION ALL SELECT day, day_total, day_fresh FROM urls WHERE account_id = ?1 AND id = ?2 AND day_total > 0)
       GROUP BY day ORDER BY day`,
    )
    .all<{ day: number; total: number; fresh: number }>(accountId, urlId)
    .map(dayClicks);
}

/** The clicks of one URL. */
interface ClickTotals {
  /** `counted` of `total` are in the counter already. */
  total: number;
  counted: number;
  unique: number;
  lastVisit: number;
}

/** Runs in the caller's write transaction. Clicks of a deleted URL are dropped. */
export function recordClicks(rows: AccountRows, clicks: readonly Click[]): void {
  for (const [day, ofDay] of byDay(clicks)) recordDay(rows, day, ofDay);
}

function recordDay(rows: AccountRows, day: number, clicks: readonly Click[]): void {
  const totals = new Map<number, ClickTotals>();
  const visitorOf = visitorNumbers(rows.salt);
  for (const click of clicks) {
    const sums = totals.get(click.urlId) ?? { total: 0, counted: 0, unique: 0, lastVisit: 0 };
    totals.set(click.urlId, sums);
    sums.total++;
    if (click.isCounted) sums.counted++;
    sums.lastVisit = Math.max(sums.lastVisit, click.time);
    if (addVisitor(rows, click.urlId, visitorOf(click.visitor), day)) sums.unique++;
  }
  for (const [id, sums] of totals) if (!addClickTotals(rows, id, day, sums)) forgetVisitorsOf(rows, id);
}

/** Runs in the caller's write transaction. */
export function countClick({ connection, accountId }: AccountRows, urlId: number): boolean {
  const { changes } = connection
    .sql('UPDATE urls SET total_clicks = total_clicks + 1 WHERE account_id = ? AND id = ? AND total_clicks < max_clicks')
    .run(accountId, urlId);
  return Number(changes) > 0;
}

/** Returns false for a known visitor. */
function addVisitor({ connection, accountId }: AccountRows, urlId: number, visitor: number, day: number): boolean {
  const { changes } = connection
    .sql('INSERT INTO visitors (account_id, url_id, visitor, seen) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING')
    .run(accountId, urlId, visitor, day);
  return Number(changes) > 0;
}

/** Returns false for a deleted URL. */
function addClickTotals({ connection, accountId }: AccountRows, id: number, day: number, sums: ClickTotals): boolean {
  const { changes } = connection
    .sql(
      `UPDATE urls SET total_clicks = total_clicks + ?1 - ?7, unique_clicks = unique_clicks + ?2, last_visit = max(coalesce(last_visit, 0), ?3),
         day_total = iif(day = ?4, day_total, 0) + ?1, day_fresh = iif(day = ?4, day_fresh, 0) + ?2, day = ?4
       WHERE account_id = ?5 AND id = ?6`,
    )
    .run(sums.total, sums.unique, sums.lastVisit, day, accountId, id, sums.counted);
  return Number(changes) > 0;
}

export function forgetVisitors({ connection, accountId }: AccountRows, day: number, after: number): number | undefined {
  const last = connection
    .sql('SELECT url_id AS last FROM visitors WHERE account_id = ? AND url_id > ? ORDER BY url_id LIMIT 1 OFFSET ?')
    .get<{ last: number }>(accountId, after, visitorsPerStep)?.last;
  connection
    .sql('DELETE FROM visitors WHERE account_id = ? AND url_id > ? AND url_id <= ? AND seen < ?')
    .run(accountId, after, last ?? Number.MAX_SAFE_INTEGER, day);
  return last;
}

function forgetVisitorsOf({ connection, accountId }: AccountRows, urlId: number): void {
  connection.sql('DELETE FROM visitors WHERE account_id = ? AND url_id = ?').run(accountId, urlId);
}
