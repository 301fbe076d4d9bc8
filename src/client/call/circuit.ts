import type { System } from '../../base/system.ts';
import type { Fault } from '../call-error.ts';

/**
 * Retry budget shared by all calls of a run. Failures use it up and successes refill it. Once it is used up, further attempts wait until a
 * single probe finds that the server answers again.
 */
export interface Circuit {
  succeeded(): void;
  /** Number of refusals that apply to every call. A call that began before one of them is not sent again. */
  refusals: number;
  /** Resolves to false if no further attempt is allowed; it may wait for the probe first. */
  permitsRetry(fault: Fault, signal?: AbortSignal): Promise<boolean>;
}

interface CircuitOptions {
  readonly system: Pick<System, 'elapsed' | 'random' | 'sleep'>;
  /** Milliseconds that the circuit may stay open. */
  readonly maxWait: number;
  /** Sends one `GET /account` without retries. */
  probe(signal?: AbortSignal): Promise<boolean>;
}

const capacity = 50;
/** These tokens are never spent, so that four concurrent calls send at most twelve requests to a dead server. */
const reserve = 10;

export function createCircuit({ system, maxWait, probe }: CircuitOptions): Circuit {
  let tokens = capacity;
  let probing: Promise<boolean> | undefined;

  async function waitForServer(signal?: AbortSignal): Promise<boolean> {
    const start = system.elapsed();
    for (let i = 0; ; i += 1) {
      const delay = Math.min(1000 * 2 ** i, 60_000) * (0.5 + system.random() / 2);
      if (system.elapsed() + delay - start > maxWait) return false;
      const slept = await system.sleep(delay, signal).then(
        () => true,
        () => false,
      );
      if (!slept) return false;
      if (await probe(signal)) return true;
    }
  }

  async function reopen(signal?: AbortSignal): Promise<boolean> {
    probing ??= waitForServer(signal).finally(() => {
      probing = undefined;
    });
    const back = await probing;
    if (back) tokens = capacity;
    return back;
  }

  return {
    succeeded: () => {
      tokens = Math.min(capacity, tokens + 1);
    },
    refusals: 0,
    permitsRetry: async ({ timedOut }, signal) => {
      if (probing || tokens <= reserve) return reopen(signal);
      tokens -= timedOut ? 10 : 5;
      return true;
    },
  };
}
