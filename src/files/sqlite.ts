import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

type Value = string | number | null;

/** The part of `node:sqlite` that is used here; `@photostructure/sqlite` has the same. The author of a query names the type of its rows. */
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

/** Statements are prepared on first use. */
export class Connection {
  readonly #engine: Engine;
  readonly #statements = new Map<string, Statement>();
  #isViewing = false;
  #isSynced = false;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Keeps the statements that were used last. */
  sql(text: string): Statement {
    const statement = this.#statements.get(text) ?? this.#engine.prepare(text);
    this.#statements.delete(text);
    this.#statements.set(text, statement);
    if (this.#statements.size > keptStatements) this.#statements.delete(this.#statements.keys().next().value ?? '');
    return statement;
  }

  /** Returns the column `count` of the first row, or 0. */
  count(text: string, ...values: Value[]): number {
    return this.sql(text).get<{ count: number }>(...values)?.count ?? 0;
  }

  exec(text: string): void {
    this.#engine.exec(text);
  }

  /** Begins a transaction on one snapshot, or as the only writer. A synced write survives a power cut; any other survives only a kill. */
  begin(mode: 'read' | 'write', { isSynced = true } = {}): void {
    this.#endView();
    if (mode === 'write' && isSynced !== this.#isSynced) {
      this.exec(`PRAGMA synchronous=${isSynced ? 'FULL' : 'NORMAL'}`);
      this.#isSynced = isSynced;
    }
    this.sql(mode === 'write' ? 'BEGIN IMMEDIATE' : 'BEGIN').run();
  }

  commit(): void {
    this.sql('COMMIT').run();
  }

  rollback(): void {
    try {
      this.sql('ROLLBACK').run();
    } catch {
      // SQLite has rolled back already, such as on a full disk. The first error is the one to report.
    }
  }

  /** Runs `work` on one snapshot of the data. */
  read<T>(work: () => T): T {
    this.begin('read');
    return this.#end(work);
  }

  /** Runs `work` as the only writer among all processes, and rolls back if it throws. */
  write<T>(work: () => T): T {
    this.begin('write');
    return this.#end(work);
  }

  /**
   * Queries of one turn of the event loop share a snapshot, because its locks cost more than a query of one row. Changes go through
   * `write`, which ends the snapshot first.
   */
  query<T>(work: () => T): T {
    if (!this.#isViewing) {
      this.sql('BEGIN').run();
      this.#isViewing = true;
      setImmediate(() => this.#endView());
    }
    return work();
  }

  /** From now on a statement fails at once if another connection has the lock, instead of blocking the thread. For `retryWhileBusy`. */
  neverWait(): void {
    this.exec('PRAGMA busy_timeout=0');
  }

  /** Moves what was written into the one file, so that copies of it are complete. */
  close(): void {
    this.#endView();
    this.#statements.clear();
    try {
      this.neverWait();
      this.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // On a full disk. What was written is safe in the file beside it, until the next connection moves it.
    }
    this.#engine.close();
  }

  #endView(): void {
    if (!this.#isViewing) return;
    this.#isViewing = false;
    // A view changes nothing, and a commit would report an error of its queries once more, to nobody.
    this.rollback();
  }

  #end<T>(work: () => T): T {
    try {
      const result = work();
      this.commit();
      return result;
    } catch (error) {
      this.rollback();
      throw error;
    }
  }
}

/** More than there are constant texts. Others are built of what is asked, such as a tag expression. */
const keptStatements = 100;

/** Creates the directory and the file if they are missing, readable by their owner alone. Without a directory the database is in memory. */
export async function openConnection(directory: string | undefined, name: string): Promise<Connection> {
  const { DatabaseSync } = await importEngine();
  if (directory === undefined) return new Connection(new DatabaseSync(':memory:'));
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, name);
  closeSync(openSync(file, 'a', 0o600));
  // The switch to WAL mode ignores busy_timeout if two processes create the file at once. In all other cases SQLite has waited already.
  return retryWhileBusy(() => openFile(DatabaseSync, file), lockTimeout);
}

/** SQLite's primary result code is the low byte of the extended one. */
function primaryCode(error: unknown): number | undefined {
  const code: unknown = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  if (typeof code === 'number') return code & 0xff;
  // The substitute omits the code if `all` fails.
  return error instanceof Error && error.message === 'database is locked' ? codes.busy : undefined;
}

const codes = { busy: 5, ioError: 10, cannotOpen: 14 };

/** Many network disks lack the locks or the shared memory that SQLite needs. */
function isRefusedByDisk(error: unknown): boolean {
  return Object.values(codes).includes(primaryCode(error) ?? 0);
}

/** `remedy` names the option that selects another folder. */
export function diskHint(error: unknown, remedy: string): string | undefined {
  if (!isRefusedByDisk(error)) return undefined;
  return `if this is a network disk: ${remedy} to a folder on a disk of this computer; otherwise, end the program that has the file`;
}

const lockTimeout = 5000;

/** Short, to meet the moments between the changes of a busy process. */
const retryInterval = 5;

type EngineConstructor = new (file: string) => Engine;

function openFile(DatabaseSync: EngineConstructor, file: string): Connection {
  try {
    // In WAL mode NORMAL loses nothing to kill -9, only to a power cut. The checkpoint bound makes inserts 2.8 times as fast.
    return openInMode(DatabaseSync, file, 'PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=10000');
  } catch (error) {
    if (primaryCode(error) === codes.busy || !isRefusedByDisk(error)) throw error;
    // WAL needs memory that processes share through a file. A process that has the database to itself can leave WAL mode without it.
    const withoutWal =
      'PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=DELETE; PRAGMA locking_mode=NORMAL; PRAGMA synchronous=FULL';
    return openInMode(DatabaseSync, file, withoutWal);
  }
}

function openInMode(DatabaseSync: EngineConstructor, file: string, mode: string): Connection {
  const engine = new DatabaseSync(file);
  try {
    engine.exec(`PRAGMA busy_timeout=${lockTimeout}`);
    // A new file accepts any mode, and only the first query fails.
    engine.exec(`${mode}; SELECT 1 FROM sqlite_schema`);
    engine.exec('PRAGMA temp_store=MEMORY; PRAGMA cache_size=-65536');
    return new Connection(engine);
  } catch (error) {
    engine.close();
    throw error;
  }
}

/** Runs `work` again for as many milliseconds as another connection has the lock, and lets the thread do other things in between. */
export async function retryWhileBusy<T>(work: () => T | Promise<T>, milliseconds: number): Promise<T> {
  const end = performance.now() + milliseconds;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (primaryCode(error) !== codes.busy || performance.now() > end) throw error;
      await delay(retryInterval);
    }
  }
}

async function importEngine(): Promise<{ DatabaseSync: EngineConstructor }> {
  // A variable because the types of Node 20 lack the module.
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
    const { code = '', message = '' } = Object(cause) as NodeJS.ErrnoException;
    const isMissing = code.endsWith('MODULE_NOT_FOUND');
    const remedy = isMissing ? ', or install the optional package @photostructure/sqlite' : '';
    const reason = isMissing ? '' : ` from @photostructure/sqlite: ${message.split('\n')[0]}`;
    throw new Error(`cannot load SQLite${reason}: use Node 22.13 or later${remedy}`, { cause });
  }
}
