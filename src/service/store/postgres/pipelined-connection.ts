import { hash as digest } from 'node:crypto';
import { Socket } from 'node:net';
import type { Client, ClientConfig, QueryConfig } from 'pg';
import { createQueue } from '../queue.ts';
import type { ListedValue, Queries } from '../rows/queries.ts';
import { lockTime } from '../timeout.ts';
import {
  DatabaseBusy,
  DatabaseUnavailable,
  isPoolerConflict,
  isReadOnly,
  isTimeout,
  NoConnection,
  ReadOnlyServer,
} from './database-errors.ts';
import { joined, postgresDialect } from './postgres-dialect.ts';

/** Returns a connected client and its socket, which can be destroyed. Statements time out after `answerTime` milliseconds. */
export type Connect = (answerTime: number, onEnd: () => void) => Promise<OpenClient>;

interface OpenClient {
  readonly client: Client;
  readonly socket: Socket;
}

/** Columns of these types are parsed as numbers; all others are text. `count` and `sum` are int8 and numeric. */
const numberTypes: ReadonlySet<number> = new Set([20, 21, 23, 1700]);

/** Milliseconds to connect and authenticate. */
export const connectTime = 2000;

/** Milliseconds that a transaction may be idle. */
const idleTime = 4000;

/**
 * For pages, most of which are in memory: compiling a plan or starting workers takes longer than most of them. On Linux, a server can end
 * the statement of a client that is gone. Settings of the operator are kept, and engines that lack some have no such rows.
 */
const choices = `SELECT set_config(name, wanted, FALSE) FROM pg_settings JOIN (
  VALUES ('jit', 'off'), ('parallel_setup_cost', '3000'), ('random_page_cost', '1.1'), ('client_connection_check_interval', '1000')
) AS choice (setting_name, wanted) ON setting_name = name
WHERE source = 'default' AND (name <> 'client_connection_check_interval' OR version() LIKE '%linux%')`;

/** Sent as a statement because a pooler would reject startup parameters. The result shows whether the server accepts writes. */
const settings = `SET lock_timeout = ${lockTime}; SET idle_in_transaction_session_timeout = ${idleTime}; ${choices}; SHOW transaction_read_only`;

/** Connects to the first server that accepts writes, beginning with the last successful one. */
export function connector(PostgresClient: new (config: ClientConfig) => Client, servers: readonly ClientConfig[]): Connect {
  const each = servers.map((config) => serverConnector(PostgresClient, config));
  let last = 0;
  return async (answerTime, onEnd) => {
    const failures: unknown[] = [];
    for (let turn = 0; turn < each.length; turn += 1) {
      const index = (last + turn) % each.length;
      try {
        const connected = await each[index]?.(answerTime, onEnd);
        last = index;
        if (connected) return connected;
      } catch (error) {
        failures.push(error);
      }
    }
    // If a primary is unreachable and a standby is not, reports the error of the primary.
    throw failures.find((error) => !(error instanceof ReadOnlyServer)) ?? failures[0];
  };
}

function serverConnector(PostgresClient: new (config: ClientConfig) => Client, config: ClientConfig): Connect {
  return async (answerTime, onEnd) => {
    const socket = new Socket();
    const client = new PostgresClient({
      ...config,
      stream: () => socket,
      pipeline: true,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: connectTime,
      query_timeout: answerTime,
      types: { getTypeParser: (type: number) => (numberTypes.has(type) ? Number : (value: string) => value) },
    });
    // Without a listener an error of an idle connection would end the program.
    client.on('error', onEnd);
    client.on('end', onEnd);
    try {
      await client.connect();
      const answers: unknown = await client.query({ text: settings, query_timeout: connectTime } as QueryConfig);
      const { rows = [] } = (Array.isArray(answers) ? answers.at(-1) : answers) as {
        rows?: { transaction_read_only?: string }[];
      };
      if (rows[0]?.transaction_read_only === 'on') throw new ReadOnlyServer();
      return { client, socket };
    } catch (error) {
      socket.destroy();
      throw isTimeout(error) ? new NoConnection() : error;
    }
  };
}

/** A transaction pooler makes prepared statements impossible, as the first failing statement shows. */
export interface Pooling {
  isPooled: boolean;
}

/**
 * A connection that opens on first use and reopens after a loss. Statements are sent without waiting for earlier responses; a transaction
 * has exclusive use.
 */
export class PipelinedConnection {
  readonly #connect: (onEnd: () => void) => Promise<OpenClient>;
  readonly #watch: <T>(work: Promise<T>) => Promise<T>;
  readonly #pooling: Pooling;
  #connected: Promise<OpenClient> | undefined;
  readonly #inTurn = createQueue();
  #load = 0;

  /** `watch` detects statements without a response; `pooling` is shared by all connections. */
  constructor(connect: (onEnd: () => void) => Promise<OpenClient>, watch: <T>(work: Promise<T>) => Promise<T>, pooling: Pooling) {
    this.#connect = connect;
    this.#watch = watch;
    this.#pooling = pooling;
  }

  /** The number of active and queued transactions and pending statements. */
  get load(): number {
    return this.#load;
  }

  /** Also while it is being opened. */
  get isOpen(): boolean {
    return this.#connected !== undefined;
  }

  /** Resolves when the database answers on this connection, after earlier statements. Rejects if it is not open. */
  async answer(): Promise<void> {
    if (!this.#connected) throw new DatabaseUnavailable();
    const { client } = await this.#connected;
    // Without a timeout of its own, with which the driver would end the connection.
    await client.query('SELECT 1');
  }

  /** For statements that are transactions of their own. */
  get queries(): Queries {
    return this.#queriesOf(() => this.#open());
  }

  /**
   * Runs `work` after the queued ones, or rejects after `queueTime`. All its statements use the same connection or fail with it; a
   * statement after the end of its transaction would be a transaction of its own.
   */
  async exclusive<T>(queueTime: number, work: (queriesWhile: (isOpen: () => boolean) => Queries) => Promise<T>): Promise<T> {
    this.#load += 1;
    let timer: NodeJS.Timeout | undefined;
    let isTooLate = false;
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        isTooLate = true;
        reject(new DatabaseBusy());
      }, queueTime);
    });
    const result = this.#inTurn(async () => {
      if (isTooLate) throw new DatabaseBusy();
      clearTimeout(timer);
      const connected = await this.#open();
      return work((isOpen) =>
        this.#queriesOf(async () => {
          if (!isOpen()) throw new Error('the transaction has ended');
          return connected;
        }),
      );
    });
    try {
      return await Promise.race([result, tooLate]);
    } finally {
      clearTimeout(timer);
      this.#load -= 1;
    }
  }

  /** Destroys the connection, so that pending statements fail. */
  disconnect(): void {
    const connected = this.#connected;
    this.#connected = undefined;
    connected?.then(({ socket }) => socket.destroy()).catch(() => {});
  }

  async close(): Promise<void> {
    const connected = await this.#connected?.catch(() => undefined);
    this.#connected = undefined;
    await connected?.client.end().catch(() => {});
  }

  #open(): Promise<OpenClient> {
    if (this.#connected) return this.#connected;
    const opening: Promise<OpenClient> = this.#connect(() => {
      if (this.#connected === opening) this.#connected = undefined;
    });
    this.#connected = opening;
    opening.catch(() => {
      if (this.#connected === opening) this.#connected = undefined;
    });
    return opening;
  }

  #queriesOf(open: () => Promise<OpenClient>): Queries {
    const send = async (text: string, values: readonly ListedValue[], name?: string) => {
      this.#load += 1;
      try {
        const { client } = await open();
        return await this.#watch(
          client.query({ ...(name !== undefined && !this.#pooling.isPooled && { name }), text, values: [...values] }),
        );
      } catch (error) {
        if (isPoolerConflict(error)) this.#pooling.isPooled = true;
        if (isReadOnly(error)) this.disconnect();
        throw error;
      } finally {
        this.#load -= 1;
      }
    };
    const named = (text: string, values: readonly ListedValue[]) => {
      const { name, sql } = statementOf(text);
      return send(sql, values, name);
    };
    return {
      dialect: postgresDialect,
      all: async (text, ...values) => (await named(text, values)).rows,
      first: async (text, ...values) => (await named(text, values)).rows[0],
      run: async (text, ...values) => (await named(text, values)).rowCount ?? 0,
      together: async (changes) => {
        if (changes.length === 0) return;
        const { sql, values } = joined(changes);
        await named(sql, values);
      },
      composed: async ({ sql, values }) => (await send(numbered(sql), values)).rows,
    };
  }
}

const statements = new Map<string, { readonly name: string; readonly sql: string }>();

/** Names a prepared statement by a digest of its text, because behind a pooler another process may have prepared the same one. */
function statementOf(text: string): { readonly name: string; readonly sql: string } {
  const known = statements.get(text);
  if (known) return known;
  const statement = { name: `linkctl_${digest('sha256', text).slice(0, 32)}`, sql: numbered(text) };
  statements.set(text, statement);
  return statement;
}

/** Numbers the placeholders. None of our statements has a question mark in quotes. */
function numbered(text: string): string {
  let number = 0;
  return text.replace(/\?/g, () => `$${++number}`);
}
