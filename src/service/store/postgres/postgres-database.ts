import { setTimeout as delay } from 'node:timers/promises';
import { withinMoment } from '../timeout.ts';
import { DatabaseGone, isConflict, isLost, isOfPooler, OutcomeUnknown } from './database-errors.ts';
import { type Connect, connectTime, Line, type Pooling } from './pipelined-connection.ts';
import type { Queries } from './queries.ts';

/** Connections of one process: to look up where links lead, and for the API to read. Redirects share none with the API. */
const lookUpLines = 2;
const readingLines = 3;

/** Attempts at a transaction that others come in between of. */
const attempts = 8;

/** Milliseconds that a call waits for those before it, to read and to write: with a lock after that, no more than 5 s. */
const readQueueTime = 2500;
const writeQueueTime = 3500;

/** Milliseconds for a commit. */
const commitTime = 3000;

/** Milliseconds after which nothing is tried again. */
const retryTime = 2000;

/** Milliseconds for the answer to a statement: of one row, and of any number of rows. */
const shortTime = 4000;
const longTime = 60_000;

/** Milliseconds without an answer until the database is asked whether it is there, and how often to look. */
const patience = 1000;
const watchInterval = 500;

/** Milliseconds for which calls fail at once after the database did not answer. */
const pause = 1000;

/** The connections of one process to the database. Nothing waits longer than 5 s for a database that is gone (S5). */
export class Database {
  readonly #connect: Connect;
  readonly #lines: Line[] = [];
  readonly #lookingUp: readonly Line[];
  readonly #reading: readonly Line[];
  readonly #writing: Line;
  readonly #counting: Line;
  readonly #calls: Line;
  readonly #clicks: Line;
  /** When the statements that are not answered yet were sent. */
  readonly #unanswered = new Set<{ readonly since: number }>();
  readonly #pooling: Pooling = { isPooled: false };
  #watcher: NodeJS.Timeout | undefined;
  #isAsking = false;
  #goneUntil = 0;

  constructor(connect: Connect) {
    this.#connect = connect;
    const lines = (count: number, answerTime: number) => Array.from({ length: count }, () => this.#newLine(answerTime));
    this.#lookingUp = lines(lookUpLines, shortTime);
    this.#reading = lines(readingLines, longTime);
    this.#writing = this.#newLine(longTime);
    this.#counting = this.#newLine(shortTime);
    this.#calls = this.#newLine(shortTime);
    this.#clicks = this.#newLine(longTime);
  }

  /** Statements that may run twice, each a transaction of its own. */
  lookUp<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return retried(() => work(leastBusy(this.#lookingUp).queries));
  }

  /** The same for what calls have in common: how many they are, and whether the database is there. */
  ofCalls<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return retried(() => work(this.#calls.queries));
  }

  /** Statements that may take long and run twice, each a transaction of its own: those of the schema. */
  setUp<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return retried(() => work(this.#writing.queries));
  }

  /** One statement that must not run twice: where the connection is lost, its outcome is unknown. */
  once<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return retried(() =>
      work(this.#counting.queries).catch((error: unknown) => {
        throw isLost(error) ? new OutcomeUnknown(error) : error;
      }),
    );
  }

  /** Statements that may run twice, each on a view of the data of its own: one is what most reads need. */
  read<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return retried(() => leastBusy(this.#reading).exclusive(readQueueTime, (queriesWhile) => work(queriesWhile(() => true))));
  }

  /** Runs `work` on one unchanging view of the data. */
  view<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return retried(() => transaction(leastBusy(this.#reading), 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', work));
  }

  /** Runs `work` as one transaction; those of one process run one after the other. */
  write<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return retried(() => transaction(this.#writing, 'BEGIN ISOLATION LEVEL READ COMMITTED', work));
  }

  /** The same for clicks, which wait for no other change of the account. */
  writeClicks<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return retried(() => transaction(this.#clicks, 'BEGIN ISOLATION LEVEL READ COMMITTED', work));
  }

  async close(): Promise<void> {
    clearInterval(this.#watcher);
    await Promise.all(this.#lines.map((line) => line.close()));
  }

  #newLine(answerTime: number): Line {
    const connect = async (onEnd: () => void) => {
      if (performance.now() < this.#goneUntil) throw new DatabaseGone();
      const started = performance.now();
      return this.#connect(answerTime, onEnd).catch((error: unknown) => {
        if (performance.now() - started >= connectTime) this.#giveUp();
        throw error;
      });
    };
    const line = new Line(connect, (work) => this.#watch(work), this.#pooling);
    this.#lines.push(line);
    return line;
  }

  async #watch<T>(work: Promise<T>): Promise<T> {
    const entry = { since: performance.now() };
    this.#unanswered.add(entry);
    this.#watcher ??= setInterval(() => void this.#askWhenSilent(), watchInterval).unref();
    try {
      return await work;
    } finally {
      this.#unanswered.delete(entry);
    }
  }

  /** A long statement and a database that is gone are alike: only another connection tells them apart. */
  async #askWhenSilent(): Promise<void> {
    const oldest = [...this.#unanswered].reduce((least, { since }) => Math.min(least, since), Number.POSITIVE_INFINITY);
    if (this.#isAsking || performance.now() - oldest < patience) return;
    this.#isAsking = true;
    try {
      await this.ask();
    } catch {
      this.#giveUp();
    } finally {
      this.#isAsking = false;
    }
  }

  /** Rejects where the database does not answer within two seconds on a connection of its own. */
  async ask(): Promise<void> {
    const { client, socket } = await this.#connect(connectTime, () => {});
    try {
      await client.query('SELECT 1');
    } finally {
      void client.end().catch(() => socket.destroy());
    }
  }

  #giveUp(): void {
    this.#goneUntil = performance.now() + pause;
    for (const line of this.#lines) line.drop();
  }
}

function leastBusy(lines: readonly Line[]): Line {
  return lines.reduce((least, other) => (other.load < least.load ? other : least));
}

/** What `work` did is stored when this resolves, and undone when it rejects, but for `OutcomeUnknown`. */
function transaction<T>(line: Line, begin: string, work: (queries: Queries) => Promise<T>): Promise<T> {
  return line.exclusive(writeQueueTime, async (queriesWhile) => {
    const control = queriesWhile(() => true);
    let isWorking = true;
    let result: T;
    try {
      // Sent together with the first statement of the work.
      [, result] = await Promise.all([control.run(begin), work(queriesWhile(() => isWorking))]);
    } catch (error) {
      isWorking = false;
      await control.run('ROLLBACK').catch(() => {});
      throw error;
    }
    const committed = control.run('COMMIT').then(
      () => true,
      (error: unknown) => {
        throw isLost(error) ? new OutcomeUnknown(error) : error;
      },
    );
    // As where a standby must have it, too, and is gone.
    if (await withinMoment(commitTime, committed, false)) return result;
    line.drop();
    throw new OutcomeUnknown();
  });
}

/** Again after a conflict, in which nothing was stored, and once after a lost connection. */
async function retried<T>(work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  for (let attempt = 1, losses = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (isLost(error)) losses += 1;
      const isOver = attempt >= attempts || losses > 1 || performance.now() - started > retryTime;
      if (isOver || !(isConflict(error) || isLost(error) || isOfPooler(error))) throw error;
      await delay(Math.random() * 20 * attempt);
    }
  }
}
