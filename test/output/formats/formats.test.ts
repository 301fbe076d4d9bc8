import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { joinList } from '../../../src/contract/tag-label.ts';
import { guardFormula } from '../../../src/output/formats/separated.ts';
import { printReport } from '../../../src/output/print.ts';
import type { Row } from '../../../src/output/report.ts';
import { until } from '../../support/until.ts';
import { failing, listing, url, urls } from '../listing.ts';
import { createRandom } from '../random.ts';
import { createWorld, print } from '../world.ts';

const randomRows = (seed: number, count: number): Row[] => {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, index) => url(`h${index}`, { note: random.text(10), tags: ['a', random.text(3)] }));
};

test('B23: json, jsonl, csv and tsv hold the same rows in the same order', async () => {
  const rows = randomRows(5, 2500);
  const fields = ['hash', 'total_clicks', 'email_stats', 'expiration_date'];
  const texts = (row: Row): string[] => fields.map((name) => String(row[name] ?? ''));
  const stdout = async (format: 'json' | 'jsonl' | 'csv' | 'tsv'): Promise<string> =>
    (await print(listing(rows), { options: { format, fields } })).stdout;
  const expected = rows.map(texts);
  const document = JSON.parse(await stdout('json')) as { urls: Row[] };
  expect(document.urls.map(texts)).toEqual(expected);
  const jsonLines = (await stdout('jsonl')).trimEnd().split('\n');
  expect(jsonLines.map((line) => texts(JSON.parse(line)))).toEqual(expected);
  expect(parse(await stdout('csv')).slice(1)).toEqual(expected);
  expect(
    (await stdout('tsv'))
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => line.split('\t')),
  ).toEqual(expected);
});

describe('csv', () => {
  const fields = ['note', 'tags', 'hash'];
  const cells = (rows: readonly Row[]): string[][] =>
    rows.map((row) => [row.note, joinList(row.tags as string[]), row.hash] as string[]);

  test('B21, R-47: reading it back is the identity', async () => {
    const rows = randomRows(6, 2000);
    const { stdout } = await print(listing(rows), { options: { format: 'csv', fields } });
    expect(parse(stdout, { record_delimiter: '\n' })).toEqual([fields, ...cells(rows)]);
  });

  test('B21, R-47: so is reading back what was guarded, one guard off a cell', async () => {
    const rows = ['=1+1', "'=1+1", "''@x", "'x", "'", '-5', '\t', 'plain'].map((note, index) => url(`h${index}`, { note }));
    const all = [...rows, ...randomRows(7, 1000)];
    const { stdout } = await print(listing(all), { options: { format: 'csv', fields, formulaGuard: true } });
    const read: string[][] = parse(stdout, { record_delimiter: '\n' });
    expect(read.flat().filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([]);
    const unguarded = read.map((row) => row.map((cell) => (cell.startsWith("'") ? cell.slice(1) : cell)));
    expect(unguarded).toEqual([fields, ...cells(all)]);
  });

  test.each([
    ['=1+1', "'=1+1"],
    ['+a', "'+a"],
    ['-5', "'-5"],
    ['@x', "'@x"],
    ['\tx', "'\tx"],
    ['\rx', "'\rx"],
    ["'=1", "''=1"],
    ["'x", "''x"],
    ['a=1', 'a=1'],
    ['', ''],
  ])('B21: %j is guarded as %j', (cell, guarded) => {
    expect(guardFormula(cell)).toBe(guarded);
  });

  test('B21: a terminal gets guards, a pipe does not unless asked', async () => {
    const report = (): ReturnType<typeof listing> => listing([url('abc', { note: '=1+1' })]);
    const options = { format: 'csv', fields: ['note'] } as const;
    expect((await print(report(), { options })).stdout).toBe('note\n=1+1\n');
    expect((await print(report(), { options: { ...options, formulaGuard: true } })).stdout).toBe("note\n'=1+1\n");
    expect((await print(report(), { options, stdout: { isTTY: true } })).stdout).toBe("note\n'=1+1\n");
  });

  test('R-45: on a terminal csv drives nothing', async () => {
    const options = { format: 'csv', fields: ['note'] } as const;
    const { stdout } = await print(listing([url('abc', { note: '\u001b[2J\n\u202e' })]), { options, stdout: { isTTY: true } });
    expect(stdout).toBe('note\n"\\x1b[2J\n\\u202e"\n');
  });

  test('blanks at the ends of a cell are kept in quotes, for readers that trim', async () => {
    const { stdout } = await print(listing([url('abc', { note: ' x ' })]), {
      options: { format: 'csv', fields: ['note', 'hash'] },
    });
    expect(stdout).toBe('note,hash\n" x ",abc\n');
  });

  test('a row whose only cell is empty is still a row', async () => {
    expect((await print(listing([url('abc')]), { options: { format: 'csv', fields: ['note'] } })).stdout).toBe('note\n""\n');
  });

  test('B21: a listing as csv holds what makes the links again', async () => {
    const [head] = (await print(listing([url('abc')]), { options: { format: 'csv' } })).stdout.split('\n');
    expect(head).toBe('hash,short_url,long_url,total_clicks,unique_clicks,tags,expiration_date,note,email_stats,max_clicks');
  });
});

describe('tsv', () => {
  test('B15, B16: in a pipe it is the default, without a header, its cells unambiguous', async () => {
    const { stdout } = await print(listing([url('abc', { note: 'a\tb\nc\\' })]));
    expect(stdout).toBe('abc\ts.ex/abc\thttps://example.com/abc\t3\t2\ta,b\t\ta\\tb\\nc\\\\\n');
  });

  test('B16: every line has as many cells as columns, and nothing raw', async () => {
    const { stdout } = await print(listing(randomRows(8, 1000)));
    for (const line of stdout.replace(/\n$/, '').split('\n')) {
      expect(line.split('\t').length).toBe(8);
      expect(line.replaceAll('\t', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/);
    }
  });

  test('B27: date-times are marked as UTC; the zero day of a database is none', async () => {
    expect((await print(listing([url('abc')]), { options: { fields: ['last_visit'] } })).stdout).toBe('2026-01-31T09:00:00Z\n');
    const zero = { ...url('abc'), last_visit: '0000-00-00 00:00:00' };
    for (const format of ['table', 'csv', 'tsv'] as const) {
      const { stdout } = await print(listing([zero]), { options: { format, fields: ['hash', 'last_visit'] } });
      expect(stdout).toContain('abc');
      expect(stdout).not.toContain('0000');
    }
  });
});

describe('headers', () => {
  test.each([
    ['tsv', undefined, false],
    ['tsv', true, true],
    ['csv', undefined, true],
    ['csv', false, false],
    ['table', undefined, true],
    ['table', false, false],
  ] as const)('%s with --header %s: %s', async (format, header, shown) => {
    const { stdout } = await print(listing([url('abc')]), { options: { format, header, fields: ['hash'] } });
    expect(stdout.toLowerCase()).toBe(shown ? 'hash\nabc\n' : 'abc\n');
  });
});

describe('json', () => {
  test('B19: keyed, as served, on one line in a pipe', async () => {
    const rows = [{ hash: 'abc', note: null, last_visit: '2026-01-31 09:00:00', unheard_of: { é: [1] } }];
    const { stdout } = await print(listing(rows, { members: () => ({ page: { total_count: 1 } }) }), {
      options: { format: 'json' },
    });
    expect(stdout).toBe(`${JSON.stringify({ urls: rows, page: { total_count: 1 } })}\n`);
  });

  test('B19: on a terminal with two spaces, as if it were written in one piece', async () => {
    const rows = urls(3);
    const members = (): Row => ({ page: { total_count: 3 }, list: [] });
    const { stdout } = await print(listing(rows, { members }), { options: { format: 'json' }, stdout: { isTTY: true } });
    expect(stdout).toBe(`${JSON.stringify({ urls: rows, ...members() }, null, 2)}\n`);
  });

  test.each([
    [true, '{\n  "urls": []\n}\n'],
    [false, '{"urls":[]}\n'],
  ])('B22: no rows (terminal: %s)', async (isTTY, text) => {
    expect((await print(listing([]), { options: { format: 'json' }, stdout: { isTTY } })).stdout).toBe(text);
  });

  test.each([true, false])('B22: rows that fail half-way leave a document that parses (terminal: %s)', async (isTTY) => {
    const boom = new Error('boom');
    const report = listing(failing(urls(2), boom), { members: () => ({ page: {} }) });
    const { stdout, error } = await print(report, { options: { format: 'json' }, stdout: { isTTY } });
    expect(JSON.parse(stdout)).toEqual({ urls: urls(2) });
    expect(error).toBe(boom);
  });

  test.each(['json', 'csv', 'table'] as const)('B49: rows that fail before the first leave stdout empty (%s)', async (format) => {
    const { stdout } = await print(listing(failing([], new Error('boom'))), { options: { format } });
    expect(stdout).toBe('');
  });

  test('B18: --fields picks and orders; what a row lacks is null', async () => {
    const { stdout } = await print(listing([{ hash: 'abc', note: 'n' }]), {
      options: { format: 'json', fields: ['note', 'tags'] },
    });
    expect(stdout).toBe('{"urls":[{"note":"n","tags":null}]}\n');
  });
});

describe('B22: no rows', () => {
  test.each([
    ['tsv', {}, ''],
    ['tsv', { header: true }, 'hash\n'],
    ['jsonl', {}, ''],
    ['csv', {}, 'hash\n'],
    ['table', {}, ''],
  ] as const)('%s %j is %j', async (format, options, text) => {
    expect((await print(listing([]), { options: { format, fields: ['hash'], ...options } })).stdout).toBe(text);
  });

  test('the sentence is for people only', async () => {
    const report = listing([], { empty: 'no URLs match' });
    expect((await print(report, { stderr: { isTTY: true } })).stderr).toBe('no URLs match\n');
    expect((await print(report)).stderr).toBe('');
    expect((await print(report, { stderr: { isTTY: true }, options: { quiet: true } })).stderr).toBe('');
  });
});

test.each(['csv', 'tsv', 'jsonl', 'table'] as const)(
  'B22: %s of rows that fail half-way holds those that came',
  async (format) => {
    const { stdout, error } = await print(listing(failing(urls(3), new Error('boom'))), { options: { format, header: false } });
    expect(stdout.trimEnd().split('\n').length).toBe(3);
    expect(error).toMatchObject({ message: 'boom' });
  },
);

test('B20: jsonl sends what has arrived while its source is slow', async () => {
  const { stdout, streams } = createWorld();
  const seen: string[] = [];
  async function* slow(): AsyncGenerator<Row[]> {
    yield [{ hash: 'one' }];
    await until(() => stdout.text !== '', 'the first row is sent');
    seen.push(stdout.text);
    yield [{ hash: 'two' }];
  }
  await printReport(listing(slow()), { format: 'jsonl' }, streams);
  expect(seen).toEqual(['{"hash":"one"}\n']);
  expect(stdout.text).toBe('{"hash":"one"}\n{"hash":"two"}\n');
  await streams.release();
});
