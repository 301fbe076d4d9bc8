import { dayLength } from '../../../base/times.ts';
import { idOfTime } from '../click-days.ts';
import type { LogMessage } from '../store.ts';
import type { AccountRows } from './account-rows.ts';
import { type Aggregated, aggregated, only } from './queries.ts';

/** Older entries are deleted (section 8). */
const logRetention = 30 * dayLength;

/** Runs in the caller's transaction. Deletes expired entries. */
export async function appendLog({ queries, accountId, now }: AccountRows, entry: LogMessage): Promise<void> {
  const time = now();
  const id = idOfTime(time);
  await queries.together([
    { sql: 'DELETE FROM log WHERE account_id = ? AND time < ?', values: [accountId, time - logRetention] },
    {
      sql: `INSERT INTO log (account_id, time, type, message, object_url, id)
        SELECT CAST(? AS BIGINT), CAST(? AS BIGINT), 'notification', CAST(? AS TEXT), CAST(? AS TEXT),
          CASE WHEN max(id) >= ? THEN max(id) + 1 ELSE ? END FROM log WHERE ${queries.dialect.idScope}`,
      values: [accountId, time, entry.message, entry.objectUrl ?? null, id, id, accountId],
    },
  ]);
}

/** Hides expired entries that no later entry has deleted yet. */
export async function listLog({ queries, accountId, now }: AccountRows, offset: number, limit: number) {
  const { jsonAggregate, jsonList } = queries.dialect;
  const unexpired = [accountId, now() - logRetention];
  const { entries, total } = only(
    await queries.all<{
      total: number;
      entries: Aggregated<[time: number, message: string, objectUrl: string | null]>;
    }>(
      `SELECT (SELECT count(*) FROM log WHERE account_id = ? AND time >= ?) AS total,
         (SELECT ${jsonAggregate}(${jsonList}(time, message, object_url)) FROM (
           SELECT * FROM log WHERE account_id = ? AND time >= ? ORDER BY time DESC, id DESC LIMIT ? OFFSET ?
         ) AS page) AS entries`,
      ...[...unexpired, ...unexpired, limit, offset],
    ),
  );
  return { entries: aggregated(entries).map(([time, message, objectUrl]) => ({ time, message, objectUrl })), total };
}
