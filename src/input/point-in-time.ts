import { UsageError } from '../base/errors.ts';
import { quoted } from '../base/quoted.ts';
import { dayLength, relativeDay, utcDay } from '../base/times.ts';
import { calendarTime } from '../contract/calendar-time.ts';

/** In milliseconds. */
const units: { readonly [unit: string]: number } = { s: 1000, h: 3_600_000, d: dayLength, w: 7 * dayLength };

/**
 * Parses `2026-01-31`, `2026-01-31 09:00`, `2026-01-31T09:00:00Z`, the ages `12h`, `7d`, `3m` (months) and `1y`, and `today` or
 * `yesterday`. Times without an offset are UTC, as everywhere in the API (4.1.6). Takes and returns milliseconds since 1970. Throws a
 * UsageError.
 */
export function pointInTime(flag: string, typed: string, now: number): number {
  const text = typed.toLowerCase();
  const [, count = '', unit = ''] = /^(\d{1,6})([shdw])$/.exec(text) ?? [];
  const ago = units[unit];
  if (ago !== undefined) return now - Number(count) * ago;
  const time = monthsAgo(text, now) ?? calendarTime(dayNamed(text, now) ?? text);
  if (time !== undefined) return time;
  throw new UsageError(
    `${flag}: ${quoted(typed)} is not a time; expected 2026-01-31, 2026-01-31T09:00, today, yesterday, 1h, 7d, 2w, 3m (months) or 1y`,
  );
}

/** The beginning of a period that ends now. It may be now itself, as `today` is at midnight. Throws a UsageError. */
export function pastTime(flag: string, text: string, now: number): number {
  const time = pointInTime(flag, text, now);
  if (time > now) throw new UsageError(`${flag} ${text} is not before now`);
  return time;
}

function dayNamed(text: string, now: number): string | undefined {
  if (text === 'today') return utcDay(now);
  return text === 'yesterday' ? utcDay(now - dayLength) : undefined;
}

/** Keeps the time of day; uses the last day of a shorter month. */
function monthsAgo(text: string, now: number): number | undefined {
  const day = /^\d{1,5}[my]$/.test(text) ? relativeDay(`-${text}`, now) : undefined;
  return day === undefined ? undefined : Date.parse(day) + (now % dayLength);
}
