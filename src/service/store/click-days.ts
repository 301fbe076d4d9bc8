import { grouped } from '../../base/group-by.ts';
import { dayLength, utcDay } from '../../base/times.ts';
import type { Click, DayClicks } from './store.ts';

/** UTC days are counted from 1970. */
export function dayOf(time: number): number {
  return Math.floor(time / dayLength);
}

/** Groups clicks by UTC day. Clicks that are stored together are of one day, or of two at midnight. */
export function byDay(clicks: readonly Click[]): ReadonlyMap<number, readonly Click[]> {
  return grouped(clicks, ({ time }) => dayOf(time));
}

export function dayClicks(day: number, total: number, fresh: number): DayClicks {
  return { day: utcDay(day * dayLength), total, unique: fresh };
}

/** Ids stay below 2^53 until the year 2248. */
const idsPerMillisecond = 1024;

/** Returns the smallest id of URLs created at `time`. The program generates ids so that they are equal in every engine. */
export function idOfTime(time: number): number {
  return time * idsPerMillisecond;
}
