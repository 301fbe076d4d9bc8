import { expect, test } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import type { Extent } from '../../src/client/page-cursor.ts';
import { logPages, urlPages } from '../../src/client/pages.ts';
import { collect } from './collect.ts';

interface Window {
  offset?: number;
  limit?: number;
}

interface Listing {
  /** Run before each call with its number, from 0. */
  at?(call: number): void;
  readonly bound?: number;
  readonly total?: boolean;
  readonly totalOf?: (part: readonly string[]) => unknown;
}

/** A listing that changes between calls. */
function listing(rows: string[], { at = () => {}, bound = 10, total = true, totalOf = () => rows.length }: Listing = {}) {
  const windows: Window[] = [];
  const client = {
    edition: 'a',
    send: async (operation: string, { query }: { query: Window }) => {
      at(windows.length);
      windows.push(query);
      const { offset = 0, limit = bound } = query;
      const part = rows.slice(offset, offset + Math.min(limit, bound));
      const page = total ? { results_count: part.length, total_count: totalOf(part), offset } : undefined;
      const records = part.map((hash) => ({ hash, short_url: `s.ex/${hash}`, message: hash, time: 't', type: 'n' }));
      return operation === 'listUrls' ? { urls: records, page } : { log: records, page };
    },
  } as unknown as Client;
  return { client, windows };
}

async function read(client: Client, extent: Extent, untilEmpty = false): Promise<{ hashes: string[]; warnings: string[] }> {
  const hashes: string[] = [];
  const warnings: string[] = [];
  for await (const { rows } of urlPages(client, { search: 'x' }, extent, { warn: (text) => warnings.push(text), untilEmpty })) {
    hashes.push(...rows.map(({ hash }) => hash));
  }
  return { hashes, warnings };
}

const named = (count: number, prefix = 'h'): string[] => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

test.each<[string, Extent, number, Window[]]>([
  ['nothing said is one batch of the server’s own size', {}, 10, [{}]],
  [
    '--limit is rows, not the size of a page',
    { limit: 25 },
    25,
    [{ limit: 25 }, { offset: 10, limit: 15 }, { offset: 20, limit: 5 }],
  ],
  ['--limit with --page-size', { limit: 5, pageSize: 4 }, 5, [{ limit: 4 }, { offset: 4, limit: 1 }]],
  ['--page-size alone is one page', { pageSize: 3 }, 3, [{ limit: 3 }]],
  ['--offset', { offset: 32, limit: 100 }, 3, [{ offset: 32, limit: 100 }]],
  [
    '--offset, with a first page of a round length',
    { offset: 30, limit: 100 },
    5,
    [
      { offset: 30, limit: 100 },
      { offset: 35, limit: 95 },
    ],
  ],
  ['--offset behind the end', { offset: 99, all: true }, 0, [{ offset: 99, limit: 1000 }]],
  [
    '--all',
    { all: true, pageSize: 10 },
    35,
    [{ limit: 10 }, { offset: 10, limit: 10 }, { offset: 20, limit: 10 }, { offset: 30, limit: 10 }],
  ],
])('B81: %s', async (_what, extent, count, windows) => {
  const list = listing(named(35));
  const { hashes, warnings } = await read(list.client, extent);
  expect(hashes).toHaveLength(count);
  expect(list.windows).toEqual(windows.map((window) => ({ search: 'x', ...window })));
  expect(warnings).toEqual([]);
});

test('B81: an empty listing is one page without rows', async () => {
  const list = listing([]);
  const pages = [];
  for await (const page of urlPages(list.client, {}, { all: true })) pages.push(page);
  expect(pages).toEqual([{ rows: [], total: 0 }]);
});

test('B81: without a total the walk ends at an empty page', async () => {
  const list = listing(named(20), { total: false });
  expect((await read(list.client, { all: true })).hashes).toEqual(named(20));
  expect(list.windows).toHaveLength(3);
});

test.each<[string, Listing, number]>([
  ['the length of the page, which is capped', { bound: 100, totalOf: (part) => part.length }, 4],
  ['the length of the page, which is as long as was asked for', { bound: 1000, totalOf: (part) => part.length }, 2],
  ['text', { bound: 100, totalOf: () => '317' }, 5],
  ['too small', { bound: 100, totalOf: () => 7 }, 5],
  ['left out', { bound: 100, total: false }, 5],
  ['right', { bound: 100 }, 4],
])('D12, D13: no total is believed that the rows contradict: %s', async (_what, options, calls) => {
  const rows = named(options.bound === 1000 ? 1000 : 317);
  const list = listing(rows, options);
  expect(await read(list.client, { all: true })).toEqual({ hashes: rows, warnings: [] });
  expect(list.windows.length).toBeLessThanOrEqual(calls + 1);
});

test('B81: a total that is believed costs no further call', async () => {
  for (const [count, calls] of [
    [37, 1],
    [40, 2],
    [137, 2],
    [200, 2],
  ] as const) {
    const list = listing(named(count), { bound: 100 });
    await read(list.client, { all: true });
    expect([count, list.windows.length]).toEqual([count, calls]);
  }
});

test.each<[string, Extent, number]>([
  ['--all', { all: true }, 20],
  ['--limit above it', { limit: 30 }, 20],
  ['--offset', { offset: 15, all: true }, 5],
])('F7: a listing that ends before the total of its last page says so: %s', async (_what, extent, count) => {
  const list = listing(named(20), { totalOf: () => 1218 });
  const { hashes, warnings } = await read(list.client, extent);
  expect(hashes).toHaveLength(count);
  expect(warnings).toEqual(['the server lists 20 of 1,218 rows; the listing may be incomplete']);
});

test('F7: the total of the last page that has one counts, not that of the first', async () => {
  const rows = named(45);
  const lost = listing(rows, { at: (call) => call === 2 && rows.splice(40, 5), totalOf: () => rows.length });
  expect((await read(lost.client, { all: true })).warnings).toEqual([]);
  const silent = listing(named(20), { totalOf: (part) => (part.length > 0 ? 45 : undefined) });
  expect((await read(silent.client, { all: true })).warnings).toEqual([expect.stringContaining('20 of 45')]);
});

test('B20: whoever wants only the first page causes one call', async () => {
  const list = listing(named(35));
  for await (const { rows } of urlPages(list.client, {}, { all: true })) {
    expect(rows).toHaveLength(10);
    await new Promise((resolve) => setTimeout(resolve, 5));
    break;
  }
  expect(list.windows).toHaveLength(1);
});

test('B82: rows that new ones pushed down come once', async () => {
  const rows = named(35);
  const list = listing(rows, { at: (call) => call === 2 && rows.unshift('new1', 'new2', 'new3') });
  expect((await read(list.client, { all: true })).hashes).toEqual(named(35));
});

test('B82: after an overlap whole pages are read, not only as many rows as are missing', async () => {
  const rows = named(100);
  const list = listing(rows, { at: (call) => call > 0 && rows.unshift(...named(5, `new${call}-`)), bound: 20 });
  const { hashes, warnings } = await read(list.client, { limit: 40, pageSize: 20 });
  expect({ hashes, warnings }).toEqual({ hashes: named(40), warnings: [] });
  expect(list.windows.map(({ offset, limit }) => [offset, limit])).toEqual([
    [undefined, 20],
    [20, 20],
    [40, 20],
  ]);
});

test('B82: as many new rows as a page holds do not end the listing', async () => {
  const rows = named(35);
  const list = listing(rows, { at: (call) => call === 2 && rows.unshift(...named(25, 'new')) });
  const { hashes, warnings } = await read(list.client, { all: true });
  expect(hashes.filter((hash) => hash.startsWith('h'))).toEqual(named(35));
  expect(new Set(hashes).size).toBe(hashes.length);
  expect(warnings).toEqual([]);
});

test.for([1, 3])('B82, D13: %i new rows before each call do not keep a listing from ending', async (count) => {
  const rows = named(35);
  const list = listing(rows, { at: (call) => void (call > 0 && rows.unshift(...named(count, `new${call}-`))) });
  const { hashes, warnings } = await read(list.client, { all: true }, true);
  expect(hashes).toEqual(named(35));
  expect(warnings).toEqual([]);
  expect(list.windows.length).toBeLessThan(20);
});

test.for([
  ['the newest', 1, (rows: string[]) => rows.shift()],
  ['the oldest', 1, (rows: string[]) => rows.pop()],
  ['the newest', 7, (rows: string[]) => rows.shift()],
] as const)(
  'B82: while %s rows are deleted, %i before each call, the others are listed once, in order',
  async ([, count, remove]) => {
    for (const untilEmpty of [false, true]) {
      const rows = named(300);
      const at = (): void => {
        for (let deleted = 0; deleted < count; deleted += 1) remove(rows);
      };
      const list = listing(rows, { at, bound: 20 });
      const { hashes, warnings } = await read(list.client, { all: true }, untilEmpty);
      expect(warnings).toEqual([]);
      expect(hashes).toEqual(named(300).filter((name) => hashes.includes(name)));
      expect(hashes).toEqual(expect.arrayContaining(rows));
      expect(list.windows.length).toBeLessThan(50);
    }
  },
);

test('F7, B82: a row that moves to a page that was read already is missed with a warning', async () => {
  const rows = named(35);
  const list = listing(rows, { at: (call) => void (call === 1 && rows.unshift(...rows.splice(30, 1))) });
  const { hashes, warnings } = await read(list.client, { all: true });
  expect(hashes).not.toContain('h30');
  expect(warnings).toEqual(['the server lists 34 of 35 rows; the listing may be incomplete']);
});

test('B82, R-17: rows that moved up because others were deleted are not lost', async () => {
  const rows = named(45);
  const list = listing(rows, { at: (call) => call === 2 && rows.splice(3, 4) });
  expect((await read(list.client, { all: true })).hashes.sort()).toEqual(named(45).sort());
});

test('B82: more deleted rows than a page holds lose nothing', async () => {
  const rows = named(95);
  const list = listing(rows, { at: (call) => call === 5 && rows.splice(2, 31) });
  expect((await read(list.client, { all: true })).hashes.sort()).toEqual(named(95).sort());
});

test('B82: rows that moved up are found when the next page is empty because of it', async () => {
  const rows = named(25);
  const list = listing(rows, { at: (call) => call === 2 && rows.splice(0, 8) });
  expect(await read(list.client, { all: true })).toEqual({ hashes: named(25), warnings: [] });
});

test('B82: a listing that is emptied while it is read ends', async () => {
  const rows = named(25);
  const list = listing(rows, { at: (call) => call === 1 && rows.splice(0, 25) });
  expect((await read(list.client, { all: true })).hashes).toEqual(named(10));
});

test('B82: rows deleted behind the window end nothing early', async () => {
  const rows = named(60);
  const list = listing(rows, { at: (call) => call === 2 && rows.splice(50, 4) });
  const { hashes, warnings } = await read(list.client, { all: true });
  expect(hashes.sort()).toEqual([...named(50), 'h54', 'h55', 'h56', 'h57', 'h58', 'h59'].sort());
  expect(warnings).toEqual([]);
});

test('B82: the same hash on two domains is two rows', async () => {
  const urls = [
    { hash: 'a', short_url: 's.ex/a' },
    { hash: 'a', short_url: 't.ex/a' },
    { hash: 'a', short_url: 's.ex/a' },
  ];
  const client = { edition: 'a', send: async () => ({ urls, page: undefined }) } as unknown as Client;
  const pages = await collect(urlPages(client, {}, {}));
  expect(pages.flatMap(({ rows }) => rows.map(({ short_url }) => short_url))).toEqual(['s.ex/a', 't.ex/a']);
});

test('F43: a server that ignores offset ends the listing with a warning', async () => {
  const windows: unknown[] = [];
  const client = {
    edition: 'b',
    send: async (_: string, { query }: { query: Window }) => {
      windows.push(query);
      return { urls: named(10).map((hash) => ({ hash })), page: { results_count: 10, total_count: 1000, offset: 0 } };
    },
  } as unknown as Client;
  const { hashes, warnings } = await read(client, { all: true });
  expect(hashes).toEqual(named(10));
  expect(warnings).toEqual([expect.stringContaining('may be incomplete')]);
  expect(windows).toHaveLength(2);
});

/** A server that answers every window with its first rows, and this page. */
function withoutOffset(page: unknown, count = 2): Client {
  const urls = named(count).map((hash) => ({ hash }));
  return { edition: 'a', send: async () => ({ urls, log: urls, page }) } as unknown as Client;
}

test('F43: rows of another offset than the one asked for are not shown', async () => {
  const client = withoutOffset({ results_count: 2, total_count: 8, offset: 0 });
  const failure = { exitCode: 8, message: 'the server ignores the offset 3' };
  await expect(read(client, { offset: 3, limit: 2 })).rejects.toMatchObject(failure);
  await expect(collect(logPages(client, { offset: 3, limit: 2 }))).rejects.toMatchObject(failure);
  for (const offset of [0, 7]) {
    expect((await read(withoutOffset({ total_count: 8, offset }), { limit: 2 })).hashes).toEqual(named(2));
  }
});

test.each<[string, unknown, number?]>([
  ['no page', undefined],
  ['no offset', { total_count: 8 }],
  ['null as offset', { total_count: 8, offset: null }],
  ['the offset as text', { total_count: 8, offset: '3' }],
  ['the offset', { total_count: 8, offset: 3 }],
  ['no rows, and the end as offset', { total_count: 2, offset: 2 }, 0],
])('FIELD-NOTES, F40: a page after an offset is taken with %s', async (_what, page, count = 2) => {
  expect((await read(withoutOffset(page, count), { offset: 3, limit: 2 })).hashes).toEqual(named(count));
});

test('F43: a server whose total swings without new rows ends too', async () => {
  let calls = 0;
  const client = {
    edition: 'b',
    send: async () => {
      calls += 1;
      return {
        urls: named(10).map((hash) => ({ hash })),
        page: { results_count: 10, total_count: calls % 2 ? 1_000_000 : 10_000, offset: 0 },
      };
    },
  } as unknown as Client;
  const { warnings } = await read(client, { all: true });
  expect(warnings).toHaveLength(1);
  expect(calls).toBeLessThan(1010);
});

test('F40: a total below what was read is not believed', async () => {
  const list = listing(named(25), { total: false });
  const client = {
    edition: 'a',
    send: async (...given: Parameters<Client['send']>) => ({ ...(await list.client.send(...given)), page: { total_count: -1 } }),
  } as unknown as Client;
  expect((await read(client, { all: true })).hashes).toHaveLength(25);
});

test('a failure on a page read ahead is reported after the page before it', async () => {
  const list = listing(named(35), {
    at: (call) => {
      if (call === 2) throw new Error('broken');
    },
  });
  const read: string[] = [];
  const walk = async () => {
    for await (const { rows } of urlPages(list.client, {}, { all: true })) read.push(...rows.map(({ hash }) => hash));
  };
  await expect(walk()).rejects.toThrow('broken');
  expect(read).toHaveLength(20);
});

test('two log entries that are alike are both listed', async () => {
  const list = listing(['a', 'a', 'b', 'c', 'c', 'd'], { bound: 4 });
  const pages = await collect(logPages(list.client, { all: true }));
  expect(pages.flatMap(({ rows }) => rows.map(({ message }) => message))).toEqual(['a', 'a', 'b', 'c', 'c', 'd']);
});
