import { LimitError } from '../../base/errors.ts';
import { CallError, type Fault, refusesEveryCall } from '../../client/call-error.ts';
import type { Client } from '../../client/client.ts';

/** The budget of calls is used up: what was paid for before may still go out. */
export class BudgetError extends LimitError {
  constructor(budget: number | undefined) {
    super(`the budget of ${budget} calls is used up`, { hint: 'run the same command again to go on' });
  }
}

/** Calls of one run: counted, and bounded by `--budget`. Repeats inside one call count once. */
export interface CallCount {
  readonly made: number;
  /** Sets so many calls aside; false where the budget does not hold them. */
  reserve(calls: number): boolean;
}

export interface CountedClient {
  readonly client: Pick<Client, 'send'>;
  readonly calls: CallCount;
  /** From now on `listener` is told whenever the server asks one of these calls to slow down. */
  heed(listener: () => void): void;
}

/**
 * Those `before` were made without it, and count. What one call meets and every other would meet too is the answer to all that begin
 * after it, and none of them is sent: a batch reads links before it changes them, and another one may hear of it in between.
 */
export function countCalls({ send }: Pick<Client, 'send'>, budget: number = Number.POSITIVE_INFINITY, before = 0): CountedClient {
  let made = before;
  let reserved = 0;
  let refusal: Fault | undefined;
  let throttled = (): void => {};
  const onThrottled = (): void => throttled();
  return {
    heed(listener) {
      throttled = listener;
    },
    client: {
      send: async (operation, input, options) => {
        if (refusal) throw new CallError(refusal, { operation, attempts: 0, gaveUp: 'not retryable' });
        made += 1;
        try {
          return await send(operation, input, { ...options, onThrottled });
        } catch (error) {
          // A server without a list of domains has one all the same.
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
