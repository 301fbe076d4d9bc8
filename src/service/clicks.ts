import type { Click, Store } from './store/store.ts';

/** Milliseconds for which clicks are collected; kill -9 loses no more than these. */
const collectionTime = 50;

/** Milliseconds until clicks that the store refused are offered again. */
const retryTime = 1000;

/** Clicks of one transaction: a flood must not hold the other writers up. */
const transactionBound = 5000;

/** Clicks kept while the store refuses them (a full disk); beyond these, new ones are not counted. */
const pendingBound = 200_000;

/** Counts clicks without making anybody wait: they are collected, and stored in groups. */
export interface ClickCounter {
  add(click: Click): void;
  /** Clicks of one URL that the store does not know of yet. */
  pendingOf(urlId: number): number;
  /** Stores what was collected so far; rejects where the store does, and keeps what it did not take. */
  flush(): Promise<void>;
}

export function clickCounter(store: Store, onFailure: (error: unknown) => void): ClickCounter {
  let pending: Click[] = [];
  const perUrl = new Map<number, number>();
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> | undefined;

  const flushPending = async (): Promise<void> => {
    while (pending.length > 0) {
      const group = pending.slice(0, transactionBound);
      await store.recordClicks(group);
      pending = pending.slice(group.length);
      for (const { urlId } of group) subtract(perUrl, urlId);
    }
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
      perUrl.set(click.urlId, (perUrl.get(click.urlId) ?? 0) + 1);
      schedule(collectionTime);
    },
    pendingOf: (urlId) => perUrl.get(urlId) ?? 0,
    async flush() {
      if (flushing) await flushing;
      if (pending.length > 0) await flush();
    },
  };
}

function subtract(counts: Map<number, number>, key: number): void {
  const rest = (counts.get(key) ?? 0) - 1;
  if (rest > 0) counts.set(key, rest);
  else counts.delete(key);
}
