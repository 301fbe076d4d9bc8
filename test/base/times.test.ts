import { expect, test } from 'vitest';
import { isoTime } from '../../src/base/times.ts';

test('a time is written as Date writes it', () => {
  const times = [
    0,
    1,
    951_782_400_000,
    1_798_761_599_999,
    Date.UTC(2026, 10, 27, 5, 7, 9, 45),
    Date.UTC(9999, 11, 31, 23, 59, 59, 999),
  ];
  expect(times.map(isoTime)).toEqual(times.map((time) => new Date(time).toISOString()));
});
