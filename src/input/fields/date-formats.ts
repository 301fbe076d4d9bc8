import { dayLength } from '../../base/times.ts';
import { calendarTime } from '../../contract/calendar-time.ts';
import { isCalendarDate } from '../../contract/fields.ts';
import { type DateFormat, dateFormats, in24Hours } from '../dates.ts';

/** Accepts a year of any length. */
const digits = /^(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})(?:[T ,]+(\d\d?:\d\d(?::\d\d)?))?$/;

function partsOf(text: string): RegExpExecArray | null {
  return digits.exec(in24Hours(text));
}

/** They may be no date in any format. */
export function areDigits(text: string): boolean {
  return partsOf(text) !== null;
}

/** Undefined if the digits are no date in this format. */
export function dayOfDigits(text: string, format: DateFormat): string | undefined {
  const [, first = '', , second = '', third = ''] = partsOf(text) ?? [];
  const [year, month, day] = { dmy: [third, second, first], mdy: [third, first, second], ymd: [first, second, third] }[format];
  if (year?.length !== 4 || !month || !day) return undefined;
  const written = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isCalendarDate(written) ? written : undefined;
}

/** Empty unless the text consists of digits and separators. */
export function formatsOf(text: string): DateFormat[] {
  return dateFormats.filter((format) => dayOfDigits(text, format) !== undefined);
}

/** Accepts a date, a date-time, or seconds or milliseconds since 1970. Returns milliseconds. */
export function momentOf(text: string): number | undefined {
  if (/^\d{10}$/.test(text)) return Number(text) * 1000;
  if (/^\d{13}$/.test(text)) return Number(text);
  return calendarTime(in24Hours(text));
}

/** Accepts a date in any format. Midnight is the beginning of its day. */
export function hasTimeOfDay(text: string): boolean {
  if (text.length <= 10 && !/^\d{10}$/.test(text)) return false;
  const [, , , , , clock] = partsOf(text) ?? [];
  return clock === undefined ? (momentOf(text) ?? 0) % dayLength !== 0 : /[1-9]/.test(clock);
}

/** For messages. */
export const dateExamples: { readonly [F in DateFormat]: string } = { dmy: '31.12.2031', mdy: '12/31/2031', ymd: '2031/12/31' };
