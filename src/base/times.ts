/** Milliseconds. */
export const dayLength = 86_400_000;

/** The days, as `YYYY-MM-DD`, on which a resumed run began and goes on. */
export interface DaysOfRun {
  readonly began: string;
  readonly today: string;
}

/** Returns a time in milliseconds since 1970 as `2026-01-31T09:00:00.000Z`. `toISOString` would load time zones, which takes a millisecond. */
export function isoTime(time: number): string {
  const date = new Date(time);
  const day = [String(date.getUTCFullYear()).padStart(4, '0'), ...[date.getUTCMonth() + 1, date.getUTCDate()].map(twoDigits)];
  const clock = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(twoDigits);
  return `${day.join('-')}T${clock.join(':')}.${String(date.getUTCMilliseconds()).padStart(3, '0')}Z`;
}

const twoDigits = (number: number): string => String(number).padStart(2, '0');

/** Returns `YYYY-MM-DD` in UTC (4.1.6). */
export function utcDay(now: number): string {
  return isoTime(now).slice(0, 10);
}

/** Returns `YYYY-MM-DD HH:MM:SS` in UTC, as the API writes it (4.1.6). */
export function utcTime(now: number): string {
  return isoTime(now).slice(0, 19).replace('T', ' ');
}

/**
 * Reads `today`, `tomorrow`, `+30d`, `-90d`, `+2w`, `+6m` or `+1y` from today in UTC; undefined for other texts. Ignores case. A month
 * without that day gives its last day.
 */
export function relativeDay(typed: string, now: number): string | undefined {
  const text = typed.toLowerCase();
  if (text === 'today') return utcDay(now);
  if (text === 'tomorrow') return utcDay(now + dayLength);
  const [, count = '', unit = ''] = /^([+-]\d{1,5})([dwmy])$/.exec(text) ?? [];
  if (unit === '') return undefined;
  const number = Number(count);
  const isDays = unit === 'd' || unit === 'w';
  const time = isDays ? now + number * dayLength * (unit === 'w' ? 7 : 1) : monthsLater(now, unit === 'y' ? number * 12 : number);
  const year = new Date(time).getUTCFullYear();
  return year > 0 && year <= 9999 ? utcDay(time) : undefined;
}

function monthsLater(now: number, months: number): number {
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + months, date.getUTCDate()];
  // Day 0 of a month is the last day of the month before.
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(day, lastDay));
}
