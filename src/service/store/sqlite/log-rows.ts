import type { StoredLogEntry } from '../store.ts';
import { logRetention } from '../store-options.ts';
import type { AccountRows } from './account-rows.ts';

/** Runs in the caller's write transaction. Deletes expired entries. */
export function appendLog(rows: AccountRows, entry: Omit<StoredLogEntry, 'time'>): void {
  const { connection, accountId } = rows;
  const now = rows.now();
  connection
    .sql('INSERT INTO log (account_id, time, type, message, object_url) VALUES (?, ?, ?, ?, ?)')
    .run(accountId, now, entry.type, entry.message, entry.objectUrl);
  connection.sql('DELETE FROM log WHERE account_id = ? AND time < ?').run(accountId, now - logRetention);
}

/** Hides expired entries that no later entry has deleted yet. */
export function listLog(rows: AccountRows, offset: number, limit: number): { entries: StoredLogEntry[]; total: number } {
  const { connection, accountId } = rows;
  const oldest = rows.now() - logRetention;
  const entries = connection
    .sql(
      `SELECT time, type, message, object_url AS objectUrl FROM log WHERE account_id = ? AND time >= ?
       ORDER BY time DESC, id DESC LIMIT ? OFFSET ?`,
    )
    .all<StoredLogEntry>(accountId, oldest, limit, offset);
  const total = connection.count('SELECT count(*) AS count FROM log WHERE account_id = ? AND time >= ?', accountId, oldest);
  return { entries, total };
}
