import { idOfTime } from '../ids.ts';
import type { StoredLogEntry } from '../store.ts';
import { logRetention } from '../store-options.ts';
import type { AccountRows } from './account-rows.ts';

/** Runs in the caller's transaction. Deletes expired entries. */
export async function appendLog({ queries, accountId, now }: AccountRows, entry: Omit<StoredLogEntry, 'time'>): Promise<void> {
  const time = now();
  await queries.run(
    `WITH old AS (DELETE FROM log WHERE account_id = ? AND time < ?)
     INSERT INTO log (account_id, id, time, type, message, object_url)
     SELECT CAST(? AS BIGINT), greatest(CAST(? AS BIGINT), coalesce(max(id), 0) + 1), CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT)
     FROM log WHERE account_id = ?`,
    accountId,
    time - logRetention,
    accountId,
    idOfTime(time),
    time,
    entry.type,
    entry.message,
    entry.objectUrl,
    accountId,
  );
}

/** Hides expired entries that no later entry has deleted yet. */
export async function listLog(
  { queries, accountId, now }: AccountRows,
  offset: number,
  limit: number,
): Promise<{ entries: StoredLogEntry[]; total: number }> {
  const oldest = now() - logRetention;
  const [entries, counted] = await Promise.all([
    queries.all<StoredLogEntry>(
      `SELECT time, type, message, object_url AS "objectUrl" FROM log WHERE account_id = ? AND time >= ?
       ORDER BY time DESC, id DESC LIMIT ? OFFSET ?`,
      accountId,
      oldest,
      limit,
      offset,
    ),
    queries.first<{ count: number }>('SELECT count(*) AS count FROM log WHERE account_id = ? AND time >= ?', accountId, oldest),
  ]);
  return { entries, total: counted?.count ?? 0 };
}
