import { CallError } from './client/call-error.ts';
import { UnavailableError } from './errors.ts';
import type { System } from './system.ts';

/** How long one command may take (`--max-time`, R-9). */
export interface Deadline {
  /** Aborted when the time is over, with the failure to tell as its reason; never without a limit. Calls end by it. */
  readonly signal: AbortSignal;
  /**
   * Waits for the command. What ends because the time is over is told so. Work that waits for something else than a call is left
   * to itself a second later, unless it `ends` in an order of its own.
   */
  hold(work: Promise<void>, ends: () => boolean): Promise<void>;
  /** The command is over. */
  release(): void;
}

/** Milliseconds in which calls that were ended become an answer: "whether it happened is not known" must not get lost. */
const windUp = 1000;

export function startDeadline(seconds: number | undefined, system: Pick<System, 'sleep' | 'stdin'>): Deadline {
  const time = new AbortController();
  const released = new AbortController();
  const { signal } = time;
  const isOver = async (): Promise<void> => {
    await system.sleep((seconds ?? 0) * 1000, released.signal);
    time.abort(
      new UnavailableError(`not finished within the ${seconds} s of --max-time`, {
        hint: 'run the same command again, or give it more time',
      }),
    );
    await system.sleep(windUp, released.signal);
  };
  const overdue = async (ends: () => boolean): Promise<void> => {
    await isOver();
    if (ends()) return await new Promise(() => undefined);
    // Whoever waits for a line that does not come keeps the program running.
    system.stdin.destroy();
    throw signal.reason;
  };
  return {
    signal,
    async hold(work, ends) {
      if (seconds === undefined) return await work;
      try {
        await Promise.race([work, overdue(ends)]);
      } catch (error) {
        throw signal.aborted && isInterrupted(error) ? signal.reason : error;
      }
    },
    release: () => released.abort(),
  };
}

/** A call or a wait that the signal ended, and not a change of which nobody knows whether it happened. */
function isInterrupted(error: unknown): boolean {
  if (error instanceof CallError) return error.gaveUp === 'interrupted' && error.kind !== 'unknown';
  return error instanceof Error && error.name === 'AbortError';
}
