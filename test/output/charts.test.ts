import { expect, test } from 'vitest';
import { type Bar, barLines, columnLines, type DayColumn } from '../../src/output/charts.ts';
import { displayWidth } from '../../src/output/display-width.ts';
import type { Canvas } from '../../src/output/report.ts';
import { createWorld } from './world.ts';

const canvas = (width: number, env: Record<string, string> = {}): Canvas => ({
  width,
  glyphs: createWorld({ env }).streams.glyphs,
  paint: { cyan: (text) => text },
});

/** So many days from a Sunday on. */
const days = (...clicks: (number | undefined)[]): DayColumn[] =>
  clicks.map((count, index) => ({ date: new Date(Date.UTC(2026, 10, 1 + index)).toISOString().slice(0, 10), clicks: count }));

test('H3: a bar is as long as its share, in eighths, and never nothing for something', () => {
  const bars: Bar[] = [
    { label: 's.ex/a', value: 8000, note: '+34 %' },
    { label: 's.ex/bb', value: 4100, note: 'new' },
    { label: 's.ex/c', value: 1 },
    { label: 's.ex/d', value: 0 },
  ];
  expect(barLines(bars, canvas(42))).toEqual([
    's.ex/a   8,000  +34 %  ███████████████████',
    's.ex/bb  4,100    new  █████████▊',
    's.ex/c       1         ▏',
    's.ex/d       0',
  ]);
  expect(barLines(bars.slice(0, 3), canvas(42, { LC_ALL: 'C' }))).toEqual([
    's.ex/a   8,000  +34 %  ###################',
    's.ex/bb  4,100    new  ##########',
    's.ex/c       1         #',
  ]);
});

test('B24: a short URL is never cut: one that is too long has a line of its own, and no line is too wide', () => {
  const long = 'a-domain-with-a-name.example/and-a-hash-of-letters';
  const lines = barLines(
    [
      { label: long, value: 3 },
      { label: 's.ex/a', value: 2 },
    ],
    canvas(40),
  );
  expect(lines).toEqual([long, '        3  █████████████████████████████', 's.ex/a  2  ███████████████████▍']);
});

test('B25, B29: labels keep columns straight and cannot drive the terminal', () => {
  const lines = barLines(
    [
      { label: '例え', value: 2 },
      { label: 'a\u001b[2Jb', value: 2 },
    ],
    canvas(40),
  );
  expect(lines.join('')).not.toContain('\u001b');
  expect(new Set(lines.map((line) => displayWidth(line))).size).toBe(1);
});

test('H3: columns per day, a question mark where nobody knows, and the dates at both ends', () => {
  expect(columnLines(days(1, 8, 0, undefined, 64), canvas(40))).toEqual([
    'clicks per day (UTC)',
    '64 │                    ████',
    '   │                    ████',
    '   │                    ████',
    '   │                    ████',
    '   │                    ████',
    '   │                    ████',
    '   │                    ████',
    '   │▁▁▁▁ ████      ?    ████',
    ' 0 └─────────────────────────',
    '    2026-11-01     2026-11-05',
  ]);
  expect(columnLines(days(2, 4), canvas(40, { LANG: 'C' }))).toEqual([
    'clicks per day (UTC)',
    ...['4 |     ####', '  |     ####', '  |     ####', '  |     ####'],
    ...['  |#### ####', '  |#### ####', '  |#### ####', '  |#### ####'],
    '0 +----------',
    '   2026-11-01 to 2026-11-02',
  ]);
});

test('H3: more days than columns are drawn as weeks, whose sums are exact; a week with an unknown day is unknown', () => {
  const year = days(...Array.from({ length: 365 }, (_, day) => (day === 100 ? undefined : day)));
  const lines = columnLines(year, canvas(80));
  expect(lines[0]).toBe('clicks per 7 days (UTC; the first column: 1)');
  // The last week: 358 + ... + 364.
  expect(lines[1]?.startsWith('2,527 │')).toBe(true);
  expect(lines.at(-3)?.match(/\?/g)).toHaveLength(1);
  for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(80);
});

test('H3: no clicks at all, one day, and a single column wide', () => {
  expect(columnLines(days(0, 0, 0), canvas(40)).at(-2)).toBe('0 └───────────────');
  expect(columnLines(days(5), canvas(40)).at(-1)).toBe('   2026-11-01');
  for (const count of [1, 13, 14, 100, 1000]) {
    const lines = columnLines(days(...Array.from({ length: count }, () => 1)), canvas(16));
    for (const line of lines.slice(1, -1)) expect(displayWidth(line)).toBeLessThanOrEqual(16);
  }
});
