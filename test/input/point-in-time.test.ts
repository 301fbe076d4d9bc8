import { expect, test } from 'vitest';
import { UsageError } from '../../src/base/errors.ts';
import { pointInTime } from '../../src/input/point-in-time.ts';

const now = Date.UTC(2026, 0, 31, 12);

test.each([
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['2026-01-31T09:00', '2026-01-31T09:00:00.000Z'],
  ['2026-01-31 09:00:30', '2026-01-31T09:00:30.000Z'],
  ['2026-01-31T09:00:30Z', '2026-01-31T09:00:30.000Z'],
  ['2026-01-31t09:00z', '2026-01-31T09:00:00.000Z'],
  ['2026-01-31T09:00+02:00', '2026-01-31T07:00:00.000Z'],
  ['45s', '2026-01-31T11:59:15.000Z'],
  ['30m', '2026-01-31T11:30:00.000Z'],
  ['12h', '2026-01-31T00:00:00.000Z'],
  ['7d', '2026-01-24T12:00:00.000Z'],
  ['2w', '2026-01-17T12:00:00.000Z'],
])('B27: %s is %s, in UTC unless it says otherwise', (text, time) => {
  expect(new Date(pointInTime('--since', text, now)).toISOString()).toBe(time);
});

test.each(['', 'yesterday', '7', 'd', '7y', '-7d', '2026-02-30', '2026-01-31T25:00', '2026-01-31T', '31.01.2026', '1738314000'])(
  '%j is no time',
  (text) => {
    expect(() => pointInTime('--since', text, now)).toThrow(UsageError);
  },
);
