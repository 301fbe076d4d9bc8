import { isCalendarDate } from './fields.ts';

/**
 * Parses a date-time of the API, or another ISO date or date-time, to milliseconds since 1970; undefined for anything else. Without an
 * offset it is in UTC (4.1.6).
 */
export function calendarTime(text: string | null | undefined): number | undefined {
  const match = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?: ?(?:Z|UTC|([+-]\d\d):?(\d\d)))?)?$/i.exec(
    text ?? '',
  );
  const [, day = '', clock = '00:00', hours = '+00', minutes = '00'] = match ?? [];
  // `Date` would accept 30 February as 2 March.
  if (!isCalendarDate(day)) return undefined;
  const time = Date.parse(`${day}T${clock}${hours}:${minutes}`);
  return Number.isNaN(time) ? undefined : time;
}
