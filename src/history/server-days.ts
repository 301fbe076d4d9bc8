import { dayLength, utcDay } from '../base/days.ts';
import { isCalendarDate } from '../contract/fields.ts';
import { type Clicks, clicksOf, type DayClicks, type LinkClicks, type Period, type ReadLink, type Span } from './clicks.ts';

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
    const { total, unique } = Object.assign({ total: 0, unique: 0 }, figures);
    if (!Number.isSafeInteger(total) || !Number.isSafeInteger(unique) || total < 0) return undefined;
    days.set(date, { total, unique });
  }
  return days;
}

/**
 * Computes the clicks of a period without readings from the daily totals that some servers send. The period is rounded to whole days at the
 * nearest midnights, except that the current day counts so far. As many whole days are compared with the days before: without today.
 */
export class DailyClicks {
  readonly #asked: Period;
  readonly #counted: Span;
  /** The start of the last day of the period. */
  readonly #lastDay: number;
  /** The end of the last day that is over. */
  readonly #wholeUntil: number;
  readonly #before: number;
  readonly #links: LinkClicks[] = [];
  readonly #perDay = new Map<string, number>();
  #earliest: string | undefined;
  #isComplete = true;

  constructor(asked: Period) {
    this.#asked = asked;
    const today = startOfDay(asked.now);
    const hasToday = asked.until >= asked.now || asked.until > today;
    const until = hasToday ? asked.now : Math.floor(asked.until / dayLength + 0.5) * dayLength;
    this.#lastDay = hasToday ? today : until - dayLength;
    const since = Math.min(nearestMidnight(asked.since), this.#lastDay);
    this.#counted = { since, until };
    this.#wholeUntil = hasToday ? today : until;
    this.#before = since - (this.#wholeUntil - since);
  }

  /** `total` is the counter of the link. */
  add(link: ReadLink, days: ReadonlyMap<string, DayFigures>, total: number): void {
    let [all, clicks, today, before, unique] = [0, 0, 0, 0, 0];
    for (const [date, figures] of days) {
      const midnight = Date.parse(date);
      all += figures.total;
      if (this.#earliest === undefined || date < this.#earliest) this.#earliest = date;
      this.#perDay.set(date, (this.#perDay.get(date) ?? 0) + figures.total);
      if (midnight >= this.#counted.since && midnight <= this.#lastDay) {
        clicks += figures.total;
        if (midnight >= this.#wholeUntil) today += figures.total;
        unique += figures.unique;
      } else if (midnight >= this.#before && midnight < this.#counted.since) before += figures.total;
    }
    if (all < total) this.#isComplete = false;
    if (clicks > 0 || before > 0) this.#links.push({ link, clicks, today, before, unique, events: [] });
  }

  /**
   * Undefined if the server does not go back so far: if the daily clicks of some link add up to less than its counter, days before the
   * first one that the server sends are unknown.
   */
  onDay(date: string): number | undefined {
    if (!this.#isComplete && (this.#earliest === undefined || date < this.#earliest)) return undefined;
    return this.#perDay.get(date) ?? 0;
  }

  /** Undefined if the server does not go back so far. */
  clicks(): Clicks | undefined {
    if (this.onDay(utcDay(this.#counted.since)) === undefined) return undefined;
    const isCompared = this.#before < this.#counted.since && this.onDay(utcDay(this.#before)) !== undefined;
    return clicksOf({
      asked: this.#asked,
      counted: this.#counted,
      before: isCompared ? this.#before : undefined,
      links: this.#links,
      days: this.#days(),
      source: 'daily_clicks',
    });
  }

  #days(): DayClicks[] {
    const days: DayClicks[] = [];
    for (let midnight = this.#counted.since; midnight <= this.#lastDay; midnight += dayLength) {
      const date = utcDay(midnight);
      days.push({ date, clicks: this.onDay(date) });
    }
    return days;
  }
}

function startOfDay(time: number): number {
  return Math.floor(time / dayLength) * dayLength;
}

/** The earlier one if two are equally near. */
function nearestMidnight(time: number): number {
  return Math.ceil(time / dayLength - 0.5) * dayLength;
}
