import { expect, test } from 'vitest';
import { type Reading, type ReadingScope, wholeAccount } from '../../src/history/readings.ts';
import { clicksPerDay, usedReadings } from '../../src/history/used-readings.ts';

const hour = 3_600_000;
const midnight = Date.UTC(2026, 2, 2);
const now = midnight + 1000 * hour;

/** Readings at these hours. */
function at(hours: readonly number[], scope: ReadingScope = wholeAccount): Reading[] {
  return hours.map((time, nth) => ({ nth, from: midnight + time * hour, to: midnight + time * hour, scope }));
}

test.each([
  // Equally near: the earlier for the beginning, the later for the end.
  [[0, 10, 20, 30], 5, 25, [0, 30]],
  [[0, 10, 20, 30], 6, 24, [10, 20]],
  [[0, 10, 20, 30], 4, 26, [0, 30]],
  // All of the time lies between two readings.
  [[0, 15, 19], 10, 11, [0, 15]],
  // A reading that is nearest to both is the end if most of the time is before it, unless it is the first one.
  [[0, 10, 50], 9, 12, [10, 50]],
  [[0, 24, 48], 23, 33, [24, 48]],
  [[0, 24, 48], 14, 25, [0, 24]],
  [[0, 24], 14, 34, [0, 24]],
  [[0, 24, 48], 20, 22, [0, 24]],
  [[0, 50], 1, 2, [0, 50]],
])('H2: of readings at %j, %d to %d is counted from one to the other of %j', (hours, since, until, used) => {
  const span = { since: midnight + since * hour, until: midnight + until * hour, now };
  const { first, last } = usedReadings(at(hours), span, wholeAccount);
  expect([first, last].map(({ from }) => (from - midnight) / hour)).toEqual(used);
});

test('H2: readings of a part are used for that part alone', () => {
  const ends = [
    ...at([0]),
    ...at([1], { kind: 'domain', words: 'b.example' }),
    ...at([2], { kind: 'selection', words: '--by-tags promo' }),
    ...at([10]),
  ];
  for (const [nth, reading] of ends.entries()) Object.assign(reading, { nth });
  const span = { since: midnight + 2 * hour, until: midnight + 10 * hour, now };
  const first = (scope: ReadingScope) => (usedReadings(ends, span, scope).first.from - midnight) / hour;
  expect(first(wholeAccount)).toBe(0);
  expect(first({ kind: 'domain', words: 'b.example' })).toBe(1);
  expect(first({ kind: 'domain', words: 'a.example' })).toBe(0);
  expect(first({ kind: 'selection', words: '--by-tags promo' })).toBe(2);
  expect(() => usedReadings(at([0], { kind: 'selection', words: 'abc' }), span, wholeAccount)).toThrow(
    'no reading of the whole account was recorded',
  );
});

test.each([
  ['every night', [2, 26, 50, 74], ['2026-03-02 1', '2026-03-03 2', '2026-03-04 3']],
  ['right before midnight', [-0.1, 23.9, 47.9], ['2026-03-02 1', '2026-03-03 2']],
  ['every 6 hours', [12, 18, 24, 30, 36], ['2026-03-02 3', '2026-03-03 7']],
  ['with a gap', [0, 24, 96, 120], ['2026-03-02 1', '2026-03-03 ?', '2026-03-04 ?', '2026-03-05 ?', '2026-03-06 3']],
  ['within a day', [3, 5], ['2026-03-02 1']],
])('H2: days of readings %s', (_, hours, days) => {
  const span = { since: midnight + (hours[0] ?? 0) * hour, until: midnight + (hours.at(-1) ?? 0) * hour, now };
  const perReading = hours.map((_hour, nth) => nth);
  const found = clicksPerDay(usedReadings(at(hours), span, wholeAccount), perReading);
  expect(found.map(({ date, clicks = '?' }) => `${date} ${clicks}`)).toEqual(days);
});
