import type { System } from '../system.ts';
import type { Fault } from './call-error.ts';

/**
 * The retry budget of one run. Failures drain it and successes fill it; when it is empty, every call that wants another
 * attempt waits while a single probe looks whether the server is back.
 */
export interface Circuit {
  succeeded(): void;
  /** A refusal that every call would meet: nothing is sent again from here on, whatever calls wait for their turn. */
  refused(): void;
  /** Whether another attempt may go out, after waiting for the probe if need be. */
  passes(fault: Fault, signal?: AbortSignal): Promise<boolean>;
}

export interface CircuitOptions {
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
  let isRefused = false;

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
    refused: () => {
      isRefused = true;
    },
    passes: async ({ retry, timedOut }, signal) => {
      if (isRefused) return false;
      if (retry === 'throttled') return true;
      if (probing || tokens <= reserve) return reopened(signal);
      tokens -= timedOut ? 10 : 5;
      return true;
    },
  };
}
