import { Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { OutputStream } from '../../src/base/system.ts';
import type { OutputOptions } from '../../src/output/output-options.ts';
import { printReport } from '../../src/output/print.ts';
import type { Report } from '../../src/output/report.ts';
import { Streams } from '../../src/output/streams.ts';

export interface ScreenOptions {
  readonly isTTY?: boolean;
  readonly columns?: number;
  /** The reader takes this many chunks, then the pipe breaks with this code. */
  readonly breaks?: { readonly after: number; readonly code: string };
  /** Milliseconds that the reader takes for each chunk. */
  readonly slow?: number;
}

/** A stream that remembers what it was given. */
export class Screen extends Writable implements OutputStream {
  text = '';
  chunks = 0;
  readonly isTTY: boolean;
  readonly columns: number;
  readonly #options: ScreenOptions;

  constructor(options: ScreenOptions = {}) {
    super({ decodeStrings: false });
    this.#options = options;
    this.isTTY = options.isTTY ?? false;
    this.columns = options.columns ?? 0;
  }

  override _write(chunk: string, _encoding: string, done: (error?: Error) => void): void {
    const { breaks, slow } = this.#options;
    if (breaks && this.chunks >= breaks.after) {
      done(Object.assign(new Error(`write ${breaks.code}`), { code: breaks.code }));
      return;
    }
    this.chunks += 1;
    this.text += chunk;
    if (slow === undefined) done();
    else setTimeout(done, slow);
  }
}

export interface WorldOptions {
  readonly stdout?: ScreenOptions;
  readonly stderr?: ScreenOptions;
  readonly env?: Record<string, string>;
  readonly options?: OutputOptions;
}

export interface World {
  readonly stdout: Screen;
  readonly stderr: Screen;
  readonly streams: Streams;
  /** Milliseconds passed on the clock that the streams sleep by; resolves when what they do then is done. */
  pass(milliseconds: number): Promise<void>;
}

export function createWorld({ stdout = {}, stderr = {}, env = {}, options = {} }: WorldOptions = {}): World {
  const world = { stdout: new Screen(stdout), stderr: new Screen(stderr), env, platform: process.platform };
  const clock = createClock();
  return { ...world, streams: new Streams({ ...world, sleep: clock.sleep }, options), pass: clock.pass };
}

/** Prints one report into a world of its own; `error` is what was thrown. */
export async function print(
  report: Report,
  { options = {}, ...world }: WorldOptions = {},
): Promise<{ stdout: string; stderr: string; error: unknown }> {
  const { stdout, stderr, streams } = createWorld({ ...world, options });
  let error: unknown;
  try {
    await printReport(report, options, streams);
  } catch (thrown) {
    error = thrown;
  }
  await streams.release();
  return { stdout: stdout.text, stderr: stderr.text, error };
}

function createClock(): {
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  pass(milliseconds: number): Promise<void>;
} {
  let now = 0;
  let sleepers: { readonly at: number; readonly wake: () => void }[] = [];
  return {
    sleep: (milliseconds, signal) =>
      new Promise((wake, reject) => {
        const abort = (): void => reject(signal?.reason);
        signal?.addEventListener('abort', abort);
        const up = (): void => {
          signal?.removeEventListener('abort', abort);
          wake();
        };
        sleepers.push({ at: now + milliseconds, wake: up });
      }),
    async pass(milliseconds) {
      const end = now + milliseconds;
      for (;;) {
        // Whatever was woken may import, draw and go to sleep again before the next is due: the same import here ends after it.
        await turn();
        await import('../../src/output/display-width.ts');
        await turn();
        const next = sleepers.toSorted((a, b) => a.at - b.at)[0];
        if (!next || next.at > end) break;
        now = next.at;
        sleepers = sleepers.filter((sleeper) => sleeper !== next);
        next.wake();
      }
      now = end;
    },
  };
}
