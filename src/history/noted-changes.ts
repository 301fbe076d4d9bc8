import type { System } from '../base/system.ts';
import { type History, type HistoryAccount, hasHistory, openHistory } from './history-database.ts';

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
