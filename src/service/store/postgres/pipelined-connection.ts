import { hash as digest } from 'node:crypto';
import { Socket } from 'node:net';
import type { Client, ClientConfig, QueryConfig } from 'pg';
import { DatabaseBusy, isOfPooler, isReadOnly, ReadOnlyServer } from './database-errors.ts';
import type { PostgresValue, Queries } from './queries.ts';

/** Opens a client and connects it; the socket is there to be cut off. Statements have `answerTime` milliseconds. */
export type Connect = (answerTime: number, onEnd: () => void) => Promise<Connected>;

interface Connected {
  readonly client: Client;
  readonly socket: Socket;
}

/** Columns of these types are numbers: bool aside, all that the tables have beside text. `count` and `sum` are int8 and numeric. */
const numberTypes: ReadonlySet<number> = new Set([20, 21, 23, 1700]);

/** Milliseconds to connect and sign in. */
export const connectTime = 2000;

/** Milliseconds that one process waits for a change of another, and how long it may stand still itself. */
const lockTime = 2400;
const idleTime = 4000;

/** What a connection is told first: as parameters of its start, a pooler would refuse it. The answer says whether it takes changes. */
const settings = `SET lock_timeout = ${lockTime}; SET idle_in_transaction_session_timeout = ${idleTime}; SHOW transaction_read_only`;

/** Connects to the first of some servers that takes changes, beginning with the one that did the last time. */
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
    // Of a primary that is gone and a standby, what is wrong with the primary.
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
      throw error;
    }
  };
}

/** Whether a pooler gives each transaction another connection of its own, as some statement found out: then none can be prepared. */
export interface Pooling {
  isPooled: boolean;
}

/**
 * One connection, opened when it is first used and again after it was lost. Statements go out without waiting for the answers of those
 * before them; a transaction has the line for itself.
 */
export class Line {
  readonly #connect: (onEnd: () => void) => Promise<Connected>;
  readonly #watch: <T>(work: Promise<T>) => Promise<T>;
  readonly #pooling: Pooling;
  #connected: Promise<Connected> | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #load = 0;

  /** `watch` notices when statements are not answered; `pooling` is shared by all lines. */
  constructor(connect: (onEnd: () => void) => Promise<Connected>, watch: <T>(work: Promise<T>) => Promise<T>, pooling: Pooling) {
    this.#connect = connect;
    this.#watch = watch;
    this.#pooling = pooling;
  }

  /** Transactions under way or waiting, and statements without an answer. */
  get load(): number {
    return this.#load;
  }

  /** For statements that are a transaction each. */
  get queries(): Queries {
    return this.#queriesOf(() => this.#open());
  }

  /**
   * Runs `work` when those before it have ended, or not at all where that takes too long. All its statements have the same connection, or
   * fail with it: one that came after the end of its transaction would be a transaction of its own.
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
    const result = this.#turn.then(async () => {
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
    this.#turn = result.catch(() => {});
    try {
      return await Promise.race([result, tooLate]);
    } finally {
      clearTimeout(timer);
      this.#load -= 1;
    }
  }

  /** Cuts the connection off: what waits for answers fails. */
  drop(): void {
    const connected = this.#connected;
    this.#connected = undefined;
    connected?.then(({ socket }) => socket.destroy()).catch(() => {});
  }

  async close(): Promise<void> {
    const connected = await this.#connected?.catch(() => undefined);
    this.#connected = undefined;
    await connected?.client.end().catch(() => {});
  }

  #open(): Promise<Connected> {
    if (this.#connected) return this.#connected;
    const opening: Promise<Connected> = this.#connect(() => {
      if (this.#connected === opening) this.#connected = undefined;
    });
    this.#connected = opening;
    opening.catch(() => {
      if (this.#connected === opening) this.#connected = undefined;
    });
    return opening;
  }

  #queriesOf(open: () => Promise<Connected>): Queries {
    const send = async (text: string, values: readonly PostgresValue[], name?: string) => {
      this.#load += 1;
      try {
        const { client } = await open();
        return await this.#watch(
          client.query({ ...(name !== undefined && !this.#pooling.isPooled && { name }), text, values: [...values] }),
        );
      } catch (error) {
        if (isOfPooler(error)) this.#pooling.isPooled = true;
        if (isReadOnly(error)) this.drop();
        throw error;
      } finally {
        this.#load -= 1;
      }
    };
    const named = (text: string, values: readonly PostgresValue[]) => {
      const { name, sql } = statementOf(text);
      return send(sql, values, name);
    };
    return {
      all: async (text, ...values) => (await named(text, values)).rows,
      first: async (text, ...values) => (await named(text, values)).rows[0],
      run: async (text, ...values) => (await named(text, values)).rowCount ?? 0,
      composed: async (text, values) => (await send(numbered(text), values)).rows,
    };
  }
}

const statements = new Map<string, { readonly name: string; readonly sql: string }>();

/**
 * The name under which a text of the source is prepared on each connection: that of the text itself, because behind a pooler another process
 * may have prepared it there.
 */
function statementOf(text: string): { readonly name: string; readonly sql: string } {
  const known = statements.get(text);
  if (known) return known;
  const statement = { name: `linkctl_${digest('sha256', text).slice(0, 32)}`, sql: numbered(text) };
  statements.set(text, statement);
  return statement;
}

/** Placeholders as the protocol has them: no text of ours has a question mark in quotes. */
function numbered(text: string): string {
  let number = 0;
  return text.replace(/\?/g, () => `$${++number}`);
}
