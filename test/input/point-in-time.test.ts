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
  ['12h', '2026-01-31T00:00:00.000Z'],
  ['7d', '2026-01-24T12:00:00.000Z'],
  ['2w', '2026-01-17T12:00:00.000Z'],
  ['1m', '2025-12-31T12:00:00.000Z'],
  // Months that have no such day end with their last one.
  ['11m', '2025-02-28T12:00:00.000Z'],
  ['1y', '2025-01-31T12:00:00.000Z'],
  ['today', '2026-01-31T00:00:00.000Z'],
  ['yesterday', '2026-01-30T00:00:00.000Z'],
  ['Yesterday', '2026-01-30T00:00:00.000Z'],
])('B27, H6: %s is %s, in UTC unless it says otherwise', (text, time) => {
  expect(new Date(pointInTime('--since', text, now)).toISOString()).toBe(time);
});

test.each([
  ['2028-02-29T23:59:59Z', '1y', '2027-02-28T23:59:59.000Z'],
  ['2028-02-29T00:00:00Z', '4y', '2024-02-29T00:00:00.000Z'],
  ['2028-03-31T08:00:00Z', '1m', '2028-02-29T08:00:00.000Z'],
  ['2027-03-01T00:00:00Z', 'yesterday', '2027-02-28T00:00:00.000Z'],
  ['2027-01-01T00:00:00Z', 'yesterday', '2026-12-31T00:00:00.000Z'],
])('H6: at %s, %s is %s', (moment, text, time) => {
  expect(new Date(pointInTime('--since', text, Date.parse(moment))).toISOString()).toBe(time);
});

test.each([
  '',
  'tomorrow',
  '7',
  'd',
  '+7d',
  '-7d',
  '9999y',
  'toString',
  '2026-02-30',
  '2026-01-31T25:00',
  '2026-01-31T',
  '31.01.2026',
  '1738314000',
])('%j is no time', (text) => {
  expect(() => pointInTime('--since', text, now)).toThrow(UsageError);
});
