import { UnavailableError } from '../base/errors.ts';
import type { System } from '../base/system.ts';
import { CallError } from '../client/call-error.ts';
import type { Deadline, Launch } from './invocation.ts';

/** Milliseconds that interrupted calls have to report "outcome unknown". */
const reportTime = 1000;

/** The deadline of `--max-time`. Ends `calls`. */
export function deadlineAfter(
  seconds: number,
  { system, sent, streams }: { readonly system: Pick<System, 'sleep' | 'stdin'> } & Pick<Launch, 'sent' | 'streams'>,
  calls: AbortController,
): Deadline {
  const time = new AbortController();
  const released = new AbortController();
  const { signal } = time;
  const waitForDeadline = async (handlesEnd: () => boolean): Promise<void> => {
    await system.sleep(seconds * 1000, released.signal);
    const hint = 'run the same command again, or increase --max-time';
    const reason = new UnavailableError(`not completed within ${seconds} s (--max-time)`, { hint });
    time.abort(reason);
    streams.hurry(reason);
    if (!handlesEnd()) calls.abort(signal.reason);
    await system.sleep(reportTime, released.signal);
  };
  const abandon = async (handlesEnd: () => boolean): Promise<void> => {
    await waitForDeadline(handlesEnd);
    if (handlesEnd() || sent.change) return await new Promise(() => undefined);
    // A pending read of stdin would keep the process alive.
    system.stdin.destroy();
    throw signal.reason;
  };
  return {
    signal,
    async hold(work, handlesEnd) {
      try {
        await Promise.race([work, abandon(handlesEnd)]);
      } catch (error) {
        throw signal.aborted && isInterrupted(error) ? signal.reason : error;
      } finally {
        released.abort();
      }
    },
  };
}

/** A change with an unknown outcome must be reported as such, not as a timeout. */
function isInterrupted(error: unknown): boolean {
  if (error instanceof CallError) return error.gaveUp === 'interrupted' && error.kind !== 'unknown';
  return error instanceof Error && error.name === 'AbortError';
}
