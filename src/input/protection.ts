import { type DateFormat, dayOfDigits } from './dates.ts';
import type { Guard } from './fields/aliases.ts';
import { calendarTime } from './point-in-time.ts';

/** Whether a cell says that its link has something. */
export function isSomething(text: string): boolean {
  return !/^(?:|0|false|no|n|off|none|null|undefined|-|\[\]|\{\})$/i.test(text);
}

interface Now {
  /** In milliseconds since 1970. */
  readonly now: number;
  readonly dateFormat?: DateFormat | undefined;
}

const off = /^(?:inactive|disabled|archived|banned|blocked|deleted|deactivated|suspended|paused|draft|off)$/i;

/** Whether a cell says that its link is protected or off at the source. */
export function isGuarded(guard: Guard, text: string, now: Now): boolean {
  switch (guard) {
    case 'set':
      return isSomething(text);
    case 'unset':
      return text !== '' && !isSomething(text);
    case 'state':
      return off.test(text);
    case 'later':
      return isSomething(text) && isLater(text, now);
  }
}

/** What is no time of ours may be in the future. */
function isLater(text: string, { now, dateFormat }: Now): boolean {
  const day = dateFormat && dayOfDigits(text, dateFormat);
  const time = momentOf(day ?? text);
  return time === undefined || time > now;
}

/** The moment of a date, a date-time, or of seconds or milliseconds since 1970, in milliseconds. */
export function momentOf(text: string): number | undefined {
  if (/^\d{10}$/.test(text)) return Number(text) * 1000;
  if (/^\d{13}$/.test(text)) return Number(text);
  return calendarTime(text);
}
