const twoDigits = (number: number): string => String(number).padStart(2, '0');

/** Returns a time in milliseconds since 1970 as `2026-01-31T09:00:00.000Z`. `toISOString` would load time zones, which takes a millisecond. */
export function isoTime(time: number): string {
  const date = new Date(time);
  const day = [String(date.getUTCFullYear()).padStart(4, '0'), ...[date.getUTCMonth() + 1, date.getUTCDate()].map(twoDigits)];
  const clock = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(twoDigits);
  return `${day.join('-')}T${clock.join(':')}.${String(date.getUTCMilliseconds()).padStart(3, '0')}Z`;
}
