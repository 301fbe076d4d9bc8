import { UnavailableError } from '../base/errors.ts';
import type { System } from '../base/system.ts';
import { CallError } from '../client/call-error.ts';

/** How long one command may take (`--max-time`, R-9). */
export interface Deadline {
  /** Aborted when the time is over, with the failure as its reason; never without a limit. */
  readonly signal: AbortSignal;
  /** Ends all calls at the same moment, except those of a command that `ends` in an order of its own. */
  readonly calls: AbortSignal;
  /** A call that changes something is about to be sent: from now on the program waits for the command, which reports what it did (`D22`). */
  changes(): void;
  /**
   * Waits for the command. Work that the end of the time interrupts fails with that reason. Work that changed nothing and waits for
   * something else than a call is abandoned a second later, unless it `ends` in an order of its own.
   */
  hold(work: Promise<void>, ends: () => boolean): Promise<void>;
  /** The command is over. */
  release(): void;
}

/** Milliseconds for calls that were ended to report: "outcome unknown" must not get lost. */
const windUp = 1000;

export function startDeadline(seconds: number | undefined, system: Pick<System, 'sleep' | 'stdin'>): Deadline {
  const time = new AbortController();
  const calls = new AbortController();
  const released = new AbortController();
  const { signal } = time;
  let hasChanged = false;
  const isOver = async (ends: () => boolean): Promise<void> => {
    await system.sleep((seconds ?? 0) * 1000, released.signal);
    time.abort(
      new UnavailableError(`not completed within ${seconds} s (--max-time)`, {
        hint: 'run the same command again, or increase --max-time',
      }),
    );
    if (!ends()) calls.abort(signal.reason);
    await system.sleep(windUp, released.signal);
  };
  const overdue = async (ends: () => boolean): Promise<void> => {
    await isOver(ends);
    if (ends() || hasChanged) return await new Promise(() => undefined);
    // A read of stdin that never ends would keep the program running.
    system.stdin.destroy();
    throw signal.reason;
  };
  return {
    signal,
    calls: calls.signal,
    changes: () => {
      hasChanged = true;
    },
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

/** A call or a wait that the signal ended, unless it is a change with an unknown outcome. */
function isInterrupted(error: unknown): boolean {
  if (error instanceof CallError) return error.gaveUp === 'interrupted' && error.kind !== 'unknown';
  return error instanceof Error && error.name === 'AbortError';
}
