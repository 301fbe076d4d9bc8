import { retentionMilliseconds } from '../log.ts';
import type { StoredLogEntry } from '../store.ts';
import type { AccountRows } from './account-rows.ts';

/** Adds an entry, and drops what has grown too old, inside the caller's write transaction. */
export function appendLog(rows: AccountRows, entry: Omit<StoredLogEntry, 'time'>): void {
  const { connection, accountId } = rows;
  const now = rows.now();
  connection
    .sql('INSERT INTO log (account_id, time, type, message, object_url) VALUES (?, ?, ?, ?, ?)')
    .run(accountId, now, entry.type, entry.message, entry.objectUrl);
  connection.sql('DELETE FROM log WHERE account_id = ? AND time < ?').run(accountId, now - retentionMilliseconds);
}

/** Entries that have grown too old are not shown even when nothing was written since. */
export function listLog(rows: AccountRows, offset: number, limit: number): { entries: StoredLogEntry[]; total: number } {
  const { connection, accountId } = rows;
  const oldest = rows.now() - retentionMilliseconds;
  const entries = connection
    .sql(
      `SELECT time, type, message, object_url AS objectUrl FROM log WHERE account_id = ? AND time >= ?
       ORDER BY time DESC, id DESC LIMIT ? OFFSET ?`,
    )
    .all<StoredLogEntry>(accountId, oldest, limit, offset);
  const total = connection.count('SELECT count(*) AS count FROM log WHERE account_id = ? AND time >= ?', accountId, oldest);
  return { entries, total };
}
