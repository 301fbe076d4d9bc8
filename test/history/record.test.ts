import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { call, numbered, store, visit } from '../support/stored-links.ts';
import { answerOf, record, test } from './history-world.ts';

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  test('H2: clicks are last minus first of the readings nearest to both ends, against the time before', async ({
    on,
    service,
  }) => {
    await store(service, numbered(3, { tags: ['promo'] }));
    await on(0, ...record);
    await visit(service, 'h0', 2);
    await on(1, ...record);
    await visit(service, 'h0', 3);
    await visit(service, 'h1', 1);
    expect(await on(2, ...record)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await on(2.2, 'stats', '--since', '1d')).toEqual({
      code: 0,
      stdout: 'h0\t3\t2\t50\t0\t\nh1\t1\t0\t\t1\t\n',
      stderr:
        '4 clicks between the readings of 2026-03-03 02:00:00 UTC and 2026-03-04 02:00:00 UTC; 2 before, from 2026-03-02 02:00:00 UTC (+100 %)\n',
    });
    expect((await on(2.2, 'stats', '--since', '1d', '--by', 'tag')).stdout).toBe('promo\t2\t4\t2\t100\n');
    expect((await on(2.2, 'stats', '--since', '1d', '--by', 'host')).stdout).toBe('example.com\t2\t4\t2\t100\n');
    expect((await on(2.2, 'stats', '--since', '2d', '--by', 'day')).stdout).toBe('2026-03-02\t2\tfalse\n2026-03-03\t4\tfalse\n');
    expect((await on(2.2, 'stats', '--since', '1d', '--top', '1')).stdout).toBe('h0\t3\t2\t50\t0\t\n');
    expect((await on(2.2, 'stats', 'h1', '--since', '1d')).stdout).toBe('h1\t1\t0\t\t1\t\n');
  });

  test('H2: a counter that somebody else reset begins at zero, and says so', async ({ on, service }) => {
    await store(service, numbered(1));
    await visit(service, 'h0', 5);
    await on(0, ...record);
    await call(service, { method: 'DELETE', path: '/stats/h0' });
    await visit(service, 'h0', 2);
    await on(1, ...record);
    await visit(service, 'h0', 4);
    await on(2, ...record);
    expect((await on(2, 'stats', '--since', '2d')).stdout).toBe('h0\t6\t\t\t0\tfell\n');
  });

  test('H2: without a reading that is old enough it is exit 5, with when the first was made', async ({ on }) => {
    expect(await on(0, 'stats', '--since', '7d')).toMatchObject({
      code: 5,
      stderr: 'error: no reading of this account was recorded\nhint: linkctl stats --record\n',
    });
    await on(0, ...record);
    const error = 'error: no reading is old enough: the first was made 2026-03-02 02:00:00 UTC';
    // From a single reading nothing can be counted, so no other --since helps.
    const tooEarly = { code: 5, stdout: '', stderr: `${error}\nhint: linkctl stats --record\n` };
    expect(await on(6.9, 'stats', '--since', '7d')).toEqual(tooEarly);
    expect(await on(7.1, 'stats', '--since', '7d')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('no reading was made after 2026-03-02 02:00:00 UTC'),
    });
  });

  test('H2: the hint names a --since that works, also for two readings of one second', async ({ on }) => {
    const second = 1 / 86_400;
    await on(0.4 * second, ...record);
    await on(0.9 * second, ...record);
    const { stderr } = await on(1, 'stats', '--since', '7d');
    const [, since = ''] = /old enough.*\nhint: use --since (2026-03-02T02:00:00\S*Z)\n$/.exec(stderr) ?? [];
    expect(await on(1, 'stats', '--since', since)).toMatchObject({ code: 0 });
    const ended = await on(1, 'stats', '--since', '7d', '--until', '2026-03-01');
    expect(ended).toMatchObject({ code: 5, stdout: '' });
    expect(ended.stderr).toMatch(/old enough.*\nhint: use --since 2026-03-02T02:00:00\S*Z without --until\n$/);
  });

  test('H1, B43: links of a reading that do not exist are counted as in other commands', async ({ on, service }) => {
    await store(service, numbered(2));
    expect(await on(0, ...record, 'nope')).toMatchObject({
      code: 5,
      stderr: 'error: 1 of 1 link does not exist; nothing was recorded\n',
    });
    expect(await on(0, ...record, 'nope', 'h0', 'h1')).toMatchObject({ code: 3, stderr: 'error: 1 of 3 links does not exist\n' });
    expect(await on(1, ...record, 'nope', 'nor', 'h0')).toMatchObject({
      code: 3,
      stderr: 'error: 2 of 3 links do not exist\n',
    });
  });

  test('H2: a reading that was made while the clock was wrong is no end of a period, but its clicks count', async ({
    on,
    service,
    folder,
  }) => {
    await store(service, numbered(1));
    const readAt = async (days: number, clicks: number): Promise<void> => {
      await visit(service, 'h0', clicks);
      await on(days, ...record);
    };
    // A year ahead, and later back in 1970.
    for (const [days, clicks] of [
      [365, 0],
      [0, 3],
      [1, 5],
      [-20_000, 7],
      [2, 1],
      [3, 2],
    ] as const)
      await readAt(days, clicks);
    const counted = '10 clicks between the readings of 2026-03-03 02:00:00 UTC and 2026-03-05 02:00:00 UTC; no earlier reading';
    expect(await on(3.2, 'stats', '--since', '2d')).toMatchObject({
      code: 0,
      stdout: 'h0\t10\t\t\t0\t\n',
      stderr: expect.stringContaining(counted),
    });
    expect(await on(3.2, 'stats', '--since', '2d', '--by', 'day')).toMatchObject({
      code: 0,
      stdout: '2026-03-03\t8\tfalse\n2026-03-04\t2\tfalse\n',
    });
    const path = join(folder, 'report.html');
    const report = await on(3.2, 'report', '--since', '2d', '--html', path, '-o', 'json');
    expect([report.code, JSON.parse(report.stdout)]).toMatchObject([0, { clicks: 10 }]);
    // When the wrong date has come, that reading is the first one still.
    for (const days of [365.5, 366.5]) await readAt(days, 1);
    expect(await on(366.7, 'stats', '--since', '2d')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('1 click between the readings of 2027-03-02 14:00:00 UTC and 2027-03-03 14:00:00 UTC'),
    });
  });

  test('H2: where the first reading is dated in the future, the error says so, and its hint works', async ({ on }) => {
    await on(365, ...record);
    expect(await on(0.5, 'stats', '--since', '7d')).toEqual({
      code: 5,
      stdout: '',
      stderr:
        'error: no reading can be used: the clock of this computer was wrong when it was made, or is wrong now\nhint: linkctl stats --record\n',
    });
    for (const days of [0, 1]) await on(days, ...record);
    const { code, stderr } = await on(1.2, 'stats', '--since', '7d');
    expect([code, stderr]).toEqual([
      5,
      expect.stringContaining('no reading is old enough: the first was made 2026-03-02 02:00:00 UTC'),
    ]);
    const [, since = ''] = /hint: use --since (\S+)/.exec(stderr) ?? [];
    expect(await on(1.2, 'stats', '--since', since)).toMatchObject({ code: 0 });
  });

  test('H2, B43: a link that does not exist is named before the readings that are not there', async ({ on, service }) => {
    await store(service, numbered(1, { tags: ['promo'] }));
    await on(0, ...record);
    for (const [words, message] of [
      [['stats', '--since', '7d', 'none'], 'no short URL "none"'],
      [['stats', '--since', '7d', 'none', 'nor'], '2 of 2 links do not exist'],
    ] as const) {
      const { code, stderr } = await on(1, ...words);
      expect([code, stderr]).toEqual([5, expect.stringContaining(`error: ${message}`)]);
    }
  });

  test('B43: the clicks of a tag expression that matches nothing are none, with and without readings: exit 0', async ({
    on,
    service,
  }) => {
    await store(service, numbered(1, { tags: ['promo'] }));
    const none = { code: 0, stderr: expect.stringContaining('no link matches --by-tags nosuch\n') };
    for (const day of [1, 8, 9]) {
      const stats = await on(day, 'stats', '--since', '7d', '--by-tags', 'nosuch', '-o', 'json');
      expect(stats).toMatchObject(none);
      expect(JSON.parse(stats.stdout)).toMatchObject({ clicks: [], summary: { clicks: 0 } });
      const report = await on(day, 'report', '--since', '7d', '--html', '-', '--by-tags', 'nosuch');
      expect(report).toMatchObject({ ...none, stdout: expect.stringContaining('</html>') });
      await on(day, ...record);
    }
  });

  test('H1: a listing that is not whole records nothing, exit 8', async ({ on, wire, service, history }) => {
    await store(service, numbered(3));
    await on(0, ...record);
    const before = readFileSync(history());
    const short = { urls: [], page: { results_count: 0, total_count: 3, offset: 0 }, error: { code: 0, message: '' } };
    await wire.script([{ times: 'all', only: { path: '/urls' }, answer: { body: short } }]);
    expect(await on(1, ...record)).toMatchObject({ code: 8, stderr: expect.stringContaining('the server lists 0 of 3 rows') });
    expect(readFileSync(history())).toEqual(before);
  });

  test('H1: a link that a selection had first is younger than the reading of all before it', async ({ on, service }) => {
    await store(service, numbered(1));
    await on(0, ...record);
    await store(service, [{ custom_hash: 'new', long_url: 'https://a.example/' }]);
    await visit(service, 'new', 2);
    await on(1, ...record, 'new', 'h0');
    await visit(service, 'new', 3);
    await on(2, ...record, 'new', 'h0');
    await on(3, ...record);
    expect((await on(3, 'stats', '--since', '3d')).stdout).toBe('new\t5\t\t\t1\tnew\n');
    expect((await on(2, 'stats', 'new', 'h0', '--since', '1d')).stdout).toBe('new\t3\t2\t50\t0\t\n');
  });

  test('H1: a server that repeats its rows ends the reading, exit 8; a counter that it leaves out says nothing', async ({
    on,
    wire,
    listing,
    history,
  }) => {
    const url = { hash: 'one', short_url: 's.ex/one', long_url: 'https://a.example/', total_clicks: 5 };
    await listing(url);
    await on(0, ...record);
    const error = { code: 0, message: '' };
    await wire.script([
      { times: 'all', only: { path: '/domains' }, answer: { body: { error, domains: [] } } },
      { times: 'all', answer: { body: { error, urls: [url], page: null } } },
    ]);
    expect(await on(1, ...record)).toMatchObject({
      code: 8,
      stderr: expect.stringContaining('the server repeats the same rows'),
    });
    const counted = async () => await answerOf(history(), 'SELECT COUNT(*) FROM counters');
    expect(await counted()).toEqual(['1']);
    for (const total_clicks of [null, -3, 0.5]) {
      await listing({ ...url, total_clicks, tags: null });
      await on(2, ...record);
    }
    // Three readings of nothing new.
    expect(await counted()).toEqual(['1']);
    await listing({ ...url, total_clicks: 8 });
    await on(3, ...record);
    expect(await on(3, 'stats', '--since', '3d')).toMatchObject({ stdout: 'one\t3\t\t\t0\t\n' });
  });

  test('H1: the first counter of a link that was listed without one is its start, not clicks', async ({
    on,
    listing,
    history,
  }) => {
    const read = async (days: number, ...totals: (number | null)[]) => {
      const urls = totals.map((total_clicks, nth) => ({
        hash: `h${nth}`,
        short_url: `s.ex/h${nth}`,
        long_url: 'https://a.example/',
        total_clicks,
      }));
      await listing(...urls);
      expect((await on(days, ...record)).code).toBe(0);
    };
    const since = async (time: string) => (await on(4, 'stats', '--since', time, '--fields', 'hash,clicks')).stdout;
    await read(0, null);
    await read(1, null, null);
    await read(2, 40, 7);
    await read(3, 41, 7);
    await read(4, 43, 7);
    expect(await answerOf(history(), 'SELECT total FROM links')).toEqual(['43', '7']);
    expect(await since('4d')).toBe('h0\t3\nh1\t0\n');
    expect(await since('1d')).toBe('h0\t2\n');
  });

  test('H1: a reset of a link whose counter was never read is its start, too', async ({ on, wire, service }) => {
    await store(service, numbered(1));
    await visit(service, 'h0', 9);
    await wire.script([{ only: { path: '/urls' }, times: 'all', alter: { each: { total_clicks: null } } }]);
    await on(0, ...record);
    await wire.script([]);
    expect((await on(0.5, 'stats', '--reset', 'h0', '--yes')).code).toBe(0);
    await visit(service, 'h0', 2);
    await on(1, ...record);
    expect((await on(1, 'stats', '--since', '1d', '--fields', 'hash,clicks,events')).stdout).toBe('h0\t2\treset\n');
  });

  test('H1: a reading of a selection leaves the other links as they are', async ({ on, service }) => {
    await store(service, numbered(3));
    await on(0, ...record);
    await visit(service, 'h0', 1);
    await visit(service, 'h1', 2);
    await on(1, ...record, 'h0');
    await visit(service, 'h0', 3);
    await on(2, ...record, 'h0');
    expect((await on(2, 'stats', 'h0', '--since', '1d')).stdout).toBe('h0\t3\t1\t200\t0\t\n');
    await on(3, ...record);
    expect((await on(3, 'stats', '--since', '3d')).stdout).toBe('h0\t4\t\t\t1\t\nh1\t2\t\t\t1\t\n');
  });
});

test('H1: a history that is damaged, or of somebody else, is exit 9, and stays as it is', async ({ on, service, history }) => {
  await store(service, numbered(3));
  await on(0, ...record);
  const whole = readFileSync(history());
  for (const damaged of [Buffer.alloc(9000, 'no database '), whole.subarray(0, 5000)]) {
    writeFileSync(history(), damaged);
    for (const argv of [record, ['stats', '--since', '1d']]) {
      expect(await on(3, ...argv)).toMatchObject({ code: 9, stderr: expect.stringContaining('history.db') });
    }
    expect(readFileSync(history())).toEqual(damaged);
  }
  const other = whole.toString('latin1').replaceAll('http://127', 'http://128');
  writeFileSync(history(), Buffer.from(other, 'latin1'));
  expect(await on(3, ...record)).toMatchObject({
    code: 9,
    stderr: expect.stringContaining('is not the history of ann on http://127'),
  });
});

test('H1, R-24: the history is of this user alone', async ({ on, history }) => {
  await on(0, ...record);
  expect(statSync(history()).mode & 0o777).toBe(0o600);
  expect(statSync(join(history(), '..')).mode & 0o777).toBe(0o700);
});

test.for([
  [['--record', '--reset'], 'specify only one of --reset or --record'],
  [['--record', '--top', '3'], 'specify only one of --record or --top'],
  [['--record', '--since', '7d'], 'specify only one of --record or --since'],
  [['--record', '--dry-run'], 'specify only one of --record or --dry-run'],
  [['--record', '--ignore-missing'], 'specify only one of --record or --ignore-missing'],
  [['--by', 'day'], '--by requires --since'],
  [['--until', '7d'], '--until requires --since'],
  [['--since', 'tomorrow'], '--since: "tomorrow" is not a time'],
  [['--since', '1d', '--until', '2d'], '--since 1d is not before --until 2d'],
  [['--since', '9999-12-31'], '--since 9999-12-31 is not before now'],
] as const)('H1, H2, D48: stats %j is exit 2', async ([words, message], { linkctl }) => {
  expect(await linkctl(['stats', ...words])).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});
