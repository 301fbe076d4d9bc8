import { setImmediate as turn } from 'node:timers/promises';
import type { Click, Store } from '../store/store.ts';
import { settleTime, withTimeout } from '../store/timeout.ts';

/** Milliseconds for which clicks are buffered; kill -9 loses at most these. */
const collectionTime = 50;

/** Milliseconds before failed clicks are retried. */
const retryTime = 1000;

/** Clicks per transaction, about 2 ms, so that visitors are answered and other processes can write in between. */
const maxTransaction = 500;

/** Clicks kept while the store fails (a full disk); more are not counted. */
const maxPending = 200_000;

/** Buffers clicks and stores them in groups, so that nobody waits. For links with a limit see `Store.countClick`. */
export interface ClickCounter {
  add(click: Click): void;
  /** The number of clicks that are not stored yet. */
  waiting(): number;
  /** Resolves when the buffered clicks are stored, or after a short timeout. */
  settle(): Promise<void>;
  /** Stores the buffered clicks. Rejects with the error of the store and keeps the rest. */
  flush(): Promise<void>;
}

export function clickCounter(store: Store, onFailure: (error: unknown) => void): ClickCounter {
  let pending: Click[] = [];
  let group: { readonly number: number; readonly clicks: readonly Click[] } | undefined;
  let groups = 0;
  let isLate = false;
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> | undefined;

  /** A group keeps its number until it is stored, because a failed attempt may have stored it. */
  const nextGroup = (size: number) => {
    const clicks = pending.slice(0, size);
    pending = pending.slice(size);
    groups += 1;
    return { number: groups, clicks };
  };
  /** Excludes clicks that arrive meanwhile, which under load would never end. */
  const flushPending = async (): Promise<void> => {
    let left = pending.length;
    while (group || left > 0) {
      if (!group) {
        group = nextGroup(Math.min(left, maxTransaction));
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
      if (pending.length >= maxPending) return;
      pending.push(click);
      schedule(collectionTime);
    },
    waiting: () => pending.length + (group?.clicks.length ?? 0),
    async settle() {
      if (isLate || !(flushing || group || pending.length > 0)) return;
      isLate = !(await withTimeout(settleTime, flushAll().then(always, always), false));
    },
    flush: flushAll,
  };
}

const always = (): true => true;
