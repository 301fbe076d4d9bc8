import { UnavailableError } from '../base/errors.ts';
import type { System } from '../base/system.ts';
import { CallError } from '../client/call-error.ts';

/** Limits the time of one command (`--max-time`). */
export interface Deadline {
  /** Aborted at the deadline, with the failure as its reason; undefined without a limit. */
  readonly signal: AbortSignal | undefined;
  /** Ends all calls at the deadline, unless the command handles signals itself; undefined without a limit. */
  readonly calls: AbortSignal | undefined;
  /** Called before a changing call is sent: from then on the program waits for the command, which reports the outcome. */
  changes(): void;
  /**
   * Waits for `work`. At the deadline, interrupted calls fail with the deadline's error. Work that changed nothing and waits for something
   * else is abandoned a second later, unless `handlesEnd` returns true.
   */
  hold(work: Promise<void>, handlesEnd: () => boolean): Promise<void>;
  /** Stops the timer. */
  release(): void;
}

/** Milliseconds that interrupted calls have to report "outcome unknown". */
const reportTime = 1000;

const noDeadline: Deadline = {
  signal: undefined,
  calls: undefined,
  changes: () => undefined,
  hold: (work) => work,
  release: () => undefined,
};

export function startDeadline(seconds: number | undefined, system: Pick<System, 'sleep' | 'stdin'>): Deadline {
  return seconds === undefined ? noDeadline : deadlineAfter(seconds, system);
}

function deadlineAfter(seconds: number, system: Pick<System, 'sleep' | 'stdin'>): Deadline {
  const time = new AbortController();
  const calls = new AbortController();
  const released = new AbortController();
  const { signal } = time;
  let hasChanged = false;
  const waitForDeadline = async (handlesEnd: () => boolean): Promise<void> => {
    await system.sleep(seconds * 1000, released.signal);
    time.abort(
      new UnavailableError(`not completed within ${seconds} s (--max-time)`, {
        hint: 'run the same command again, or increase --max-time',
      }),
    );
    if (!handlesEnd()) calls.abort(signal.reason);
    await system.sleep(reportTime, released.signal);
  };
  const abandon = async (handlesEnd: () => boolean): Promise<void> => {
    await waitForDeadline(handlesEnd);
    if (handlesEnd() || hasChanged) return await new Promise(() => undefined);
    // A pending read of stdin would keep the process alive.
    system.stdin.destroy();
    throw signal.reason;
  };
  return {
    signal,
    calls: calls.signal,
    changes: () => {
      hasChanged = true;
    },
    async hold(work, handlesEnd) {
      try {
        await Promise.race([work, abandon(handlesEnd)]);
      } catch (error) {
        throw signal.aborted && isInterrupted(error) ? signal.reason : error;
      }
    },
    release: () => released.abort(),
  };
}

/** A change with an unknown outcome must be reported as such, not as a timeout. */
function isInterrupted(error: unknown): boolean {
  if (error instanceof CallError) return error.gaveUp === 'interrupted' && error.kind !== 'unknown';
  return error instanceof Error && error.name === 'AbortError';
}
