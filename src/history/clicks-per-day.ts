import { dayLength, utcDay } from '../base/days.ts';
import type { DayClicks } from './clicks.ts';
import type { Reading } from './readings.ts';
import { nearest, type UsedReadings } from './used-readings.ts';

/**
 * Each day counts from the reading nearest to its first midnight to the one nearest to its last, if they differ and are within 12 hours.
 * `perReading`: clicks since the reading before.
 */
export function clicksPerDay({ first, last, fitting }: UsedReadings, perReading: readonly number[]): DayClicks[] {
  const used = fitting.filter(({ nth }) => nth >= first.nth && nth <= last.nth);
  const days: DayClicks[] = [];
  let begin: Reading | undefined = first;
  for (let midnight = Math.floor(first.from / dayLength) * dayLength; midnight <= last.from; midnight += dayLength) {
    const next = midnight + dayLength;
    const end = next > last.from ? last : near(used, next);
    const date = utcDay(midnight);
    const isEdge = days.length === 0 || next > last.from;
    // The first and the last reading may be in days that hardly began.
    if (!(isEdge && begin !== undefined && begin === end)) days.push({ date, clicks: sum(perReading, begin, end) });
    begin = end;
  }
  return days;
}

function near(readings: readonly Reading[], midnight: number): Reading | undefined {
  const found = nearest(readings, midnight, 'earlier');
  return found && Math.abs(found.from - midnight) <= dayLength / 2 ? found : undefined;
}

function sum(perReading: readonly number[], begin: Reading | undefined, end: Reading | undefined): number | undefined {
  if (begin === undefined || end === undefined || begin === end) return undefined;
  return perReading.slice(begin.nth + 1, end.nth + 1).reduce((total, clicks) => total + clicks, 0);
}
