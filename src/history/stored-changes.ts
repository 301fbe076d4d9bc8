import type { System } from '../base/system.ts';
import type { Connection } from '../files/sqlite.ts';
import type { Span } from './clicks.ts';
import type { HistoryAccount } from './history-database.ts';
import { readHistory } from './history-reader.ts';
import type { NotedChange } from './noted-changes.ts';

/** Null means unknown. */
export interface StoredChange extends Pick<NotedChange, 'kind' | 'hash'> {
  /** Grows with each change that is noted. */
  readonly id: number;
  readonly at: number;
  readonly domain: string | null;
  readonly total: number | null;
  readonly unique: number | null;
  readonly newHash: string | null;
}

const columns = 'id, at, kind, hash, domain, total, unique_total AS "unique", new_hash AS newHash';

/** Returns the changes that no reading has applied yet, in order, and assigns them to this reading. */
export function takeChanges(connection: Connection, reading: number): StoredChange[] {
  const changes = connection.sql(`SELECT ${columns} FROM changes WHERE reading IS NULL ORDER BY id`).all<StoredChange>();
  connection.sql('UPDATE changes SET reading = ? WHERE reading IS NULL').run(reading);
  return changes;
}

/** The ID of the change that was noted last; 0 if there is none. */
export function newestChange(connection: Connection): number {
  return connection.count('SELECT MAX(id) AS count FROM changes');
}

/** Empty without a history. Throws a `LocalError`. */
export async function changesBetween({ since, until }: Span, account: HistoryAccount, system: System): Promise<StoredChange[]> {
  const query = `SELECT ${columns} FROM changes WHERE at >= ? AND at < ? ORDER BY id`;
  const changes = await readHistory(account, system, (open) => open.sql(query).all<StoredChange>(since, until));
  return changes ?? [];
}
