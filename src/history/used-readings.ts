import { NotFoundError } from '../base/errors.ts';
import { shellWord } from '../base/quoted.ts';
import { dayLength, isoTime, utcDay, utcTime } from '../base/times.ts';
import { type DayClicks, isComparable, type Period, type Span } from './clicks.ts';
import type { Reading, ReadingScope } from './readings.ts';

export interface UsedReadings {
  readonly first: Reading;
  readonly last: Reading;
  /** The start of the previous period; undefined if no reading makes it equally long. */
  readonly before: Reading | undefined;
  /** All readings that cover the wanted scope and have the right time. */
  readonly fitting: readonly Reading[];
}

/**
 * Selects the readings nearest to both ends of a period: of two equally near ones, the earlier for the start and the later for the end. One
 * that is nearest to both is the end if most of the period is before it, and an earlier reading exists. The oldest reading must not be later
 * than the start. Throws a `NotFoundError` if it is, or if there is only one reading.
 */
export function usedReadings(ends: readonly Reading[], { since, until, now }: Period, wanted: ReadingScope): UsedReadings {
  const isFitting = ({ scope }: Reading): boolean => covers(scope, wanted);
  const fitting = readingsInOrder(ends, now).filter(isFitting);
  const [oldest] = fitting;
  if (oldest === undefined) throw ends.some(isFitting) ? noTimelyReading() : noReading(ends, wanted);
  if (oldest.from > since) throw noOldReading(oldest, fitting.length > 1, until);
  const first = startOf(fitting, { since, until }) ?? oldest;
  const last = nearest(fitting.slice(fitting.indexOf(first) + 1), until, 'later');
  if (last === undefined) {
    throw new NotFoundError(`no reading was made after ${momentText(first.from)}, so there are no clicks to count`, {
      hint: 'linkctl stats --record',
    });
  }
  const earlier = nearest(fitting.slice(0, fitting.indexOf(first)), 2 * first.from - last.from, 'earlier');
  const isCompared = earlier && isComparable({ since: earlier.from, until: first.from }, { since: first.from, until: last.from });
  return { first, last, before: isCompared ? earlier : undefined, fitting };
}

function startOf(readings: readonly Reading[], { since, until }: Span): Reading | undefined {
  const start = nearest(readings, since, 'earlier');
  const isBoth = start !== undefined && start.from === nearest(readings, until, 'later')?.from;
  const isEnd = isBoth && start.from - since >= until - start.from;
  return isEnd ? (readings[readings.indexOf(start) - 1] ?? start) : start;
}

/**
 * Returns the most readings whose times are in the order in which they were made, and not later than `now`. The clock was wrong when the
 * others were made, so their times say nothing; their counters are right.
 */
function readingsInOrder(ends: readonly Reading[], now: number): Reading[] {
  interface Sequence {
    readonly last: Reading;
    readonly rest: Sequence | undefined;
  }
  // Of the sequences of each length, the one that ends earliest. The longest is last.
  const sequences: Sequence[] = [];
  for (const last of ends) {
    if (last.from > now) continue;
    const length = sequences.findLastIndex((shorter) => shorter.last.from <= last.from) + 1;
    sequences[length] = { last, rest: sequences[length - 1] };
  }
  const ordered: Reading[] = [];
  for (let left = sequences.at(-1); left; left = left.rest) ordered.push(left.last);
  return ordered.reverse();
}

function nearest(readings: readonly Reading[], time: number, ofTwo: 'earlier' | 'later'): Reading | undefined {
  let found: Reading | undefined;
  for (const reading of readings) {
    const distance = Math.abs(reading.from - time);
    const best = found === undefined ? Number.POSITIVE_INFINITY : Math.abs(found.from - time);
    if (distance < best || (distance === best && ofTwo === 'later')) found = reading;
  }
  return found;
}

/**
 * Each day counts from the reading nearest to its first midnight to the one nearest to its last, if they differ and are within 12 hours.
 * `perReading`: clicks since the reading before.
 */
export function clicksPerDay({ first, last, fitting }: UsedReadings, perReading: readonly number[]): DayClicks[] {
  const used = fitting.filter(({ nth }) => nth >= first.nth && nth <= last.nth);
  const days: DayClicks[] = [];
  let begin: Reading | undefined = first;
  for (let midnight = Math.floor(first.from / dayLength) * dayLength; midnight <= last.from; midnight += dayLength) {
    const next = midnight + dayLength;
    const end = next > last.from ? last : near(used, next);
    const date = utcDay(midnight);
    const isEdge = days.length === 0 || next > last.from;
    // The first and the last reading may be in days that hardly began.
    if (!(isEdge && begin !== undefined && begin === end)) days.push({ date, clicks: clicksOf(perReading, begin, end) });
    begin = end;
  }
  return days;
}

function near(readings: readonly Reading[], midnight: number): Reading | undefined {
  const found = nearest(readings, midnight, 'earlier');
  return found && Math.abs(found.from - midnight) <= dayLength / 2 ? found : undefined;
}

function clicksOf(perReading: readonly number[], begin: Reading | undefined, end: Reading | undefined): number | undefined {
  if (begin === undefined || end === undefined || begin === end) return undefined;
  return perReading.slice(begin.nth + 1, end.nth + 1).reduce((total, clicks) => total + clicks, 0);
}

function covers({ kind, words }: ReadingScope, wanted: ReadingScope): boolean {
  return kind === 'account' || (kind === wanted.kind && words === wanted.words);
}

function noReading(ends: readonly Reading[], { kind, words }: ReadingScope): NotFoundError {
  const what = { account: ' of the whole account', domain: ` of ${words}`, selection: ' of this selection' }[kind];
  // A reading of the account would cover what is wanted.
  const others = new Set(ends.map(({ scope }) => scopeText(scope)));
  return new NotFoundError(`no reading${what} was recorded`, {
    details: others.size > 0 ? [`recorded were: ${[...others].slice(0, 5).join(', ')}`] : [],
    hint: 'linkctl stats --record',
  });
}

function noTimelyReading(): NotFoundError {
  return new NotFoundError('no reading can be used: the clock of this computer was wrong when it was made, or is wrong now', {
    hint: 'linkctl stats --record',
  });
}

function scopeText({ kind, words }: ReadingScope): string {
  return kind === 'domain' ? `--domain ${shellWord(words)}` : words;
}

/** From a single reading nothing can be counted, whatever `--since` says. */
function noOldReading({ from }: Reading, hasLater: boolean, until: number): NotFoundError {
  // To the millisecond, because a later reading may be nearer to a rounded time.
  const moment = isoTime(from).replace('.000Z', 'Z');
  const remedy = `use --since ${moment}${from < until ? '' : ' without --until'}`;
  return new NotFoundError(`no reading is old enough: the first was made ${momentText(from)}`, {
    hint: hasLater ? remedy : 'linkctl stats --record',
  });
}

/** `2026-11-15 02:00:07 UTC`. */
export function momentText(time: number): string {
  return `${utcTime(time)} UTC`;
}
