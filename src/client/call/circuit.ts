import type { System } from '../../base/system.ts';
import type { Fault } from '../call-error.ts';

/**
 * The retry budget of one run. Failures drain it and successes fill it; when it is empty, every call that wants another
 * attempt waits until a single probe finds the server back.
 */
export interface Circuit {
  succeeded(): void;
  /** Refusals that every call would meet. Calls that began before one of them are not sent again. */
  refusals: number;
  /** Whether another attempt may go out, after waiting for the probe if need be. */
  passes(fault: Fault, signal?: AbortSignal): Promise<boolean>;
}

interface CircuitOptions {
  readonly system: Pick<System, 'now' | 'random' | 'sleep'>;
  /** Milliseconds that the circuit may stay open. */
  readonly maxWait: number;
  /** One `GET /account`, without retries: whether the server answers at all. */
  probe(signal?: AbortSignal): Promise<boolean>;
}

const capacity = 50;
/** Tokens that are never spent, so that four calls in flight send no more than twelve requests to a dead server (G7). */
const reserve = 10;

export function createCircuit({ system, maxWait, probe }: CircuitOptions): Circuit {
  let tokens = capacity;
  let probing: Promise<boolean> | undefined;

  async function untilBack(signal?: AbortSignal): Promise<boolean> {
    const start = system.now();
    for (let i = 0; ; i += 1) {
      const delay = Math.min(1000 * 2 ** i, 60_000) * (0.5 + system.random() / 2);
      if (system.now() + delay - start > maxWait) return false;
      const slept = await system.sleep(delay, signal).then(
        () => true,
        () => false,
      );
      if (!slept) return false;
      if (await probe(signal)) return true;
    }
  }

  async function reopened(signal?: AbortSignal): Promise<boolean> {
    probing ??= untilBack(signal).finally(() => {
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
    passes: async ({ timedOut }, signal) => {
      if (probing || tokens <= reserve) return reopened(signal);
      tokens -= timedOut ? 10 : 5;
      return true;
    },
  };
}
