import { dayLength, utcDay } from '../base/times.ts';
import { isCalendarDate } from '../contract/fields.ts';
import { type Clicks, clicksOf, type DayClicks, type LinkClicks, type Period, type ReadLink } from './clicks.ts';

interface DayFigures {
  readonly total: number;
  readonly unique: number;
}

/** Keyed by date. Undefined if the server sends no daily clicks or an unknown form. */
export function readDailyClicks(value: unknown): ReadonlyMap<string, DayFigures> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const days = new Map<string, DayFigures>();
  for (const [date, figures] of Object.entries(value)) {
    if (!isCalendarDate(date) || typeof figures !== 'object' || figures === null) return undefined;
    const counters: Record<keyof DayFigures, unknown> = { total: 0, unique: 0, ...figures };
    const [total, unique] = [numberOf(counters.total), numberOf(counters.unique)];
    if (!Number.isSafeInteger(total) || !Number.isSafeInteger(unique) || total < 0) return undefined;
    days.set(date, { total, unique });
  }
  return days;
}

/** Some servers write numbers as text. NaN for anything else. */
function numberOf(value: unknown): number {
  return typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value)) ? Number(value) : Number.NaN;
}

/**
 * Computes the clicks of a period without readings from the daily totals that some servers send. The period is rounded to whole days at the
 * nearest midnights, except that the current day counts so far. As many whole days are compared with the days before: without today.
 */
export function dailyClicksIn(asked: Period) {
  const today = startOfDay(asked.now);
  const hasToday = asked.until >= asked.now || asked.until > today;
  const until = hasToday ? asked.now : Math.floor(asked.until / dayLength + 0.5) * dayLength;
  /** The start of the last day of the period, and the end of the last day that is over. */
  const lastDay = hasToday ? today : until - dayLength;
  const wholeUntil = hasToday ? today : until;
  const since = Math.min(nearestMidnight(asked.since), lastDay);
  const before = since - (wholeUntil - since);
  const links: LinkClicks[] = [];
  const perDay = new Map<string, number>();
  let earliest: string | undefined;
  let isComplete = true;
  /**
   * Undefined if the server does not go back so far: if the daily clicks of some link add up to less than its counter, days before the
   * first one that the server sends are unknown.
   */
  const onDay = (date: string): number | undefined => {
    if (!isComplete && (earliest === undefined || date < earliest)) return undefined;
    return perDay.get(date) ?? 0;
  };
  const daysOfPeriod = (): DayClicks[] => {
    const days: DayClicks[] = [];
    for (let midnight = since; midnight <= lastDay; midnight += dayLength) {
      const date = utcDay(midnight);
      days.push({ date, clicks: onDay(date) });
    }
    return days;
  };
  return {
    onDay,
    /** `total` is the counter of the link. */
    add(link: ReadLink, days: ReadonlyMap<string, DayFigures>, total: number): void {
      const sums = { clicks: 0, today: 0, before: 0, unique: 0 };
      let all = 0;
      for (const [date, figures] of days) {
        const midnight = Date.parse(date);
        all += figures.total;
        if (earliest === undefined || date < earliest) earliest = date;
        perDay.set(date, (perDay.get(date) ?? 0) + figures.total);
        if (midnight >= since && midnight <= lastDay) {
          sums.clicks += figures.total;
          if (midnight >= wholeUntil) sums.today += figures.total;
          sums.unique += figures.unique;
        } else if (midnight >= before && midnight < since) sums.before += figures.total;
      }
      if (all < total) isComplete = false;
      if (sums.clicks > 0 || sums.before > 0) links.push({ link, ...sums, events: [] });
    },
    /** Undefined if the server does not go back so far. */
    clicks(): Clicks | undefined {
      if (onDay(utcDay(since)) === undefined) return undefined;
      const isCompared = before < since && onDay(utcDay(before)) !== undefined;
      return clicksOf({
        asked,
        counted: { since, until },
        before: isCompared ? before : undefined,
        links,
        days: daysOfPeriod(),
        source: 'daily_clicks',
      });
    },
  };
}

function startOfDay(time: number): number {
  return Math.floor(time / dayLength) * dayLength;
}

/** The earlier one if two are equally near. */
function nearestMidnight(time: number): number {
  return Math.ceil(time / dayLength - 0.5) * dayLength;
}
