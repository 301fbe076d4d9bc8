import { describe, expect, test } from 'vitest';
import type { ShortenItem } from '../../src/contract/operations.ts';
import { rows, seeded } from './fixtures.ts';
import { csvLine, guarded, joinedList } from './writer.ts';

type Random = () => number;

const fields = ['long_url', 'custom_hash', 'note', 'tags', 'expiration_date', 'email_stats', 'max_clicks'] as const;

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[Math.floor(random() * items.length)] as Item;
}

function textOf(random: Random, length: number, signs: readonly string[]): string {
  return Array.from({ length: 1 + Math.floor(random() * length) }, () => pick(random, signs)).join('');
}

const noteSigns = [
  'a',
  ' ',
  ',',
  ';',
  '"',
  "'",
  '=',
  '+',
  '-',
  '@',
  '\t',
  '\n',
  '\r',
  '\r\n',
  'é',
  '例',
  '😀',
  '\u202e',
  '\\',
  '\u007f',
  '#',
];
const labelSigns = ['a', 'B', ' ', ',', '"', "'", '=', '+', '-', '@', 'é', '😀'];

/** Any row that the contract allows, as often as not with a field left out. */
function randomItem(random: Random, index: number): ShortenItem {
  const chance = <Value>(value: Value): Value | undefined => (random() < 0.6 ? value : undefined);
  const item = {
    long_url: `https://${pick(random, ['a.example', 'bücher.example', '[::1]:8080'])}/${index}?q=${pick(random, ["'", ',', ';', '"', '%20'])}`,
    custom_hash: chance(`${pick(random, ['-', '_', 'k'])}${index.toString(36)}`),
    note: chance(textOf(random, 12, noteSigns)),
    tags: chance(Array.from({ length: 1 + Math.floor(random() * 3) }, () => textOf(random, 5, labelSigns).replace(/^ +$/, 'a'))),
    expiration_date: chance(pick(random, ['2030-02-28', '2028-02-29'])),
    email_stats: chance(random() < 0.5),
    max_clicks: chance(Math.floor(random() * 100)),
  };
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined)) as unknown as ShortenItem;
}

function cellOf(value: unknown): string {
  if (value === undefined) return '';
  return Array.isArray(value) ? joinedList(value as string[]) : String(value);
}

interface Written {
  readonly text: string;
  readonly lines: readonly number[];
}

/** The items as a CSV with any line ends, blank lines and order of columns, and the lines on which its rows begin. */
function writtenCsv(random: Random, items: readonly ShortenItem[], guard: boolean, delimiter: string): Written {
  const columns = fields.toSorted(() => random() - 0.5);
  const lineEnd = () => pick(random, ['\n', '\r\n', '\r']);
  let text = columns.join(delimiter) + lineEnd();
  const lines: number[] = [];
  for (const item of items) {
    if (random() < 0.2) text += lineEnd();
    lines.push(1 + (text.match(/\r\n|\n|\r/g) ?? []).length);
    const cells = columns.map((name) => cellOf(item[name]));
    text += csvLine(guard ? cells.map(guarded) : cells, delimiter) + lineEnd();
  }
  return { text, lines };
}

/** The bytes in pieces of any length, also within a character or a CRLF. */
function* cutAnyhow(random: Random, text: string): Generator<Buffer> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; ) {
    const end = start + 1 + Math.floor(random() * 60);
    yield bytes.subarray(start, end);
    start = end;
  }
}

describe('B21, R-47: what was written as CSV is read as the same rows, on the lines where they stand', () => {
  test.each([
    ['plain', false, ','],
    ['with semicolons', false, ';'],
    ['with the formula guard', true, ','],
    ['with the formula guard and tabs', true, '\t'],
  ] as const)('%s (100 random files)', async (_, guard, delimiter) => {
    for (let seed = 1; seed <= 100; seed += 1) {
      const random = seeded(seed);
      const items = Array.from({ length: 1 + Math.floor(random() * 8) }, (_, index) => randomItem(random, index));
      const { text, lines } = writtenCsv(random, items, guard, delimiter);
      // Half of them without a word about the delimiter (I1).
      const given = seed % 2 === 0 ? { delimiter } : {};
      const read = await rows(cutAnyhow(random, text), { ...given, formulaGuarded: guard });
      expect(
        read.map(({ item }) => item),
        `seed ${seed}`,
      ).toEqual(items);
      expect(
        read.map(({ line }) => line),
        `seed ${seed}`,
      ).toEqual(lines);
    }
  });
});

test('B91: any row survives as JSON lines (100 random files)', async () => {
  for (let seed = 1; seed <= 100; seed += 1) {
    const random = seeded(seed);
    const items = Array.from({ length: 1 + Math.floor(random() * 8) }, (_, index) => randomItem(random, index));
    const text = items.map((item) => JSON.stringify(item)).join(pick(random, ['\n', '\r\n', '\n\n']));
    const read = await rows([...cutAnyhow(random, text)], { name: 'links.jsonl' });
    expect(read.map(({ item }) => item)).toEqual(items);
  }
});

test('a file of 20,000 rows comes in parts, in order', async () => {
  const pieces = ['long_url\n', ...Array.from({ length: 200 }, (_, piece) => `https://a.example/${piece}\n`.repeat(100))];
  const read = await rows(pieces);
  expect(read.map(({ line }) => line)).toEqual(Array.from({ length: 20_000 }, (_, index) => index + 2));
});
