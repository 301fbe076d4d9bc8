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
  const time = in24Hours(text);
  const isTime = time.length > 10 && calendarTime(time) !== undefined;
  return isTime ? lastDay(time) || null : undefined;
}

/** Accepts today and later days. The answer is the same on every day, because a run may be resumed on a later one. */
export function isRelative(text: string): boolean {
  return /^[+t]/i.test(text) && relativeDay(text, latestToday) !== undefined;
}

/** What is a date from this day is one from all days before it. */
const latestToday = Date.UTC(3000, 0, 1);

/** Some spreadsheets and services write `11:59 PM` or `11:59 p. m.`. 12 AM is midnight, and 12 PM is noon. */
export function in24Hours(text: string): string {
  return text.replace(twelveHours, (_, hour: string, rest: string, half: string) => {
    const hours = (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
    return `${String(hours).padStart(2, '0')}${rest}`;
  });
}

const twelveHours = /(?<!\d)(0?[1-9]|1[0-2])(:\d\d(?::\d\d)?)\s?([ap])\.?\s?m\.?$/i;

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
