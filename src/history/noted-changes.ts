import type { System } from '../base/system.ts';
import type { Connection } from '../files/sqlite.ts';
import type { Span } from './clicks.ts';
import { type History, type HistoryAccount, hasHistory, openHistory, readHistory } from './history-database.ts';

/** A change of this tool after which the counters of a link restart or its hash is different. */
export interface NotedChange {
  readonly kind: 'reset' | 'deleted' | 'renamed';
  /** The row in its run. */
  readonly row: number;
  readonly hash: string;
  /** Undefined for the default domain. */
  readonly domain?: string | undefined;
  /** The counters right before the change, if known. */
  readonly total?: number | undefined;
  readonly unique?: number | undefined;
  /** For `renamed`. */
  readonly newHash?: string | undefined;
}

interface ChangesOfRun {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The run that made the changes. A resumed run may report a row again. */
  readonly run: string;
  readonly changes: readonly NotedChange[];
}

/** Notes changes in the history of an account, if it has one. It stays open until `close`, because a run may note a thousand batches. */
export function changeNotes(account: HistoryAccount, system: System) {
  let opened: Promise<History> | undefined;
  return {
    /** The changes are stored on return; the next reading applies them. Throws a `LocalError`. */
    async add({ at, run, changes }: ChangesOfRun): Promise<void> {
      if (changes.length === 0 || !hasHistory(account, system)) return;
      opened ??= openHistory(account, system);
      const history = await opened.catch((error: unknown) => {
        // The next batch tries again.
        opened = undefined;
        throw error;
      });
      history.work('write', (connection) => {
        const add = connection.sql(
          `INSERT OR IGNORE INTO changes (at, run, row, kind, hash, domain, total, unique_total, new_hash)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        );
        for (const { row, kind, hash, domain, total, unique, newHash } of changes) {
          add.run(at, run, row, kind, hash, domain ?? null, total ?? null, unique ?? null, newHash ?? null);
        }
      });
    },
    async close(): Promise<void> {
      (await opened)?.close();
    },
  };
}

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
