import { describe, expect, test } from 'vitest';
import { displayWidth } from '../../../src/output/display-width.ts';
import { printReport } from '../../../src/output/print.ts';
import type { Row } from '../../../src/output/report.ts';
import { until } from '../../support/until.ts';
import { listing, url, urls } from '../listing.ts';
import { createRandom } from '../random.ts';
import { createWorld, print, type WorldOptions } from '../world.ts';

const terminal = (columns: number, others: WorldOptions = {}): WorldOptions => ({
  ...others,
  stdout: { isTTY: true, columns },
  env: { NO_COLOR: '1', ...others.env },
});

/** Where each column of a table starts, seen in its head. */
const lines = (stdout: string): string[] => stdout.split('\n').slice(0, -1);

test('B24: a wide terminal shows every cell in full, without borders', async () => {
  const { stdout, stderr } = await print(listing([url('abc'), url('de', { tags: [], total_clicks: 1204 })]), terminal(120));
  expect(stdout).toBe(
    [
      'HASH  LONG URL                 CLICKS  UNIQUE  TAGS  EXPIRES  LAST VISIT\n',
      'abc   https://example.com/abc       3       2  a,b            2026-01-31T09:00:00Z\n',
      'de    https://example.com/de    1,204       2                 2026-01-31T09:00:00Z\n',
    ].join(''),
  );
  expect(stderr).toBe('');
});

describe('B24: a narrow terminal', () => {
  const long = url('a-rather-long-custom-hash', { long_url: `https://example.com/${'x'.repeat(80)}`, tags: ['one', 'two'] });

  test('first shrinks the columns that can, and never the hash', async () => {
    const { stdout, stderr } = await print(listing([long]), terminal(115));
    expect(lines(stdout).map((line) => displayWidth(line))).toEqual([105, 115]);
    expect(stdout).toContain(`a-rather-long-custom-hash  https://example.com/${'x'.repeat(11)}…`);
    expect(stderr).toBe('');
  });

  test('then leaves out columns from the right, and says which', async () => {
    const { stdout, stderr } = await print(listing([long]), terminal(60));
    expect(stdout).toBe(
      [
        'HASH                       LONG URL                   CLICKS\n',
        'a-rather-long-custom-hash  https://example.com/xxxx…       3\n',
      ].join(''),
    );
    expect(stderr).toBe('hidden to fit the terminal: unique_clicks, tags, expiration_date, last_visit (use --no-truncate)\n');
  });

  test('a bar that is left out is not named, because --fields does not take it', async () => {
    const drawn = [{ name: 'share', title: '', show: () => '#'.repeat(10) }];
    const { stdout, stderr } = await print({ ...listing([long]), drawn }, terminal(60));
    expect(stdout).not.toContain('#');
    expect(stderr).toBe('hidden to fit the terminal: unique_clicks, tags, expiration_date, last_visit (use --no-truncate)\n');
  });

  test('keeps the whole hash even where nothing else has room', async () => {
    const { stdout } = await print(listing([long]), terminal(12));
    expect(stdout).toBe('HASH\na-rather-long-custom-hash\n');
  });

  describe('takes room first from columns that say nothing, and leaves LONG URL readable', () => {
    const tagged = url('spring', {
      long_url: `https://example.com/${'x'.repeat(60)}`,
      tags: ['campaign', 'spring', 'sale', 'home-and-garden'],
    });

    test('columns without a value on the page go first', async () => {
      const { stdout, stderr } = await print(listing([{ ...tagged, last_visit: null }]), terminal(80));
      expect(stdout).toBe(
        [
          'HASH    LONG URL                        CLICKS  UNIQUE  TAGS\n',
          'spring  https://example.com/xxxxxxxxx…       3       2  campaign,spring,sale,ho…\n',
        ].join(''),
      );
      expect(stderr).toBe('hidden to fit the terminal: expiration_date, last_visit (use --no-truncate)\n');
    });

    test('a column goes for them that is between others', async () => {
      const { stdout, stderr } = await print(listing([{ ...tagged, hash: 'abc', tags: ['sale'] }]), terminal(80));
      expect(lines(stdout)[1]).toBe('abc   https://example.com/xxxxxxxxx…       3       2  sale  2026-01-31T09:00:00Z');
      expect(stderr).toBe('hidden to fit the terminal: expiration_date (use --no-truncate)\n');
    });

    test('then the last ones, where LONG URL would have less than thirty columns', async () => {
      const { stdout } = await print(listing([tagged]), terminal(80));
      expect(lines(stdout)[0]).toBe('HASH    LONG URL                        CLICKS  UNIQUE  TAGS');
    });

    test('a wide terminal keeps them, however long a URL is', async () => {
      const endless = { ...tagged, long_url: 'x'.repeat(500), last_visit: null };
      const { stdout, stderr } = await print(listing([endless]), terminal(120));
      expect(lines(stdout)[0]).toMatch(/TAGS +EXPIRES {2}LAST VISIT$/);
      expect(displayWidth(lines(stdout)[0] ?? '')).toBe(120);
      expect(stderr).toBe('');
    });
  });

  test('--no-truncate shows all of everything', async () => {
    const { stdout, stderr } = await print(listing([long]), terminal(20, { options: { truncate: false } }));
    expect(stdout).toContain(`https://example.com/${'x'.repeat(80)}  `);
    expect(stdout).toContain('2026-01-31T09:00:00Z');
    expect(stderr).toBe('');
  });

  test('-q says nothing of what is hidden', async () => {
    expect((await print(listing([long]), terminal(40, { options: { quiet: true } }))).stderr).toBe('');
  });
});

test.each([
  ['the terminal', { stdout: { isTTY: true, columns: 70 }, env: { COLUMNS: '60' } }, 70],
  ['COLUMNS, where the terminal says 0', { stdout: { isTTY: true, columns: 0 }, env: { COLUMNS: '60' } }, 60],
  ['80, where nobody knows', { stdout: { isTTY: true, columns: 0 }, env: { COLUMNS: '0' } }, 80],
])('B24: the width is that of %s', async (_, world, width) => {
  const row = url('abc', { note: 'x'.repeat(200) });
  const { stdout } = await print(listing([row]), { ...world, options: { fields: ['hash', 'note'], colour: 'never' } });
  expect(displayWidth(lines(stdout)[1] ?? '')).toBe(width);
});

test('B15: a table that is asked for in a pipe is cut for nobody', async () => {
  const { stdout } = await print(listing([url('abc', { long_url: 'x'.repeat(500) })]), { options: { format: 'table' } });
  expect(stdout).toContain('x'.repeat(500));
});

describe('B25: right edges stand under each other', () => {
  const noteOf = async (notes: readonly string[], columns: number): Promise<string[]> => {
    const rows = notes.map((note, index) => url(`h${index}`, { note }));
    const { stdout } = await print(listing(rows), terminal(columns, { options: { fields: ['hash', 'note', 'total_clicks'] } }));
    return lines(stdout);
  };

  test('with Japanese, combining marks and families', async () => {
    const table = await noteOf(['例え', 'e\u0301', '👨‍👩‍👧‍👦', 'नमस्ते', '한국', '\u1112\u1161\u11ab'], 40);
    expect(new Set(table.map((line) => displayWidth(line))).size).toBe(1);
    expect(table[1]).toBe('h0    例え       3');
    expect(table[2]).toBe('h1    e\u0301          3');
    expect(table[3]).toBe('h2    👨‍👩‍👧‍👦         3');
  });

  test('R-45, R-48: with whatever strangers write, cut or not, and nothing raw', async () => {
    const random = createRandom(4);
    for (let round = 0; round < 40; round++) {
      const notes = Array.from({ length: 8 }, () => random.text(40));
      for (const line of await noteOf(notes, 30 + random.below(60))) {
        expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/);
        expect(line).toMatch(/(?:3|CLICKS)$/);
      }
      const table = await noteOf(notes, 60);
      expect(new Set(table.map((line) => displayWidth(line))).size).toBe(1);
    }
  });

  test('F42: a hundred thousand characters without a space stay one line', async () => {
    const table = await noteOf(['x'.repeat(100_000), '例'.repeat(100_000), 'a'], 60);
    expect(table.map((line) => displayWidth(line))).toEqual([60, 60, 60, 60]);
  });
});

test('F42: one endless hash stretches its own line only', async () => {
  const { stdout } = await print(
    listing([url('abc'), url('x'.repeat(10_000))]),
    terminal(60, { options: { fields: ['hash', 'tags'] } }),
  );
  const table = lines(stdout);
  expect(displayWidth(table[1] ?? '')).toBeLessThanOrEqual(60);
  expect(table[2]).toContain('x'.repeat(10_000));
});

test('a table of many pages keeps the widths of its first page, cuts what is longer, and uses the room there is', async () => {
  const rows = [...urls(1000), url('late', { long_url: `https://example.com/${'y'.repeat(200)}` }), url('last')];
  const table = lines((await print(listing(rows), terminal(100))).stdout);
  expect(table.length).toBe(1003);
  expect(table.filter((line) => line.startsWith('HASH')).length).toBe(1);
  expect(displayWidth(table[1001] ?? '')).toBe(100);
  expect(table[1001]).toContain('yyy…');
});

test('a table shows what has arrived while its source is slow', async () => {
  const seen: string[] = [];
  const world = createWorld(terminal(80));
  async function* slow(): AsyncGenerator<Row[]> {
    yield [url('one')];
    await until(() => world.stdout.text !== '', 'the first row is shown');
    seen.push(world.stdout.text);
    yield [url('two')];
  }
  await printReport(listing(slow()), {}, world.streams);
  await world.streams.release();
  expect(seen[0]).toMatch(/^HASH .*\none .*\n$/);
  expect(lines(world.stdout.text).length).toBe(3);
});

test('B96: a terminal without UTF-8 gets ASCII', async () => {
  const row = url('abc', { note: 'x'.repeat(100) });
  const options = { fields: ['hash', 'note'] };
  const environments: Record<string, string>[] = [{ LC_ALL: 'C' }, { LANG: 'de_DE.ISO-8859-1' }, { TERM: 'dumb' }];
  for (const env of environments) {
    expect((await print(listing([row]), terminal(40, { env, options }))).stdout).toMatch(/x\.\.\.\n$/);
  }
  expect((await print(listing([row]), terminal(40, { env: { LC_ALL: 'tr_TR.UTF-8' }, options }))).stdout).toMatch(/x…\n$/);
});

test('a column may show more to people than its value, and that is made safe, too', async () => {
  const columns = [{ name: 'hash', show: (value: unknown) => `<${value}>\u0007` }];
  const report = listing([url('abc')], { columns, tableFields: ['hash'], pipedFields: ['hash'] });
  expect((await print(report, terminal(80))).stdout).toBe('HASH\n<abc>\\x07\n');
  expect((await print(report)).stdout).toBe('abc\n');
});

test('B36: the head is bold where colour is on, and nothing else holds an escape', async () => {
  const { stdout } = await print(listing([url('abc')]), { stdout: { isTTY: true, columns: 80 }, options: { fields: ['hash'] } });
  expect(stdout).toBe('\u001b[1mHASH\u001b[22m\nabc\n');
});

test('T4: a table in a pipe holds no escape at all', async () => {
  expect((await print(listing([url('abc')]), { options: { format: 'table' } })).stdout).not.toContain('\u001b');
});
