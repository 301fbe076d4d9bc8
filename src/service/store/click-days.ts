import type { Click, DayClicks } from './store.ts';

/** In milliseconds. */
export const dayLength = 86_400_000;

/** UTC days are counted from 1970. */
export function dayOf(time: number): number {
  return Math.floor(time / dayLength);
}

/** Groups clicks by UTC day. Clicks that are stored together are of one day, or of two at midnight. */
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

export function dayClicks({ day, total, fresh }: { day: number; total: number; fresh: number }): DayClicks {
  return { day: new Date(day * dayLength).toISOString().slice(0, 10), total, unique: fresh };
}
