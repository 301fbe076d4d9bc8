import { hash as digest } from 'node:crypto';
import { grouped } from '../../../base/group-by.ts';
import { dayLength, utcDay } from '../../../base/times.ts';
import { dayOf } from '../click-days.ts';
import type { Click, StoredDomain, Target, UrlStats } from '../store.ts';
import type { AccountRows, OwnRows } from './account-rows.ts';
import { type Aggregated, aggregated, only } from './queries.ts';

const targetColumns = `u.id, u.long_url AS "longUrl", u.expiration_date AS "expirationDate", u.max_clicks AS "maxClicks",
  u.total_clicks AS "totalClicks"`;

export function findTarget({ queries, accountId }: OwnRows, domain: StoredDomain, hash: string): Promise<Target | undefined> {
  const text = `SELECT ${targetColumns} FROM urls AS u WHERE u.account_id = ? AND u.domain_id = ? AND u.hash = ?`;
  return queries.first<Target>(text, accountId, domain.id, hash);
}

export interface Visited {
  readonly domain: StoredDomain;
  readonly hash: string;
}

/** In the order of `visited`, which may repeat. */
export async function findTargets({ queries, accountId }: OwnRows, visited: readonly Visited[]): Promise<(Target | undefined)[]> {
  const wanted = queries.dialect.table(
    'wanted',
    { position: 'BIGINT', domain_id: 'BIGINT', hash: 'TEXT' },
    visited.map(({ domain, hash }, position) => ({ position, domain_id: domain.id, hash })),
  );
  const text = `SELECT wanted.position, ${targetColumns}
    FROM ${wanted.sql} JOIN urls AS u ON u.account_id = ? AND u.domain_id = wanted.domain_id AND u.hash = wanted.hash`;
  const found = await queries.all<Target & { position: number }>(text, ...wanted.values, accountId);
  const targets: (Target | undefined)[] = visited.map(() => undefined);
  for (const { position, ...target } of found) targets[position] = target;
  return targets;
}

/** A single statement is a transaction of its own. */
export async function countClick({ queries, accountId }: OwnRows, urlId: number): Promise<boolean> {
  const text = 'UPDATE urls SET total_clicks = total_clicks + 1 WHERE account_id = ? AND id = ? AND total_clicks < max_clicks';
  return (await queries.run(text, accountId, urlId)) > 0;
}

/** One statement, so that the days add up to the counters. */
export async function findStats(
  { queries, accountId }: OwnRows,
  domain: StoredDomain,
  hash: string,
): Promise<UrlStats | undefined> {
  const { jsonAggregate, jsonList } = queries.dialect;
  const found = await queries.first<Omit<UrlStats, 'days'> & { days: Aggregated<[day: number, total: number, fresh: number]> }>(
    `SELECT u.total_clicks AS "totalClicks", u.unique_clicks AS "uniqueClicks",
       (SELECT ${jsonAggregate}(${jsonList}(day, total, fresh)) FROM (SELECT day, sum(total) AS total, sum(fresh) AS fresh FROM (
         SELECT d.day, d.total, d.fresh FROM daily_clicks AS d WHERE d.account_id = ? AND d.url_id = u.id
         UNION ALL SELECT u.day, u.day_total, u.day_fresh WHERE u.day_total > 0
       ) AS days GROUP BY day ORDER BY day) AS sorted) AS days
     FROM urls AS u WHERE u.account_id = ? AND u.domain_id = ? AND u.hash = ?`,
    ...[accountId, accountId, domain.id, hash],
  );
  if (!found) return undefined;
  const days = aggregated(found.days).map(([day, total, unique]) => ({ day: utcDay(day * dayLength), total, unique }));
  return { ...found, days };
}

/** Rows of visitors that one step examines. */
const visitorsPerStep = 10_000;

export async function forgetVisitors({ queries, accountId }: OwnRows, day: number, after: number): Promise<number | undefined> {
  const row = await queries.first<{ last: number }>(
    'SELECT url_id AS last FROM visitors WHERE account_id = ? AND url_id > ? ORDER BY url_id LIMIT 1 OFFSET ?',
    ...[accountId, after, visitorsPerStep],
  );
  const text = 'DELETE FROM visitors WHERE account_id = ? AND url_id > ? AND url_id <= ? AND seen < ?';
  await queries.run(text, accountId, after, row?.last ?? Number.MAX_SAFE_INTEGER, day);
  return row?.last;
}

/** Runs in the caller's transaction. Clicks of a deleted URL are dropped. They are of one UTC day, or of two at midnight. */
export async function recordClicks(rows: AccountRows, clicks: readonly Click[]): Promise<void> {
  for (const [day, ofDay] of grouped(clicks, ({ time }) => dayOf(time))) await recordDay(rows, day, ofDay);
}

async function recordDay(rows: AccountRows, day: number, clicks: readonly Click[]): Promise<void> {
  const stored = await lockUrls(rows, [...new Set(clicks.map(({ urlId }) => urlId))]);
  const counted = clicks.filter(({ urlId, isCounted }) => {
    const url = stored.get(urlId);
    // Clicks that a reset has removed from the counter meanwhile are dropped.
    return url && (!isCounted || url.unstored-- > 0);
  });
  const totals = totalsOf(day, counted);
  for (const urlId of await addVisitors(rows, day, counted)) {
    const sums = totals.get(urlId);
    if (sums) sums.fresh += 1;
  }
  const isOver = [...stored].filter(([, url]) => url.day !== day && url.ofDay > 0).map(([id]) => id);
  if (isOver.length > 0 && !rows.queries.dialect.archivesDays) await archiveDays(rows, isOver);
  if (totals.size > 0) await addClickTotals(rows, [...totals.values()]);
}

/** The clicks of one URL, of which `counted` are in its counter already. */
type ClickTotals = Record<keyof typeof totalColumns, number>;

const number = 'BIGINT';
const totalColumns = { id: number, day: number, total: number, counted: number, fresh: number, last_visit: number } as const;

function totalsOf(day: number, clicks: readonly Click[]): Map<number, ClickTotals> {
  const totals = new Map<number, ClickTotals>();
  for (const { urlId, time, isCounted } of clicks) {
    const sums = totals.get(urlId) ?? { id: urlId, day, total: 0, counted: 0, fresh: 0, last_visit: 0 };
    totals.set(urlId, sums);
    sums.total += 1;
    sums.counted += Number(isCounted);
    sums.last_visit = Math.max(sums.last_visit, time);
  }
  return totals;
}

/** All transactions lock in the order of ids, because a deadlock costs a second. */
async function lockUrls({ queries: { all, dialect }, accountId }: OwnRows, ids: readonly number[]) {
  const { jsonAggregate, jsonList, urlsAmong, forUpdate } = dialect;
  const locked = `SELECT u.id, u.day, u.day_total, u.total_clicks ${urlsAmong('id')} ORDER BY u.id ${forUpdate}`;
  const text = `SELECT ${jsonAggregate}(${jsonList}(id, day, day_total, total_clicks)) AS urls FROM (${locked}) AS locked`;
  const found = await all<{ urls: Aggregated<[id: number, day: number, ofDay: number, total: number]> }>(text, ids, accountId);
  // After a reset the last day has all stored clicks, and the rest of the counter are those to come.
  return new Map(aggregated(only(found).urls).map(([id, day, ofDay, total]) => [id, { day, ofDay, unstored: total - ofDay }]));
}

/** Stores a salted number per visitor, which reveals neither address nor user agent. Returns one entry per new visitor of a URL. */
async function addVisitors({ queries, accountId, salt }: AccountRows, day: number, clicks: readonly Click[]): Promise<number[]> {
  // A crawler follows many links at once.
  const numbers = new Map<string, number>();
  const pairs = new Map<string, { url_id: number; visitor: number }>();
  for (const { urlId, visitor } of clicks) {
    const number = numbers.get(visitor) ?? digest('sha256', `${salt}\n${visitor}`, 'buffer').readUIntBE(0, 6);
    numbers.set(visitor, number);
    pairs.set(`${urlId} ${number}`, { url_id: urlId, visitor: number });
  }
  const seen = queries.dialect.table('seen', { url_id: 'BIGINT', visitor: 'BIGINT' }, [...pairs.values()]);
  const text = `INSERT INTO visitors (account_id, seen, url_id, visitor) SELECT CAST(? AS BIGINT), CAST(? AS BIGINT), url_id, visitor
    FROM ${seen.sql} WHERE TRUE ON CONFLICT DO NOTHING RETURNING url_id`;
  return (await queries.all<{ url_id: number }>(text, accountId, day, ...seen.values)).map(({ url_id }) => url_id);
}

/** Moves the last day of URLs to the earlier days when a new day begins. */
async function archiveDays({ queries, accountId }: OwnRows, ids: readonly number[]): Promise<void> {
  await queries.run(
    `INSERT INTO daily_clicks AS d (account_id, url_id, day, total, fresh)
     SELECT u.account_id, u.id, u.day, u.day_total, u.day_fresh ${queries.dialect.urlsAmong('id')}
     ON CONFLICT (account_id, url_id, day) DO UPDATE SET total = d.total + excluded.total, fresh = d.fresh + excluded.fresh`,
    ...[ids, accountId],
  );
}

async function addClickTotals({ queries, accountId }: OwnRows, totals: readonly ClickTotals[]): Promise<void> {
  const { dialect } = queries;
  const g = dialect.table('g', totalColumns, totals);
  await queries.run(
    `UPDATE urls AS u ${dialect.byId} SET total_clicks = u.total_clicks + g.total - g.counted, unique_clicks = u.unique_clicks + g.fresh,
       last_visit = CASE WHEN u.last_visit > g.last_visit THEN u.last_visit ELSE g.last_visit END,
       day_total = CASE WHEN u.day = g.day THEN u.day_total ELSE 0 END + g.total,
       day_fresh = CASE WHEN u.day = g.day THEN u.day_fresh ELSE 0 END + g.fresh, day = g.day
     FROM ${g.sql} WHERE u.account_id = ? AND u.id = g.id`,
    ...[...g.values, accountId],
  );
}
