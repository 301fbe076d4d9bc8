import { setTimeout as delay } from 'node:timers/promises';
import type { Queries } from '../rows/queries.ts';
import { withTimeout } from '../timeout.ts';
import {
  DatabaseUnavailable,
  isConflict,
  isConnectionLost,
  isPoolerConflict,
  isTimeout,
  OutcomeUnknown,
} from './database-errors.ts';
import { type Connect, connectTime, PipelinedConnection, type Pooling } from './pipelined-connection.ts';

/** Connections per process for redirects and for reads of the API, which are separate. */
const queryConnections = 2;
const readConnections = 3;

/** Attempts at a transaction that conflicts with others. */
const attempts = 8;

/** Milliseconds that reads and writes wait in the queue, in which one call may be ahead that waits for a lock. */
const readQueueTime = 2000;
const writeQueueTime = 2400;

/** In milliseconds. */
const commitTime = 3000;

/** Milliseconds after which nothing is retried. */
const retryTime = 2000;

/** Milliseconds for a statement with one row, for a page of an account, and for a change of any number of rows. */
const shortTime = 4000;
const pageTime = 5000;
const longTime = 60_000;

/** Milliseconds of silence before the database is pinged, and the interval of checking. */
const silenceLimit = 1000;
const watchInterval = 500;

/** Milliseconds for which calls fail at once after the database did not respond. */
const failFastTime = 1000;

/**
 * Of single statements: targets of visits, clicks of links with a limit, the number of calls, and long ones of the schema. A health check takes
 * a connection for short ones that is free, so that it waits behind no other.
 */
type Purpose = 'visits' | 'limits' | 'calls' | 'schema' | 'health';

/** Manages the connections of one process. No call waits longer than 5 s for an unreachable database. */
export class Database {
  readonly #connect: Connect;
  readonly #connections: PipelinedConnection[] = [];
  readonly #connectionsFor: { readonly [P in Purpose]: readonly PipelinedConnection[] };
  readonly #reading: readonly PipelinedConnection[];
  readonly #writing: PipelinedConnection;
  readonly #clicks: PipelinedConnection;
  /** The start times of pending statements. */
  readonly #unanswered = new Set<{ readonly since: number }>();
  readonly #pooling: Pooling = { isPooled: false };
  #watcher: NodeJS.Timeout | undefined;
  #isPinging = false;
  #unavailableUntil = 0;

  constructor(connect: Connect) {
    this.#connect = connect;
    const connections = (count: number, answerTime: number) =>
      Array.from({ length: count }, () => this.#newConnection(answerTime));
    const visits = connections(queryConnections, shortTime);
    const [limits, calls] = [connections(1, shortTime), connections(1, shortTime)];
    this.#reading = connections(readConnections, pageTime);
    this.#writing = this.#newConnection(longTime);
    this.#clicks = this.#newConnection(longTime);
    this.#connectionsFor = { visits, limits, calls, health: [...calls, ...limits, ...visits], schema: [this.#writing] };
  }

  /** Runs idempotent statements, each as a transaction of its own. */
  query<T>(work: (queries: Queries) => Promise<T>, purpose: Purpose = 'visits'): Promise<T> {
    return retry(() => work(this.#leastBusy(this.#connectionsFor[purpose]).queries));
  }

  /** Runs one statement that must not be repeated: if the connection is lost, its outcome is unknown. */
  queryOnce<T>(work: (queries: Queries) => Promise<T>, purpose: Purpose): Promise<T> {
    return retry(() => once(work(this.#leastBusy(this.#connectionsFor[purpose]).queries)));
  }

  /** Runs idempotent reads, each on its own snapshot. Most reads are a single statement. */
  read<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return retry(async () => {
      const connection = this.#leastBusy(this.#reading);
      return connection
        .exclusive(readQueueTime, (queriesWhile) => work(queriesWhile(() => true)))
        .catch((error: unknown) => {
          // The server ends a statement whose connection is gone. Other reads would wait for it.
          if (isTimeout(error)) connection.disconnect();
          throw error;
        });
    });
  }

  /** Runs `work` as one transaction. Transactions of one process are serialized. */
  write<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return retry(() => transaction(this.#writing, work));
  }

  /** Like `write`, for clicks, which do not wait for other changes of the account. */
  writeClicks<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return retry(() => transaction(this.#clicks, work));
  }

  async close(): Promise<void> {
    clearInterval(this.#watcher);
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }

  #newConnection(answerTime: number): PipelinedConnection {
    const connect = async (onEnd: () => void) => {
      if (performance.now() < this.#unavailableUntil) throw new DatabaseUnavailable();
      const started = performance.now();
      return this.#connect(answerTime, onEnd).catch((error: unknown) => {
        if (performance.now() - started >= connectTime) {
          this.#unavailableUntil = performance.now() + failFastTime;
          // The pool of a pooler may be used up, and then the open connections must stay.
          void this.#disconnectUnlessAnswered();
        }
        throw error;
      });
    };
    const connection = new PipelinedConnection(connect, (work) => this.#watch(work), this.#pooling);
    this.#connections.push(connection);
    return connection;
  }

  async #watch<T>(work: Promise<T>): Promise<T> {
    const entry = { since: performance.now() };
    this.#unanswered.add(entry);
    this.#watcher ??= setInterval(() => void this.#pingWhenSilent(), watchInterval).unref();
    try {
      return await work;
    } finally {
      this.#unanswered.delete(entry);
    }
  }

  async #pingWhenSilent(): Promise<void> {
    const oldest = [...this.#unanswered].reduce((least, { since }) => Math.min(least, since), Number.POSITIVE_INFINITY);
    if (performance.now() - oldest >= silenceLimit) await this.#disconnectUnlessAnswered();
  }

  /**
   * Only another connection can distinguish a long statement from an unreachable database. It may be a new one, or any that is open, because
   * a server or a pooler that has no more connections does not answer a new one.
   */
  async #disconnectUnlessAnswered(): Promise<void> {
    if (this.#isPinging) return;
    this.#isPinging = true;
    const answers = [this.#answerAnew(), ...this.#connections.map((connection) => connection.answer())];
    const isAnswered = await withTimeout(
      connectTime,
      Promise.any(answers).then(
        () => true,
        () => false,
      ),
      false,
    );
    this.#isPinging = false;
    if (isAnswered) return;
    this.#unavailableUntil = performance.now() + failFastTime;
    for (const connection of this.#connections) connection.disconnect();
  }

  async #answerAnew(): Promise<void> {
    const { client, socket } = await this.#connect(connectTime, () => {});
    try {
      await client.query('SELECT 1');
    } finally {
      void client.end().catch(() => socket.destroy());
    }
  }

  /** An open connection that is free needs no other beside it. While none can be made, the open ones are used. */
  #leastBusy(connections: readonly PipelinedConnection[]): PipelinedConnection {
    const opening = performance.now() < this.#unavailableUntil ? Number.POSITIVE_INFINITY : 0.5;
    const cost = ({ load, isOpen }: PipelinedConnection) => load + (isOpen ? 0 : opening);
    return connections.reduce((least, other) => (cost(other) < cost(least) ? other : least));
  }
}

/** Rejects with `OutcomeUnknown` if the statement may have been executed. */
function once<T>(statement: Promise<T>): Promise<T> {
  return statement.catch((error: unknown) => {
    throw isConnectionLost(error) || isTimeout(error) ? new OutcomeUnknown(error) : error;
  });
}

/** Commits when `work` resolves and rolls back when it rejects. Rejects with `OutcomeUnknown` if the commit may have succeeded. */
function transaction<T>(connection: PipelinedConnection, work: (queries: Queries) => Promise<T>): Promise<T> {
  return connection.exclusive(writeQueueTime, async (queriesWhile) => {
    const queries = queriesWhile(() => true);
    // Never prepared: if a pooler made BEGIN fail, the first statement of the work would be a transaction of its own.
    const control = (sql: string) => queries.composed({ sql, values: [] });
    let isWorking = true;
    let result: T;
    try {
      // Sent together with the first statement of the work.
      [, result] = await Promise.all([control('BEGIN ISOLATION LEVEL READ COMMITTED'), work(queriesWhile(() => isWorking))]);
    } catch (error) {
      isWorking = false;
      await control('ROLLBACK').catch(() => {});
      throw error;
    }
    const committed = control('COMMIT').then(
      () => true,
      (error: unknown) => {
        throw isConnectionLost(error) ? new OutcomeUnknown(error) : error;
      },
    );
    // A synchronous standby may be unreachable.
    if (await withTimeout(commitTime, committed, false)) return result;
    connection.disconnect();
    throw new OutcomeUnknown();
  });
}

/** Retries after conflicts, which store nothing, and once after a lost connection. */
async function retry<T>(work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  for (let attempt = 1, losses = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (isConnectionLost(error)) losses += 1;
      const isOver = attempt >= attempts || losses > 1 || performance.now() - started > retryTime;
      if (isOver || !(isConflict(error) || isConnectionLost(error) || isPoolerConflict(error))) throw error;
      await delay(Math.random() * 20 * attempt);
    }
  }
}
