import { describe, expect, test } from 'vitest';
import { checkInput } from '../../src/input/check-input.ts';
import { delimiterOf, formatByName, formatOf } from '../../src/input/format.ts';
import { check, failure, memorySource, optionsFor, rows } from './fixtures.ts';

const name = 'links.txt';

test('CLI 3.6: one URL on each line; blank lines and comments are skipped, line ends may be mixed', async () => {
  const text = '# a list\r\nhttps://a.example/\n\n  https://b.example/  \rhttps://c.example/#top\r\n\r\nhttps://d.example/';
  expect((await rows(text, { name })).map(({ line, item }) => [line, item.long_url])).toEqual([
    [2, 'https://a.example/'],
    [4, 'https://b.example/'],
    [5, 'https://c.example/#top'],
    [7, 'https://d.example/'],
  ]);
});

test('C02: lines are whole however the bytes arrive', async () => {
  const text = `# ${'x'.repeat(100)}\r\nhttps://é.example/\r\nhttps://b.example/\rhttps://c.example/\n`;
  const pieces = [...Buffer.from(text)].map((byte) => Buffer.from([byte]));
  expect((await rows(pieces, { name })).map(({ line }) => line)).toEqual([2, 3, 4]);
});

test.each<[string, string, string]>([
  ['a line that is no URL', 'https://a.example/\nfoo\n', 'links.txt:2: long_url: "foo" is not an http or https URL'],
  ['a CSV under another name', 'long_url,note\nhttps://a.example/,x\n', 'links.txt:1: looks like csv, use --input-format csv'],
  [
    'JSON lines under another name',
    '{"long_url":"https://a.example/"}\n',
    'links.txt:1: looks like jsonl, use --input-format jsonl',
  ],
  ['C10: comments only', '# nothing\n', 'links.txt: no rows'],
])('B51: %s is refused, exit 2', async (_, text, expected) => {
  const told = await failure(check(text, { name }));
  expect(told.exitCode).toBe(2);
  expect(told.lines.at(-1)).toBe(expected);
});

test('C11: a line without end is given up after 128 KiB', async () => {
  const endless = function* () {
    yield 'https://a.example/\n';
    for (;;) yield 'x'.repeat(10_000);
  };
  const source = memorySource(name, endless());
  expect((await failure(checkInput(source, optionsFor('shorten', { name })))).text).toContain(
    'links.txt:2: the line is longer than 131072 characters',
  );
  expect(source.taken()).toBeLessThan(30);
});

describe('I1: lines that may be rows of a csv without a header', () => {
  const doubt = (line: string): string =>
    `links.txt:1: ${JSON.stringify(line)} may be a URL, or a URL and its hash: add --input-format lines or --input-format csv`;

  test.each([
    ['https://p.example/6,slug6,note', 'https://p.example/7,slug7,'],
    ['https://p.example/6;slug6', 'https://p.example/7;slug7'],
    ['https://p.example/6,slug6'],
  ])('%s is refused with both readings, unless the format is given', async (...lines) => {
    const text = `${lines.join('\n')}\n`;
    expect((await failure(check(text, { name }))).lines.slice(1)).toEqual([doubt(lines[0] ?? '')]);
    expect(await rows(text, { name, isFormatGiven: true })).toHaveLength(lines.length);
  });

  test.each([
    ['https://maps.example/@52.5,13.4,15z'],
    ['https://news.example/a,123.html'],
    ['https://a.example/x,y', 'https://a.example/z'],
    ['https://a.example/?a=1,2', 'https://a.example/?a=1,2,3'],
    ['https://a.example/', 'https://a.example/x,y'],
  ])('%s is a URL', async (...lines) => {
    expect((await rows(`${lines.join('\n')}\n`, { name })).map(({ item }) => item.long_url)).toEqual(lines);
  });
});

describe('formats', () => {
  test.each([
    ['links.csv', 'csv'],
    ['LINKS.CSV', 'csv'],
    ['a.b/links.jsonl', 'jsonl'],
    ['links.ndjson', 'jsonl'],
    ['links.txt', 'lines'],
    ['links', 'lines'],
    ['links.tsv', 'lines'],
    ['a.csv/links', 'lines'],
    ['-', 'lines'],
  ] as const)('B91: %s is read as %s', (operand, format) => {
    expect(formatByName(operand)).toBe(format);
  });

  test('B91: --input-format beats the extension', () => {
    expect(formatByName('links.csv', 'lines')).toBe('lines');
    expect(formatByName('-', 'jsonl')).toBe('jsonl');
  });

  test('an edit needs to know what stdin is, exit 2; JSON is known by its beginning', async () => {
    const named = { use: 'edit', operand: '-' } as const;
    await expect(formatOf(memorySource('stdin', ['hash,note\na,b\n']), named)).rejects.toThrow('edit requires csv or json');
    for (const text of ['\n [\n', '{"urls":[]}\n']) expect(await formatOf(memorySource('stdin', [text]), named)).toBe('json');
    expect(await formatOf(memorySource('stdin', ['[']), { ...named, use: 'shorten', given: 'lines' })).toBe('lines');
  });

  test.each([
    [';', ';'],
    ['tab', '\t'],
    ['\\t', '\t'],
    ['\t', '\t'],
    ['|', '|'],
  ])('C14: --delimiter %j is %j', (text, delimiter) => {
    expect(delimiterOf(text)).toBe(delimiter);
  });

  test.each(['', ';;', '"', 'a', '\n', '-', '1'])('C14: --delimiter %j is refused', (text) => {
    expect(() => delimiterOf(text)).toThrow('--delimiter');
  });
});
