import type { System } from '../base/system.ts';
import type { Connection } from '../files/sqlite.ts';
import type { Span } from './clicks.ts';
import { type HistoryAccount, hasHistory, openHistory } from './database.ts';

/** What this tool did to a link. */
export interface NotedChange {
  readonly kind: 'reset' | 'deleted' | 'renamed';
  /** The row of its run. */
  readonly row: number;
  readonly hash: string;
  /** As listed; undefined for the account's default domain, or its only one. */
  readonly domain?: string | undefined;
  /** Its counters right before, where they are known. */
  readonly total?: number | undefined;
  readonly unique?: number | undefined;
  /** Of a renamed link. */
  readonly newHash?: string | undefined;
}

interface ChangesOfRun {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** What it was done by. A resumed run may say the same of a row once more. */
  readonly run: string;
  readonly changes: readonly NotedChange[];
}

/** Adds changes to the history of an account, if there is one; stored when it returns. The next reading takes them in. Throws a `LocalError`. */
export async function noteChanges({ at, run, changes }: ChangesOfRun, account: HistoryAccount, system: System): Promise<void> {
  if (changes.length === 0 || !hasHistory(account, system)) return;
  const history = await openHistory(account, system);
  try {
    history.work('write', (connection) => {
      const add = connection.sql(
        `INSERT OR IGNORE INTO changes (at, run, row, kind, hash, domain, total, unique_total, new_hash)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      );
      for (const { row, kind, hash, domain, total, unique, newHash } of changes) {
        add.run(at, run, row, kind, hash, domain ?? null, total ?? null, unique ?? null, newHash ?? null);
      }
    });
  } finally {
    history.close();
  }
}

/** A change as it is stored: null where something is not known. */
export interface StoredChange extends Pick<NotedChange, 'kind' | 'hash'> {
  readonly at: number;
  readonly domain: string | null;
  readonly total: number | null;
  readonly unique: number | null;
  readonly newHash: string | null;
}

const columns = 'at, kind, hash, domain, total, unique_total AS "unique", new_hash AS newHash';

/** The changes that no reading has taken in, in their order; from then on the reading of that number has. */
export function takeChanges(connection: Connection, reading: number): StoredChange[] {
  const changes = connection.sql(`SELECT ${columns} FROM changes WHERE reading IS NULL ORDER BY id`).all<StoredChange>();
  connection.sql('UPDATE changes SET reading = ? WHERE reading IS NULL').run(reading);
  return changes;
}

/** The changes of a time; none without a history. Throws a `LocalError`. */
export async function changesBetween({ since, until }: Span, account: HistoryAccount, system: System): Promise<StoredChange[]> {
  if (!hasHistory(account, system)) return [];
  const history = await openHistory(account, system);
  try {
    const query = `SELECT ${columns} FROM changes WHERE at >= ? AND at < ? ORDER BY id`;
    return history.work('read', (connection) => connection.sql(query).all<StoredChange>(since, until));
  } finally {
    history.close();
  }
}
