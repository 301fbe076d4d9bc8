import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { buildChild, type ChildProgram } from '../support/child-program.ts';
import { test } from '../support/linkctl.ts';
import { runningClock } from '../support/running-clock.ts';
import { numbered, store, visit } from '../support/stored-links.ts';

const [minute, day] = [60_000, 86_400_000];

/** The ends of months and years, in years with and without a 29th of February: at midnight itself, and late. */
const ends = [
  '2026-11-30',
  '2026-12-01',
  '2026-12-31',
  '2027-01-01',
  '2027-02-28',
  '2027-03-01',
  '2028-02-28',
  '2028-02-29',
  '2028-03-01',
].flatMap((date) => [`${date}T00:00:00Z`, `${date}T23:50:00Z`]);
const hours = Array.from({ length: 24 }, (_, nth) => `2026-11-23T${String(nth).padStart(2, '0')}:00:00Z`);

const date = (time: number): string => new Date(time).toISOString().slice(0, 10);
const inWords = (time: number): string =>
  new Date(time).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });

describe.each([...hours, ...ends])('at %s', (moment) => {
  const startsAt = Date.parse(moment);
  const today = date(startsAt);
  test.override({ startsAt });

  test('E1, E2, H6: the clicks of today count without any reading, and are marked', async ({ linkctl, service, folder }) => {
    await store(service, numbered(2));
    await visit(service, 'h0', 4);
    const times = ends.includes(moment) ? ['yesterday', '3m', '1y', date(startsAt - 3 * day)] : ['today', '1h', '12h', '7d'];
    for (const since of times) {
      const { code, stdout, stderr } = await linkctl(['stats', '--since', since, '--by', 'day']);
      const rows = stdout.trimEnd().split('\n');
      expect([since, code, rows.at(-1)]).toEqual([since, 0, `${today}\t4\ttrue`]);
      expect(rows.slice(0, -1).every((row) => row.endsWith('\t0\tfalse'))).toBe(true);
      expect(stderr).toMatch(
        new RegExp(`^4 clicks by the daily totals of the server from .* 00:00:00 UTC to ${today} .* UTC \\(today so far\\)`),
      );
    }
    const path = join(folder, 'report.html');
    const report = await linkctl(['report', '--html', path, '-o', 'json']);
    expect(JSON.parse(report.stdout)).toMatchObject({ clicks: 4, last: expect.stringContaining(today) });
    expect(readFileSync(path, 'utf8')).toMatch(
      new RegExp(`<span class="day">${inWords(startsAt)}</span>.*4 <span class="quiet">so far</span>`),
    );
  });
});

describe.each(['2026-11-23T13:00:00Z', '2027-01-01T00:00:00Z', '2028-02-29T23:50:00Z'])('at %s', (moment) => {
  const startsAt = Date.parse(moment);
  test.override({ startsAt });

  test('E2, H6: a chart marks the present day, whose column is not whole', async ({ linkctl, service }) => {
    await store(service, numbered(1));
    await visit(service, 'h0', 2);
    const chart = await linkctl(['stats', '--since', '7d', '--chart']);
    expect(chart.stdout).toContain('clicks per day (UTC; today so far)\n');
    const table = await linkctl(['stats', '--since', '2d', '--by', 'day'], { terminal: { stdout: true } });
    expect(table.stdout).toMatch(new RegExp(`${date(startsAt)} +2 .*so far`));
    expect(table.stdout.match(/so far/g)).toHaveLength(1);
  });

  test('H2, H6: readings do not say how many of the clicks are of today; daily totals do', async ({ linkctl, service }) => {
    await store(service, [{ custom_hash: 'h0', long_url: 'https://a.example/', tags: ['t'] }]);
    const at = (time: number) => ({ now: runningClock(startsAt + time) });
    const todays = async () => {
      const found: unknown[] = [];
      for (const by of ['link', 'tag', 'host']) {
        const { stdout } = await linkctl(['stats', '--since', '1d', '--by', by, '-o', 'json'], at(minute));
        const { clicks, summary, period } = JSON.parse(stdout);
        found.push([period.source, ...[...clicks, summary].map(({ today }) => today)]);
      }
      return found;
    };
    expect(await todays()).toEqual(Array(3).fill(['daily_clicks', 0]));
    await visit(service, 'h0', 3);
    expect(await todays()).toEqual(Array(3).fill(['daily_clicks', 3, 3]));
    for (const time of [-day, 0]) {
      await linkctl(['stats', '--record'], at(time));
      expect(await todays()).toEqual(Array(3).fill(time < 0 ? ['daily_clicks', 3, 3] : ['readings', null, null]));
      await visit(service, 'h0', 2);
    }
  });

  test('E2, H6: a time is compared with one of the same length or with none', async ({ linkctl, service }) => {
    await store(service, numbered(1));
    const at = (time: number) => ({ now: runningClock(startsAt + time) });
    for (const time of [-3 * day, -2 * day, -day, -2 * minute, 0]) {
      await linkctl(['stats', '--record'], at(time));
      await visit(service, 'h0', 1);
    }
    const since = async (text: string) => {
      const { stdout } = await linkctl(['stats', '--since', text, '-o', 'json'], at(minute));
      const { period, summary } = JSON.parse(stdout);
      return { first: Date.parse(period.first) - startsAt, ...summary, compared: period.before !== null };
    };
    // Two minutes were read, and before them a day.
    expect(await since('1h')).toMatchObject({ clicks: 1, before: null, change: null, compared: false });
    const { stderr } = await linkctl(['stats', '--since', '1h'], at(minute));
    expect(stderr).toMatch(/^1 click between the readings of .*; no earlier reading for the previous period\n$/);
    const oneDay = await since('1d');
    expect(oneDay).toMatchObject({ clicks: 2, before: 1, change: 100, compared: true });
    expect(oneDay.first).toBeLessThan(-day + minute);
    expect(await since('3d')).toMatchObject({ clicks: 4, before: null, compared: false });
  });
});

describe('in time zones', () => {
  let child: ChildProgram;
  beforeAll(async () => {
    child = await buildChild(join(import.meta.dirname, '..', 'support', 'clocked-child.ts'));
  });
  afterAll(() => child.remove());

  /** At these, it is another day or another year in some of the zones. */
  describe.each(['2026-12-31T11:30:00Z', '2028-02-29T05:00:00Z'])('at %s', (moment) => {
    const start = Date.parse(moment);
    test.override({ startsAt: start });

    test('E1: the present day is that of UTC for everybody', async ({ env, service, folder }) => {
      await store(service, numbered(3, { expiration_date: date(start + 20 * day) }));
      const path = join(folder, 'report.html');
      const commands = [
        ['stats', '--record'],
        ['stats', '--since', 'yesterday', '--by', 'day', '-o', 'json'],
        ['stats', '--since', '1m', '--chart'],
        ['report', '--html', path, '-o', 'json'],
        ['list', '--filter', `expiration_date>=${date(start + 20 * day)}`, '--filter', 'expiration_date<=+20d'],
      ];
      const run = async (zone: string): Promise<string> => {
        const place = { TZ: zone, XDG_DATA_HOME: join(folder, zone), START: String(start) };
        const { stdout } = child.start([JSON.stringify(commands)], { ...env, ...place });
        const all = await text(stdout as Readable);
        return all.replaceAll(join(folder, zone), '') + readFileSync(path, 'utf8');
      };
      const utc = await run('UTC');
      expect(utc).toContain('so far');
      for (const zone of ['Pacific/Kiritimati', 'America/Los_Angeles', 'Asia/Kolkata']) expect(await run(zone)).toBe(utc);
    });
  });
});
