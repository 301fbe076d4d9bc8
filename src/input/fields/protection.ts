import { calendarTime, type DateFormat, dayOfDigits } from '../dates.ts';
import type { Guard } from './aliases.ts';

/** False for empty values and words such as `no` and `none`. */
export function hasValue(text: string): boolean {
  return !/^(?:|0|false|no|n|off|none|null|undefined|-|\[\]|\{\})$/i.test(text);
}

interface Now {
  /** In milliseconds since 1970. */
  readonly now: number;
  readonly dateFormat?: DateFormat | undefined;
}

const off = /^(?:inactive|disabled|archived|banned|blocked|deleted|deactivated|suspended|paused|draft|off)$/i;

/** The value marks the link as protected or disabled at the source. */
export const isProtected: { readonly [G in Guard]: (text: string, now: Now) => boolean } = {
  set: hasValue,
  unset: (text) => text !== '' && !hasValue(text),
  state: (text) => off.test(text),
  later: (text, now) => hasValue(text) && isLater(text, now),
};

/** A time in an unknown format may be in the future. */
function isLater(text: string, { now, dateFormat }: Now): boolean {
  const day = dateFormat && dayOfDigits(text, dateFormat);
  const time = momentOf(day ?? text);
  return time === undefined || time > now;
}

/** Accepts a date, a date-time, or seconds or milliseconds since 1970. Returns milliseconds. */
export function momentOf(text: string): number | undefined {
  if (/^\d{10}$/.test(text)) return Number(text) * 1000;
  if (/^\d{13}$/.test(text)) return Number(text);
  return calendarTime(text);
}
