import type { Client } from '../client/client.ts';
import { LimitError } from '../errors.ts';

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

/** Those `before` were made without it, and count. */
export function countCalls({ send }: Pick<Client, 'send'>, budget: number = Number.POSITIVE_INFINITY, before = 0): CountedClient {
  let made = before;
  let reserved = 0;
  let throttled = (): void => {};
  const onThrottled = (): void => throttled();
  return {
    heed(listener) {
      throttled = listener;
    },
    client: {
      send: (operation, input, options) => {
        made += 1;
        return send(operation, input, { ...options, onThrottled });
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
