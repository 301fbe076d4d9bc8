import { quoted } from '../base/quoted.ts';
import { relativeDay } from '../base/times.ts';
import { calendarTime } from '../contract/calendar-time.ts';
import { isCalendarDate } from '../contract/fields.ts';
import { isNever, lastDay } from '../link/value.ts';

/** The reason as the end of a sentence: `"perhaps" is not true or false`. */
export interface Refused {
  readonly refused: string;
}

/** Orders of day, month and year: `31.12.2031`, `12/31/2031` or `2031/12/31`. */
export const dateFormats = ['dmy', 'mdy', 'ymd'] as const;

export type DateFormat = (typeof dateFormats)[number];

/**
 * Returns an ISO date, the day of a date-time, or null for `never` and for the days that some servers use instead. Relative days
 * stay as typed because they are resolved when the run begins. Undefined for any other text.
 */
export function dayOf(text: string): string | null | undefined {
  if (isNever(text)) return null;
  if (isCalendarDate(text) || isRelative(text)) return text;
  const isTime = text.length > 10 && calendarTime(text) !== undefined;
  return isTime ? lastDay(text) || null : undefined;
}

/** Accepts today and later days. The answer is the same on every day, because a run may be resumed on a later one. */
export function isRelative(text: string): boolean {
  return /^[+t]/i.test(text) && relativeDay(text, latestToday) !== undefined;
}

/** What is a date from this day is one from all days before it. */
const latestToday = Date.UTC(3000, 0, 1);

/** Resolves relative days from `now`, in milliseconds. */
export function dayFromFlag(text: string, now: number): string | null | Refused {
  const day = dayOf(text);
  if (day === undefined) return notDate(text, ': YYYY-MM-DD, today, tomorrow, +30d, +2w, +6m, +1y or never');
  return day === null ? null : (relativeDay(day, now) ?? day);
}

/** Appends `forms` if the text does not even look like a date. */
export function notDate(text: string, forms = '; expected YYYY-MM-DD or never'): Refused {
  return { refused: `${quoted(text)} is not a date${/^\d{4}-\d\d-\d\d$/.test(text) ? '' : forms}` };
}
