import { dayLength, relativeDay, utcDay } from '../base/days.ts';
import { UsageError } from '../base/errors.ts';
import { quoted } from '../base/quoted.ts';
import { isCalendarDate } from '../contract/fields.ts';

/** In milliseconds. */
const units: { readonly [unit: string]: number } = { s: 1000, h: 3_600_000, d: dayLength, w: 7 * dayLength };

/**
 * Parses `2026-01-31`, `2026-01-31 09:00`, `2026-01-31T09:00:00Z`, the ages `12h`, `7d`, `3m` (months) and `1y`, and `today` or
 * `yesterday`. Times without an offset are UTC, as everywhere in the API (4.1.6). Takes and returns milliseconds since 1970. Throws a
 * UsageError.
 */
export function pointInTime(flag: string, text: string, now: number): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([shdw])$/.exec(text) ?? [];
  const ago = units[unit];
  if (ago !== undefined) return now - Number(count) * ago;
  const time = monthsAgo(text, now) ?? calendarTime(dayNamed(text, now) ?? text);
  if (time !== undefined) return time;
  throw new UsageError(
    `${flag}: ${quoted(text)} is not a time; expected 2026-01-31, 2026-01-31T09:00, today, yesterday, 1h, 7d, 3m (months) or 1y`,
  );
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

/** Parses an ISO date or date-time to milliseconds since 1970; undefined for any other text. */
export function calendarTime(text: string): number | undefined {
  const match = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?(?: ?(Z|UTC|[+-]\d\d:?\d\d))?)?$/i.exec(text);
  if (!match) return undefined;
  const [, day = '', minutes = '00:00', seconds = ':00', written = 'Z'] = match;
  const zone = /^utc$/i.test(written) ? 'Z' : written.replace(/(\d\d)(\d\d)$/, '$1:$2');
  // `Date` would accept 30 February as 2 March.
  if (!isCalendarDate(day)) return undefined;
  const time = Date.parse(`${day}T${minutes}${seconds}${zone.toUpperCase()}`);
  return Number.isNaN(time) ? undefined : time;
}
