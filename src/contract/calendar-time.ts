import { isCalendarDate } from './fields.ts';

/**
 * Parses a date-time of the API, or another ISO date or date-time, to milliseconds since 1970; undefined for anything else. Without an
 * offset it is in UTC (4.1.6).
 */
export function calendarTime(text: string | null | undefined): number | undefined {
  const match = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?(?: ?(Z|UTC|[+-]\d\d:?\d\d))?)?$/i.exec(text ?? '');
  if (!match) return undefined;
  const [, day = '', minutes = '00:00', seconds = ':00', written = 'Z'] = match;
  const zone = /^utc$/i.test(written) ? 'Z' : written.replace(/(\d\d)(\d\d)$/, '$1:$2');
  // `Date` would accept 30 February as 2 March.
  if (!isCalendarDate(day)) return undefined;
  const time = Date.parse(`${day}T${minutes}${seconds}${zone.toUpperCase()}`);
  return Number.isNaN(time) ? undefined : time;
}
