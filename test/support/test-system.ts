import { randomBytes } from 'node:crypto';
import { lookup as systemLookup } from 'node:dns/promises';
import { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { InputStream, OutputStream, Signal, System } from '../../src/base/system.ts';

/** What a test may set of the world. */
export interface World {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What stands on stdin; nothing without it. */
  readonly stdin?: string | Uint8Array;
  /** What is typed on the terminal itself while stdin is something else; there is none without it. */
  readonly typed?: string;
  /** Which streams are terminals. */
  readonly terminal?: { readonly stdin?: boolean; readonly stdout?: boolean; readonly stderr?: boolean };
  readonly columns?: number;
  readonly now?: () => number;
  /** Milliseconds that only grow; those of this computer without it. */
  readonly elapsed?: () => number;
  readonly random?: () => number;
  /** How many times shorter a wait is. */
  readonly haste?: number;
  /** Addresses of host names; those of this computer without it. */
  readonly lookup?: System['lookup'];
  /** How waits pass; as ever without it. */
  readonly sleep?: System['sleep'] | undefined;
  /** Awaited before each piece of stdout is taken. */
  readonly reader?: () => Promise<void>;
}

/** A world of its own for one run of the program in this process. */
export interface TestSystem extends System {
  readonly printed: () => { stdout: string; stderr: string };
  /** Sends this run a signal. */
  readonly raise: (signal: Signal) => void;
  /** The signals that the run chose to die of. */
  readonly deaths: Signal[];
}

export function createTestSystem({
  env = {},
  stdin = '',
  typed,
  terminal = {},
  columns,
  now,
  elapsed,
  random,
  haste = 1,
  lookup,
  sleep,
  reader,
}: World = {}): TestSystem {
  const listeners = new Map<Signal, Set<() => void>>();
  const deaths: Signal[] = [];
  const tty = typed === undefined ? undefined : (Object.assign(Readable.from([typed]), { isTTY: true }) as InputStream);
  const stdout = capture(terminal.stdout, columns, reader);
  const stderr = capture(terminal.stderr, columns);
  return {
    stdin: Object.assign(Readable.from([stdin]), terminal.stdin ? { isTTY: true } : {}) as InputStream,
    terminal: () => tty,
    stdout: stdout.stream,
    stderr: stderr.stream,
    env,
    platform: process.platform,
    nodeVersion: process.version,
    processId: process.pid,
    userId: process.getuid?.(),
    now: now ?? Date.now,
    elapsed: elapsed ?? (() => performance.now()),
    random: random ?? Math.random,
    randomBytes: (count) => randomBytes(count),
    lookup: lookup ?? ((name) => systemLookup(name, { all: true })),
    sleep: sleep ?? ((milliseconds, signal) => delay(milliseconds / haste, undefined, signal ? { signal } : {})),
    onSignal: (signal, listener) => {
      const all = listeners.get(signal) ?? new Set();
      listeners.set(signal, all.add(listener));
      return () => void all.delete(listener);
    },
    dieOf: (signal) => void deaths.push(signal),
    hideArguments: () => {},
    // What nobody catches in this process is the runner's to tell.
    onCrash: () => {},
    printed: () => ({ stdout: stdout.text(), stderr: stderr.text() }),
    raise: (signal) => {
      for (const listener of listeners.get(signal) ?? []) listener();
    },
    deaths,
  };
}

function capture(isTTY = false, columns?: number, reader?: World['reader']): { stream: OutputStream; text: () => string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      if (reader) reader().then(() => done(), done);
      else done();
    },
  });
  return {
    stream: Object.assign(stream, isTTY ? { isTTY, columns: columns ?? 80 } : {}) as OutputStream,
    text: () => Buffer.concat(chunks).toString(),
  };
}
