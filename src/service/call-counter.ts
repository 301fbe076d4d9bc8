import { unlimited } from './resolved-settings.ts';
import type { Store } from './store/store.ts';

/** Milliseconds for which calls are counted in memory; kill -9 forgets no more than these. */
const collectionTime = 1000;

/** Calls that a process takes from the limit at a time: a part of what is left, so that near the end it is one, and nobody is refused early. */
const leaseShare = 100;
const largestLease = 100;

const dayLength = 86_400_000;

/** Counts the API calls of a day without a change of the store for each: that would be what most calls cost. */
export interface CallCounter {
  /** Counts a call, unless the day has had as many as it may: then false. */
  admit(): Promise<boolean>;
  /** Makes the stored number that of the calls: adds what was counted, gives back what was not used. */
  flush(): Promise<void>;
}

interface CallSettings {
  readonly limit: number;
  readonly now: () => number;
}

export function callCounter(store: Store, { limit, now }: CallSettings, onFailure: (error: unknown) => void): CallCounter {
  return limit >= unlimited ? collected(store, now, onFailure) : leased(store, limit, now);
}

/** Without a limit: calls by the start of their day, added up now and then. */
function collected(store: Store, now: () => number, onFailure: (error: unknown) => void): CallCounter {
  const counted = new Map<number, number>();
  let timer: NodeJS.Timeout | undefined;
  const add = (day: number, amount: number): void => void counted.set(day, (counted.get(day) ?? 0) + amount);
  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    for (const [day, amount] of [...counted]) {
      counted.delete(day);
      await store.addCalls(day, amount, Number.MAX_SAFE_INTEGER).catch((error: unknown) => {
        add(day, amount);
        throw error;
      });
    }
  };
  return {
    async admit() {
      add(startOfDay(now()), 1);
      timer ??= setTimeout(() => void flush().catch(onFailure), collectionTime).unref();
      return true;
    },
    flush,
  };
}

/** With a limit: some calls are taken from what all processes share, then given out. */
function leased(store: Store, limit: number, now: () => number): CallCounter {
  let day = 0;
  let left = 0;
  let size = 1;
  let taking: Promise<boolean> | undefined;
  const take = async (): Promise<boolean> => {
    const today = startOfDay(now());
    let count = await store.addCalls(today, size, limit);
    if (count === undefined && size > 1) {
      size = 1;
      count = await store.addCalls(today, size, limit);
    }
    if (count === undefined) return false;
    [day, left] = [today, size];
    size = Math.min(largestLease, Math.max(1, Math.floor((limit - count) / leaseShare)));
    return true;
  };
  return {
    async admit() {
      while (left === 0 || day !== startOfDay(now())) {
        taking ??= take().finally(() => {
          taking = undefined;
        });
        if (!(await taking)) return false;
      }
      left -= 1;
      return true;
    },
    async flush() {
      const unused = left;
      left = 0;
      if (unused > 0) await store.addCalls(day, -unused, limit);
    },
  };
}

function startOfDay(time: number): number {
  return time - (time % dayLength);
}
