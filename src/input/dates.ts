import { relativeDay, utcDay } from '../base/days.ts';
import { quoted } from '../base/quoted.ts';
import { isCalendarDate } from '../contract/fields.ts';
import { isFarDay } from '../link/value.ts';
import { calendarTime } from './point-in-time.ts';

/** Why a text is no date, as values have it. */
interface Refused {
  readonly refused: string;
}

/** How a date of digits is written: `31.12.2031`, `12/31/2031` or `2031/12/31`. */
export const dateFormats = ['dmy', 'mdy', 'ymd'] as const;

export type DateFormat = (typeof dateFormats)[number];

/**
 * The day that a text names: an ISO date, the day in UTC of a date-time, or null for `never` and for the far day that some servers
 * write instead. What counts from today stays as it is typed, since it is known only when the run begins. Undefined for any other text.
 */
export function dayOf(text: string): string | null | undefined {
  if (text === 'never' || isFarDay(text)) return null;
  if (isCalendarDate(text) || isRelative(text)) return text;
  const time = /^\d{4}-\d\d-\d\d[T ]/i.test(text) ? calendarTime(text) : undefined;
  return time === undefined ? undefined : utcDay(time);
}

/** Whether a text is a day that counts from today and is not before it. */
export function isRelative(text: string): boolean {
  return /^[+t]/.test(text) && relativeDay(text, 0) !== undefined;
}

const digits = /^(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})(?:[T ,]+\d\d?:\d\d(?::\d\d)?)?$/;

/** The day that digits name in this format; undefined where they name none. */
export function dayOfDigits(text: string, format: DateFormat): string | undefined {
  const [, first = '', , second = '', third = ''] = digits.exec(text) ?? [];
  const [year, month, day] = { dmy: [third, second, first], mdy: [third, first, second], ymd: [first, second, third] }[format];
  if (year?.length !== 4 || !month || !day) return undefined;
  const written = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isCalendarDate(written) ? written : undefined;
}

/** The formats in which a text is a day; none for what is not written as digits. */
export function formatsOf(text: string): DateFormat[] {
  return digits.test(text) ? dateFormats.filter((format) => dayOfDigits(text, format) !== undefined) : [];
}

/** How a date in this format is written, for messages. */
export function exampleOf(format: DateFormat): string {
  return { dmy: '31.12.2031', mdy: '12/31/2031', ymd: '2031/12/31' }[format];
}

/** Whether a text is digits like those of a date, with a year of any length. */
export function isDigits(text: string): boolean {
  return digits.test(text);
}

/** The day of a flag; one that counts from today does so from `now`, in milliseconds. */
export function dayFromFlag(text: string, now: number): string | null | Refused {
  const day = dayOf(text);
  if (day === undefined) return notDate(text, ': YYYY-MM-DD, today, +30d, +2w, +6m, +1y or never');
  return day === null ? null : (relativeDay(day, now) ?? day);
}

/** `forms` continues the sentence where the text is not even written as a date. */
export function notDate(text: string, forms = '; expected YYYY-MM-DD'): Refused {
  return { refused: `${quoted(text)} is not a date${/^\d{4}-\d\d-\d\d$/.test(text) ? '' : forms}` };
}
