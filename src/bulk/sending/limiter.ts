import { LimitError } from '../../base/errors.ts';
import { CallError, type Fault, refusesEveryCall } from '../../client/call-error.ts';
import type { Client } from '../../client/client.ts';
import type { RunEnvironment, RunPlan } from '../run-plan.ts';

export type Limiter = ReturnType<typeof createLimiter>;

const successesPerStep = 10;

/**
 * Limits concurrent calls. Throttling halves the limit, down to 1; ten successes raise it by one, up to `maximum`. While a call waits as long
 * as the server asked, no other batch begins.
 */
export function createLimiter(maximum: number) {
  let limit = maximum;
  let inside = 0;
  let successes = 0;
  let pauses = 0;
  const waiting: (() => void)[] = [];

  function admit(): void {
    while (pauses === 0 && inside < limit) {
      const next = waiting.shift();
      if (!next) return;
      inside += 1;
      next();
    }
  }

  return {
    get limit(): number {
      return limit;
    },
    /** Resolves with a function that releases the permit; calling it again does nothing. */
    async acquire(): Promise<() => void> {
      const admitted = new Promise<void>((resolve) => waiting.push(resolve));
      admit();
      await admitted;
      let isInside = true;
      return () => {
        if (!isInside) return;
        isInside = false;
        inside -= 1;
        admit();
      };
    },
    throttled(over?: Promise<unknown>): void {
      limit = Math.max(1, Math.floor(limit / 2));
      successes = 0;
      if (!over) return;
      pauses += 1;
      const goOn = (): void => {
        pauses -= 1;
        admit();
      };
      over.then(goOn, goOn);
    },
    succeeded(): void {
      successes += 1;
      if (successes < successesPerStep || limit >= maximum) return;
      successes = 0;
      limit += 1;
      admit();
    },
  };
}

/** The budget of calls is exhausted. Calls that were reserved earlier may still be sent. */
export class BudgetError extends LimitError {
  constructor(budget: number | undefined) {
    super(`the budget of ${budget} calls is exhausted`, { hint: 'run the same command again to resume' });
  }
}

/** Counts the calls of a run and limits them to `--budget`. Retries are not counted. */
export interface CallCount {
  readonly made: number;
  /** A negative number gives calls back. */
  reserve(calls: number): boolean;
}

/** Says whether a reserved call is made; otherwise it is given back. Only the first answer counts. */
export type Reserved = (isMade: boolean) => void;

/**
 * Counts the calls of a run. If the session has requested the domains, that call counts as the first. After a refusal that applies to every
 * call, later calls fail with it and are not sent; otherwise a batch that has read its links could send its change after another batch was
 * refused. After a signal, calls in flight are not repeated.
 */
export function countCalls(
  { client, interrupt }: RunEnvironment,
  { budget = Number.POSITIVE_INFINITY, hasDomains }: RunPlan,
  { throttled }: Limiter,
): { client: Client; calls: CallCount } {
  let made = hasDomains ? 1 : 0;
  let reserved = 0;
  let refusal: Fault | undefined;
  return {
    client: {
      ...client,
      send: async (operation, input, options) => {
        if (refusal) throw new CallError(refusal, { operation, attempts: 0, gaveUp: 'not retryable' });
        made += 1;
        try {
          return await client.send(operation, input, { ...options, halt: interrupt, onThrottled: throttled });
        } catch (error) {
          // A server without GET /domains refuses only that call.
          if (error instanceof CallError && refusesEveryCall(error.last) && operation !== 'listDomains') refusal = error.last;
          throw error;
        }
      },
    },
    calls: {
      get made() {
        return made;
      },
      reserve(calls) {
        reserved = Math.max(reserved, made);
        if (reserved + calls > budget) return false;
        reserved += calls;
        return true;
      },
    },
  };
}
