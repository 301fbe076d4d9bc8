import type { Click, DayClicks } from './store.ts';

const dayLength = 86_400_000;

/** The UTC day of a time, days being counted from 1970. */
export function dayOf(time: number): number {
  return Math.floor(time / dayLength);
}

/** Clicks by UTC day, days being counted from 1970. Those that are stored at once are of one day, or of two at midnight. */
export function byDay(clicks: readonly Click[]): ReadonlyMap<number, readonly Click[]> {
  const days = new Map<number, Click[]>();
  for (const click of clicks) {
    const day = dayOf(click.time);
    const known = days.get(day);
    if (known) known.push(click);
    else days.set(day, [click]);
  }
  return days;
}

/** A row of a day as the record of it. */
export function dayClicks({ day, total, fresh }: { day: number; total: number; fresh: number }): DayClicks {
  return { day: new Date(day * dayLength).toISOString().slice(0, 10), total, unique: fresh };
}
