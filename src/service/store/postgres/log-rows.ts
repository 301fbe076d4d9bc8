import { idOfTime } from '../ids.ts';
import { retentionMilliseconds } from '../log.ts';
import type { StoredLogEntry } from '../store.ts';
import type { AccountRows } from './account-rows.ts';

/** Adds an entry, and drops what has grown too old, inside the caller's transaction. */
export async function appendLog({ queries, accountId, now }: AccountRows, entry: Omit<StoredLogEntry, 'time'>): Promise<void> {
  const time = now();
  await queries.run(
    `WITH old AS (DELETE FROM log WHERE account_id = ? AND time < ?)
     INSERT INTO log (account_id, id, time, type, message, object_url)
     SELECT CAST(? AS BIGINT), greatest(CAST(? AS BIGINT), coalesce(max(id), 0) + 1), CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT)
     FROM log WHERE account_id = ?`,
    accountId,
    time - retentionMilliseconds,
    accountId,
    idOfTime(time),
    time,
    entry.type,
    entry.message,
    entry.objectUrl,
    accountId,
  );
}

/** Entries that have grown too old are not shown even when nothing was written since. */
export async function listLog(
  { queries, accountId, now }: AccountRows,
  offset: number,
  limit: number,
): Promise<{ entries: StoredLogEntry[]; total: number }> {
  const oldest = now() - retentionMilliseconds;
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
