import { setImmediate as turn } from 'node:timers/promises';
import type { Click, Store } from './store/store.ts';

/** Milliseconds for which clicks are collected; kill -9 loses no more than these. */
const collectionTime = 50;

/** Milliseconds until clicks that the store refused are offered again. */
const retryTime = 1000;

/** Clicks of one transaction, about 2 ms: between two of them visitors are answered, and other processes may write. */
const transactionBound = 500;

/** Clicks kept while the store refuses them (a full disk); beyond these, new ones are not counted. */
const pendingBound = 200_000;

/** Counts clicks without making anybody wait: they are collected, and stored in groups. Those that are limited: `Store.countClick`. */
export interface ClickCounter {
  add(click: Click): void;
  /** Clicks that are still to be stored. */
  waiting(): number;
  /** Stores what was collected so far; rejects where the store does, and keeps what it did not take. */
  flush(): Promise<void>;
}

export function clickCounter(store: Store, onFailure: (error: unknown) => void): ClickCounter {
  let pending: Click[] = [];
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> | undefined;

  /** What came before it, and not what still arrives: under load there would be no end to that. */
  const flushPending = async (): Promise<void> => {
    for (let left = pending.length; left > 0; ) {
      const group = pending.slice(0, Math.min(left, transactionBound));
      await store.recordClicks(group);
      pending = pending.slice(group.length);
      left -= group.length;
      if (left > 0) await turn();
    }
    if (pending.length > 0) schedule(collectionTime);
  };
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    flushing ??= flushPending().finally(() => {
      flushing = undefined;
    });
    return flushing;
  };
  const schedule = (delay: number): void => {
    timer ??= setTimeout(() => {
      flush().catch((error: unknown) => {
        onFailure(error);
        schedule(retryTime);
      });
    }, delay);
  };

  return {
    add(click) {
      if (pending.length >= pendingBound) return;
      pending.push(click);
      schedule(collectionTime);
    },
    waiting: () => pending.length,
    async flush() {
      if (flushing) await flushing;
      if (pending.length > 0) await flush();
    },
  };
}
