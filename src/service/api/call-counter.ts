import { utcDay } from '../../base/times.ts';
import { unlimited } from '../service-options.ts';
import { createQueue } from '../store/queue.ts';
import type { Store } from '../store/store.ts';

/** Milliseconds for which calls are counted in memory; kill -9 loses at most these. */
const collectionTime = 1000;

/** A process reserves a part of the remaining calls at a time. Near the limit it reserves single calls, so that none is refused early. */
const leaseShare = 100;
const maxLease = 100;

/** Milliseconds after the last call in which unused calls are returned for other processes. */
const idleTime = 1000;

/** Counts the API calls of a day without a write to the store for each, which would dominate the cost of most calls. */
export interface CallCounter {
  /** Counts a call; returns false if the limit of the day is reached. */
  admit(): Promise<boolean>;
  /** Stores the calls that were counted in memory and returns unused reserved calls. `read` ends before more are reserved. */
  flush<T>(read: () => Promise<T>): Promise<T>;
}

type CallStore = Pick<Store, 'addCalls'>;

interface CallSettings {
  readonly limit: number;
  readonly now: () => number;
}

export function callCounter(store: CallStore, { limit, now }: CallSettings, onFailure: (error: unknown) => void): CallCounter {
  return limit >= unlimited ? bufferedCounter(store, now, onFailure) : leasedCounter(store, { limit, now }, onFailure);
}

/** Without a limit: counts calls per day in memory and stores them at intervals. */
function bufferedCounter(store: CallStore, now: () => number, onFailure: (error: unknown) => void): CallCounter {
  const counted = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  const add = (day: string, amount: number): void => void counted.set(day, (counted.get(day) ?? 0) + amount);
  // The stored number would otherwise lack the calls of an earlier flush.
  const enqueue = createQueue();
  const storeCounted = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    for (const day of [...counted.keys()]) {
      // Calls of this day may have come while those of another one were stored.
      const amount = counted.get(day) ?? 0;
      counted.delete(day);
      await store.addCalls(day, amount, Number.MAX_SAFE_INTEGER).catch((error: unknown) => {
        add(day, amount);
        throw error;
      });
    }
  };
  return {
    async admit() {
      add(utcDay(now()), 1);
      timer ??= setTimeout(() => void enqueue(storeCounted).catch(onFailure), collectionTime).unref();
      return true;
    },
    flush: async (read) => {
      await enqueue(storeCounted);
      return read();
    },
  };
}

/** With a limit: reserves calls from the number that all processes share. */
function leasedCounter(store: CallStore, { limit, now }: CallSettings, onFailure: (error: unknown) => void): CallCounter {
  let day = '';
  let left = 0;
  let size = 1;
  let taking: Promise<boolean> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const enqueue = createQueue();
  const take = async (): Promise<boolean> => {
    const today = utcDay(now());
    let count = await store.addCalls(today, size, limit);
    if (count === undefined && size > 1) {
      size = 1;
      count = await store.addCalls(today, size, limit);
    }
    if (count === undefined) return false;
    [day, left] = [today, size];
    size = Math.min(maxLease, Math.max(1, Math.floor((limit - count) / leaseShare)));
    return true;
  };
  const returnUnused = async (): Promise<void> => {
    clearTimeout(timer);
    const unused = left;
    left = 0;
    if (unused === 0) return;
    await store.addCalls(day, -unused, limit).catch((error: unknown) => {
      left = unused;
      throw error;
    });
  };
  const returnLater = (): void => {
    clearTimeout(timer);
    const onTime = () =>
      enqueue(returnUnused).catch((error: unknown) => {
        onFailure(error);
        returnLater();
      });
    timer = setTimeout(() => void onTime(), idleTime).unref();
  };
  return {
    async admit() {
      while (left === 0 || day !== utcDay(now())) {
        taking ??= enqueue(take).finally(() => {
          taking = undefined;
        });
        if (!(await taking)) return false;
      }
      left -= 1;
      returnLater();
      return true;
    },
    flush: (read) =>
      enqueue(async () => {
        await returnUnused();
        return read();
      }),
  };
}
