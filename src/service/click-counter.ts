import { setImmediate as turn } from 'node:timers/promises';
import type { Click, Store } from './store/store.ts';
import { withinMoment } from './store/timeout.ts';

/** Milliseconds for which clicks are collected; kill -9 loses no more than these. */
const collectionTime = 50;

/** Milliseconds that an API call waits for the clicks before it, so that its answer has them. */
const patience = 500;

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
  /** Resolves when what was collected so far is stored, or a moment has passed: nobody waits long for clicks. */
  settle(): Promise<void>;
  /** Stores what was collected so far; rejects where the store does, and keeps what it did not take. */
  flush(): Promise<void>;
}

export function clickCounter(store: Store, onFailure: (error: unknown) => void): ClickCounter {
  let pending: Click[] = [];
  let group: { readonly number: number; readonly clicks: readonly Click[] } | undefined;
  let groups = 0;
  let isLate = false;
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> | undefined;

  /** The same clicks under the same number until they are stored: what is offered again may be there already. */
  const nextGroup = (size: number) => {
    const clicks = pending.slice(0, size);
    pending = pending.slice(size);
    groups += 1;
    return { number: groups, clicks };
  };
  /** What came before it, and not what still arrives: under load there would be no end to that. */
  const flushPending = async (): Promise<void> => {
    let left = pending.length;
    while (group || left > 0) {
      if (!group) {
        group = nextGroup(Math.min(left, transactionBound));
        left -= group.clicks.length;
      }
      await store.recordClicks(group.clicks, group.number);
      group = undefined;
      if (left > 0) await turn();
    }
    if (pending.length > 0) schedule(collectionTime);
  };
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    flushing ??= flushPending()
      .catch((error: unknown) => {
        onFailure(error);
        schedule(retryTime);
        throw error;
      })
      .finally(() => {
        flushing = undefined;
        isLate = false;
      });
    return flushing;
  };
  const schedule = (delay: number): void => {
    timer ??= setTimeout(() => void flush().catch(() => {}), delay).unref();
  };
  const flushAll = async (): Promise<void> => {
    if (flushing) await flushing;
    if (group || pending.length > 0) await flush();
  };

  return {
    add(click) {
      if (pending.length >= pendingBound) return;
      pending.push(click);
      schedule(collectionTime);
    },
    waiting: () => pending.length + (group?.clicks.length ?? 0),
    async settle() {
      if (isLate || !(flushing || group || pending.length > 0)) return;
      isLate = !(await withinMoment(patience, flushAll().then(always, always), false));
    },
    flush: flushAll,
  };
}

const always = (): true => true;
