import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { dailyClicksIn, readDailyClicks } from '../../src/history/server-days.ts';
import { sent } from '../support/linkctl.ts';
import { runningClock } from '../support/running-clock.ts';
import { numbered, store, visit } from '../support/stored-links.ts';
import { record, test } from './history-world.ts';

const day = 86_400_000;

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition, startsAt: Date.UTC(2026, 10, 23, 2) });

  test('H4: without any reading the days come from the server', async ({ linkctl, service, wire }) => {
    await store(service, numbered(3, { tags: ['promo'] }));
    await visit(service, 'h1', 4);
    const result = await linkctl(['stats', '--since', '7d', '--by', 'day']);
    expect(result).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^4 clicks by the daily totals of the server from .* 00:00:00 UTC/),
    });
    expect(result.stdout.trimEnd().split('\n').at(-1)).toBe('2026-11-23\t4\ttrue');
    // Links that nobody clicked are not asked for.
    expect((await sent(wire)).filter(({ call }) => call.startsWith('GET /stats/'))).toHaveLength(1);
    expect((await linkctl(['stats', '--since', '7d', '--by', 'tag'])).stdout).toBe('promo\t1\t4\t0\t\n');
    expect((await linkctl(['stats', 'h1', 'h0', '--since', '7d'])).stdout).toBe('h1\t4\t0\t\t1\t\n');
  });

  test('H4, E24a: counters of days that come as text are numbers', async ({ linkctl, service, wire }) => {
    await store(service, numbered(1));
    await visit(service, 'h0', 4);
    const daily_clicks = { '2026-11-22': { total: '3', unique: '1' }, '2026-11-23': { total: 1, unique: '0' } };
    const answer = {
      body: { error: { code: 0, message: '' }, stats: [{ hash: 'h0', total_clicks: '4', unique_clicks: 1, daily_clicks }] },
    };
    await wire.script([{ only: { path: '/stats/' }, times: 'all', answer }]);
    expect(await linkctl(['stats', '--since', '7d'])).toMatchObject({
      code: 0,
      stdout: 'h0\t4\t0\t\t1\t\n',
      stderr: expect.stringMatching(/^4 clicks by the daily totals of the server/),
    });
  });

  test('H4: more clicked links than are asked for one by one are the reason that is given', async ({
    linkctl,
    service,
    wire,
  }) => {
    await store(service, numbered(101));
    for (let at = 0; at < 101; at += 1) await visit(service, `h${at}`, 1);
    expect(await linkctl(['stats', '--since', '7d'])).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('they take a call per clicked link, and more than 100 were clicked'),
    });
    expect((await sent(wire)).filter(({ call }) => call.startsWith('GET /stats/'))).toEqual([]);
    expect((await linkctl(['stats', 'h1', '--since', '7d'])).stdout).toBe('h1\t1\t0\t\t1\t\n');
  });

  test('F1: which links are counted is found out once, also where the days come from the server', async ({
    linkctl,
    service,
    wire,
  }) => {
    await store(service, numbered(3, { tags: ['promo', 'sale'] }));
    await visit(service, 'h1', 4);
    const piped = await linkctl(['stats', '--since', '7d', '--hashes-from', '-'], { stdin: 'h1\nh2\n' });
    expect(piped).toMatchObject({ code: 0, stdout: 'h1\t4\t0\t\t1\t\n' });
    await linkctl(['stats', '--since', '7d', '--by-tags', 'promo&sale']);
    expect((await sent(wire)).filter(({ call }) => call.startsWith('GET /tags'))).toHaveLength(1);
  });

  test('H4: days that are sent with the records need one listing, and fill days inside a gap of the readings', async ({
    on,
    listing,
  }) => {
    const daily_clicks = { '2026-03-03': { total: 2, unique: 1 }, '2026-03-04': { total: 5, unique: 3 } };
    const url = {
      hash: 'one',
      short_url: 's.ex/one',
      long_url: 'https://a.example/',
      total_clicks: 7,
      unique_clicks: 4,
      tags: [],
    };
    await listing({ ...url, total_clicks: 0 });
    await on(0, ...record);
    await listing({ ...url, daily_clicks });
    expect((await on(3, 'stats', '--since', '2d')).stdout).toBe('one\t7\t0\t\t4\t\n');
    await on(4, ...record);
    expect(await on(4, 'stats', '--since', '4d', '--by', 'day')).toMatchObject({
      stdout: '2026-03-02\t\tfalse\n2026-03-03\t2\tfalse\n2026-03-04\t5\tfalse\n2026-03-05\t\tfalse\n',
      stderr: expect.stringContaining('no readings of 2 days (2026-03-02 and 2026-03-05): 0 clicks cannot be assigned to days'),
    });
  });
});

test('H4: a server that does not go back so far is not believed to have had no clicks', () => {
  const now = Date.UTC(2026, 2, 10, 12);
  const link = { hash: 'one', short_url: 's.ex/one', long_url: 'https://a.example/', tags: [] };
  const of = (days: object, total: number, since: number) => {
    const daily = dailyClicksIn({ since: now - since * day, until: now, now });
    daily.add(link, readDailyClicks(days) ?? new Map(), total);
    return daily.clicks();
  };
  const days = { '2026-03-08': { total: 2, unique: 1 }, '2026-03-10': { total: 3, unique: 1 } };
  expect(of(days, 5, 5)?.total).toEqual({ clicks: 5, today: 3, before: 0 });
  expect(of(days, 9, 5)).toBeUndefined();
  expect(of(days, 9, 2)?.total).toEqual({ clicks: 5, today: 3, before: undefined });
  // Of a day and a half, the whole day is compared.
  expect(of(days, 5, 1)?.total).toEqual({ clicks: 3, today: 3, before: 2 });
});

test('H4: what is no list of days is as good as none', () => {
  expect(readDailyClicks({ '2026-02-30': { total: 1, unique: 1 } })).toBeUndefined();
  expect(readDailyClicks({ '2026-03-01': 4 })).toBeUndefined();
  expect(readDailyClicks({ '2026-03-01': { total: 'x', unique: '' } })).toBeUndefined();
  expect(readDailyClicks('none')).toBeUndefined();
  expect(readDailyClicks({})).toEqual(new Map());
});

const timed = test
  .extend('moment', () => ({ time: Date.UTC(2026, 2, 2) }))
  .extend<{ clock: { now: () => number } }>({
    clock: async ({ moment }, use) => {
      await use({ now: () => (moment.time += 7) });
    },
  });

describe.each([
  {
    time: '02:05',
    rows: ['02\t40\tfalse', '03\t\tfalse', '04\t\tfalse', '05\t1\tfalse'],
    note: 'no readings of 2 days (2026-03-03 and 2026-03-04): 15 clicks cannot be assigned to days',
  },
  {
    time: '21:22',
    rows: ['03\t45\tfalse', '04\t\tfalse', '05\t\tfalse', '06\t0\ttrue'],
    note: 'no readings of 2 days (2026-03-04 and 2026-03-05): 11 clicks cannot be assigned to days',
  },
])('with readings at $time, of which one was missed', ({ time, rows, note }) => {
  timed(
    'H2, H3, H4: each click is on at most one day, and days of the gap are unknown, although the server sends days',
    async ({ linkctl, moment, service, wire }) => {
      const events: Record<string, () => Promise<unknown>> = {
        [`02T${time}`]: () => linkctl(record),
        '03T01:00': () => visit(service, 'h0', 40),
        [`03T${time}`]: () => linkctl(record),
        '03T12:00': () => visit(service, 'h0', 5),
        '04T12:00': () => visit(service, 'h0', 7),
        '04T13:00': () => visit(service, 'h1', 3),
        '04T14:00': () => linkctl(['delete', 'h1', '--yes']),
        [`05T${time}`]: () => linkctl(record),
        '05T12:00': () => visit(service, 'h0', 1),
        [`06T${time}`]: () => linkctl(record),
      };
      await store(service, numbered(2));
      for (const [at, event] of Object.entries(events).sort(([one], [other]) => (one < other ? -1 : 1))) {
        moment.time = Date.parse(`2026-03-${at}Z`);
        await event();
      }
      const since = ['--since', `2026-03-02T${time}:30Z`];
      const days = await linkctl(['stats', ...since, '--by', 'day']);
      expect(days.stdout).toBe(rows.map((row) => `2026-03-${row}\n`).join(''));
      expect(days.stderr).toContain('56 clicks between the readings of ');
      expect(days.stderr).toContain(note);
      expect((await linkctl(['stats', ...since, '--chart'])).stdout.match(/\?/g)).toHaveLength(2);
      const table = await linkctl(['stats', ...since, '--by', 'day', '-o', 'table']);
      expect(table.stdout.match(/^2026-03-\d\d +\?$/gm)).toHaveLength(2);
      expect((await linkctl(['report', ...since, '--html', '-'])).stdout.match(/not known/g)).toHaveLength(2);
      expect((await sent(wire)).filter(({ call }) => call.startsWith('GET /stats'))).toEqual([]);
    },
  );
});

describe('on a Monday morning', () => {
  const monday = Date.UTC(2026, 10, 16, 6, 5);

  test('H6: as many whole days are compared with each other, today counts and is left out of that, and both are said', async ({
    linkctl,
    listing,
    folder,
  }) => {
    const days = { '2026-11-08': 40, '2026-11-09': 2, '2026-11-15': 48, '2026-11-16': 10, '2026-11-01': 9 };
    const totals = Object.entries(days).map(([date, total]) => [date, { total, unique: 1 }]);
    const url = { hash: 'one', short_url: 's.ex/one', long_url: 'https://a.example/', unique_clicks: 4, tags: ['t'] };
    await listing({ ...url, total_clicks: 109, daily_clicks: Object.fromEntries(totals) });
    const at = { now: runningClock(monday) };
    const since = await linkctl(['stats', '--since', '7d'], at);
    // 50 of 9 to 15 November against 40 of 2 to 8 November.
    expect(since.stdout).toBe('one\t60\t40\t25\t3\t\n');
    expect(since.stderr).toMatch(
      /^60 clicks by .* from 2026-11-09 00:00:00 UTC to 2026-11-16 06:05:00 UTC \(today so far\); 50 without today, 40 before, from 2026-11-02 00:00:00 UTC \(\+25 %\)\n$/,
    );
    const table = (await linkctl(['stats', '--since', '7d', '-o', 'table'], at)).stdout.split('\n');
    expect(table[0]).toMatch(/CLICKS +BEFORE +CHANGE +TODAY SO FAR/);
    expect(table[1]).toMatch(/ 60 +40 +\+25 % +10/);
    const { clicks, summary } = JSON.parse((await linkctl(['stats', '--since', '7d', '-o', 'json'], at)).stdout);
    expect([clicks[0], summary]).toMatchObject([60, 60].map((all) => ({ clicks: all, before: 40, change: 25, today: 10 })));
    expect((await linkctl(['stats', '--since', '7d', '--by', 'tag'], at)).stdout).toBe('t\t1\t60\t40\t25\n');
    const path = join(folder, 'week.html');
    const report = await linkctl(['report', '--since', '7d', '--html', path, '-o', 'json'], at);
    expect(JSON.parse(report.stdout)).toMatchObject({ clicks: 60, clicks_before: 40 });
    const page = readFileSync(path, 'utf8')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ');
    for (const part of [
      '+25 % against 40 before, without today',
      '60 +25 % s.ex/one',
      '+10 40 to 50',
      '2 Nov 2026 to 8 Nov 2026, without today.',
    ]) {
      expect(page).toContain(part);
    }
    // Nothing but today has no days to be compared with.
    expect((await linkctl(['stats', '--since', 'today'], at)).stderr).toMatch(
      /today so far\); not compared, because today is not over\n$/,
    );
  });
});
