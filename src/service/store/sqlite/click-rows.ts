import type { Click, DayClicks, StoredDomain, Target } from '../store.ts';
import { visitorNumbers } from '../visitors.ts';
import type { AccountRows } from './account-rows.ts';

export function findTarget({ connection, accountId }: AccountRows, domain: StoredDomain, hash: string): Target | undefined {
  return connection
    .sql(
      `SELECT id, long_url AS longUrl, expiration_date AS expirationDate, max_clicks AS maxClicks, total_clicks AS totalClicks
       FROM urls WHERE account_id = ? AND domain_id = ? AND hash = ?`,
    )
    .get<Target>(accountId, domain.id, hash);
}

const dayLength = 86_400_000;

export function clicksOfDays({ connection, accountId }: AccountRows, urlId: number): DayClicks[] {
  return connection
    .sql(
      `SELECT day, sum(total) AS total, sum(fresh) AS fresh FROM (
         SELECT day, total, fresh FROM daily_clicks WHERE account_id = ?1 AND url_id = ?2
         UNION ALL SELECT day, day_total, day_fresh FROM urls WHERE account_id = ?1 AND id = ?2 AND day_total > 0)
       GROUP BY day ORDER BY day`,
    )
    .all<{ day: number; total: number; fresh: number }>(accountId, urlId)
    .map(({ day, total, fresh }) => ({ day: new Date(day * dayLength).toISOString().slice(0, 10), total, unique: fresh }));
}

/** Clicks of one URL, added up. */
interface Gain {
  total: number;
  unique: number;
  lastVisit: number;
}

/** Adds clicks inside the caller's write transaction. A URL that is gone by now loses its clicks with it. */
export function recordClicks(rows: AccountRows, clicks: readonly Click[]): void {
  const dayOf = ({ time }: Click): number => Math.floor(time / dayLength);
  // Those of one transaction are of one day, or of two at midnight.
  for (const day of new Set(clicks.map(dayOf))) {
    recordDay(
      rows,
      day,
      clicks.filter((click) => dayOf(click) === day),
    );
  }
}

function recordDay(rows: AccountRows, day: number, clicks: readonly Click[]): void {
  const gains = new Map<number, Gain>();
  const visitorOf = visitorNumbers(rows.salt);
  for (const click of clicks) {
    const gain = gains.get(click.urlId) ?? { total: 0, unique: 0, lastVisit: 0 };
    gains.set(click.urlId, gain);
    gain.total++;
    gain.lastVisit = Math.max(gain.lastVisit, click.time);
    if (addVisitor(rows, click.urlId, visitorOf(click.visitor))) gain.unique++;
  }
  for (const [id, gain] of gains) if (!addGain(rows, id, day, gain)) forgetVisitors(rows, id);
}

/** See `Store`. Inside the caller's write transaction. */
export function countClick(rows: AccountRows, click: Click): boolean {
  const isLeft = 'SELECT count(*) AS count FROM urls WHERE account_id = ? AND id = ? AND total_clicks < max_clicks';
  if (rows.connection.count(isLeft, rows.accountId, click.urlId) === 0) return false;
  recordClicks(rows, [click]);
  return true;
}

/** Whether the visitor is new to the URL. */
function addVisitor({ connection, accountId }: AccountRows, urlId: number, visitor: number): boolean {
  const { changes } = connection
    .sql('INSERT INTO visitors (account_id, url_id, visitor) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
    .run(accountId, urlId, visitor);
  return Number(changes) > 0;
}

/** Whether the URL is still there. */
function addGain({ connection, accountId }: AccountRows, id: number, day: number, gain: Gain): boolean {
  const { changes } = connection
    .sql(
      `UPDATE urls SET total_clicks = total_clicks + ?1, unique_clicks = unique_clicks + ?2, last_visit = max(coalesce(last_visit, 0), ?3),
         day_total = iif(day = ?4, day_total, 0) + ?1, day_fresh = iif(day = ?4, day_fresh, 0) + ?2, day = ?4
       WHERE account_id = ?5 AND id = ?6`,
    )
    .run(gain.total, gain.unique, gain.lastVisit, day, accountId, id);
  return Number(changes) > 0;
}

function forgetVisitors({ connection, accountId }: AccountRows, urlId: number): void {
  connection.sql('DELETE FROM visitors WHERE account_id = ? AND url_id = ?').run(accountId, urlId);
}
