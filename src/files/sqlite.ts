import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

type Value = string | number | null;

/** The part of `node:sqlite` that is used here; `@photostructure/sqlite` has the same. Who writes a query names the type of its rows. */
interface Statement {
  run(...values: Value[]): { changes: number | bigint };
  get<Row>(...values: Value[]): Row | undefined;
  all<Row>(...values: Value[]): Row[];
}

interface Engine {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

/** One open file of the engine, with its statements prepared when first used. */
export class Connection {
  readonly #engine: Engine;
  readonly #statements = new Map<string, Statement>();
  #isViewing = false;
  #isSynced = false;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** A statement kept for the next time: only for texts that are written in the source. */
  sql(text: string): Statement {
    let statement = this.#statements.get(text);
    if (!statement) {
      statement = this.#engine.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }

  /** The `count` that a query answers with; 0 without an answer. */
  count(text: string, ...values: Value[]): number {
    return this.sql(text).get<{ count: number }>(...values)?.count ?? 0;
  }

  /** A statement of a text made at run time. */
  prepare(text: string): Statement {
    return this.#engine.prepare(text);
  }

  exec(text: string): void {
    this.#engine.exec(text);
  }

  /** Runs `work` on one unchanging view of the data. */
  read<T>(work: () => T): T {
    return this.#transaction('BEGIN', work);
  }

  /**
   * Runs `work` as the only writer of all processes; what it did is stored when this returns, and undone when it throws. Synced, it is on
   * the disk by then, and a power cut does not take it; else only a kill does not.
   */
  write<T>(work: () => T, { isSynced = true } = {}): T {
    this.#endView();
    if (isSynced !== this.#isSynced) this.exec(`PRAGMA synchronous=${isSynced ? 'FULL' : 'NORMAL'}`);
    this.#isSynced = isSynced;
    return this.#transaction('BEGIN IMMEDIATE', work);
  }

  /**
   * Runs a query of one row. Those of one turn of the event loop share a view of the data: the locks that a view takes cost more than the
   * query itself. What changes data goes through `write`, which ends the view first.
   */
  lookUp<T>(work: () => T): T {
    if (!this.#isViewing) {
      this.sql('BEGIN').run();
      this.#isViewing = true;
      setImmediate(() => this.#endView());
    }
    return work();
  }

  close(): void {
    this.#endView();
    this.#statements.clear();
    this.#engine.close();
  }

  #endView(): void {
    if (!this.#isViewing) return;
    this.#isViewing = false;
    this.sql('COMMIT').run();
  }

  #transaction<T>(begin: string, work: () => T): T {
    this.#endView();
    this.sql(begin).run();
    try {
      const result = work();
      this.sql('COMMIT').run();
      return result;
    } catch (error) {
      try {
        this.sql('ROLLBACK').run();
      } catch {
        // A full disk has rolled back already; the first error is the one that matters.
      }
      throw error;
    }
  }
}

/** Opens `name` in `directory`, both made where missing and readable by their owner alone; without a directory, in memory. */
export async function openConnection(directory: string | undefined, name: string): Promise<Connection> {
  const { DatabaseSync } = await importEngine();
  if (directory === undefined) return new Connection(new DatabaseSync(':memory:'));
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, name);
  closeSync(openSync(file, 'a', 0o600));
  return retryWhileBusy(() => openFile(DatabaseSync, file));
}

/** Whether the engine gave up waiting for another process. */
function isBusy(error: unknown): boolean {
  const code: unknown = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  // The low byte is the primary code: 5 SQLITE_BUSY, with its extended forms for recovery and snapshots.
  return typeof code === 'number' && (code & 0xff) === 5;
}

/** Milliseconds that one process waits for another. */
const patience = 5000;

type EngineConstructor = new (file: string) => Engine;

function openFile(DatabaseSync: EngineConstructor, file: string): Connection {
  const engine = new DatabaseSync(file);
  try {
    engine.exec(`PRAGMA busy_timeout=${patience}`);
    engine.exec('PRAGMA journal_mode=WAL');
    // The checkpoint bound makes inserts 2.8 times as fast.
    engine.exec('PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=10000; PRAGMA temp_store=MEMORY; PRAGMA cache_size=-65536');
    return new Connection(engine);
  } catch (error) {
    engine.close();
    throw error;
  }
}

/** The change to WAL mode ignores busy_timeout when two processes make the file at once. */
async function retryWhileBusy<T>(work: () => T): Promise<T> {
  for (let waited = 0; ; waited += 20) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || waited >= patience) throw error;
      await delay(20);
    }
  }
}

async function importEngine(): Promise<{ DatabaseSync: EngineConstructor }> {
  // In a variable because the types of Node 20 do not know the module.
  const builtin = 'node:sqlite';
  try {
    return await import(builtin);
  } catch {
    return importSubstitute();
  }
}

async function importSubstitute(): Promise<{ DatabaseSync: EngineConstructor }> {
  try {
    return (await import('@photostructure/sqlite')) as { DatabaseSync: EngineConstructor };
  } catch (cause) {
    throw new Error('cannot load SQLite: use Node 22.13 or later, or install the optional package @photostructure/sqlite', {
      cause,
    });
  }
}
