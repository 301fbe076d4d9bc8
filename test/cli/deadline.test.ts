import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import type { System } from '../../src/base/system.ts';
import { runProgram, runShell } from '../support/built-program.ts';
import { arrived, sent, test } from '../support/linkctl.ts';
import { createMoment } from '../support/moment.ts';
import { numbered, store, stored } from '../support/stored-links.ts';
import { until } from '../support/until.ts';

const hint = 'hint: run the same command again, or increase --max-time\n';
const late = (seconds: number): string => `error: not completed within ${seconds} s (--max-time)\n${hint}`;

/** A minute that is over when the test says so. What comes after it is waited for: it ends by itself, or the test does not. */
function createMinute() {
  const over = createMoment();
  const sleep: System['sleep'] = async (milliseconds, signal) => {
    if (milliseconds === 60_000) return await Promise.race([over.stay(), delay(3_600_000, undefined, { signal })]);
    await delay(milliseconds === windUp ? 3_600_000 : milliseconds, undefined, { signal });
  };
  return { sleep, end: over.leave };
}

const windUp = 1000;
const inAMinute = ['--max-time', '60'];

describe('--max-time', () => {
  test('R-9: a read that is not over in time ends with exit 8 and one line', async ({ linkctl, wire }) => {
    await wire.script([{ times: 'all', end: 'silent' }]);
    const { sleep, end } = createMinute();
    const ran = linkctl(['list', ...inAMinute], { sleep });
    await arrived(wire, 1);
    end();
    expect(await ran).toEqual({ code: 8, stdout: '', stderr: late(60) });
  });

  test('R-9: what was read in time is shown, and no further page is asked for', async ({ linkctl, wire }) => {
    await linkctl(['shorten', 'https://a.example/', 'https://b.example/', 'https://c.example/']);
    await wire.script([{ times: 2 }, { times: 'all', end: 'silent' }]);
    const before = (await sent(wire)).length;
    const { sleep, end } = createMinute();
    const ran = linkctl(['list', '--all', '--page-size', '1', '--fields', 'long_url', ...inAMinute], { sleep });
    await arrived(wire, before + 3);
    end();
    expect(await ran).toMatchObject({ code: 8, stderr: late(60) });
    expect((await ran).stdout).toMatch(/^(https:\/\/[abc]\.example\/\n){2}$/);
    expect((await sent(wire)).length - before).toBe(3);
  });

  test('R-9: a wait between two attempts ends, too', async ({ linkctl, wire }) => {
    await wire.script([{ times: 'all', apply: false, answer: { status: 429, headers: { 'retry-after': '20' }, body: '' } }]);
    const { sleep, end } = createMinute();
    const waiting: System['sleep'] = (milliseconds, signal) => {
      // Of its own it waits up to a tenth longer.
      if (milliseconds >= 20_000 && milliseconds < 30_000) end();
      return sleep(milliseconds, signal);
    };
    const ran = await linkctl(['account', '-o', 'json', ...inAMinute], { sleep: waiting });
    expect(ran).toMatchObject({ code: 8, stdout: '' });
    expect(JSON.parse(ran.stderr).error).toMatchObject({
      code: 8,
      kind: 'unavailable',
      message: late(60).slice(7, -hint.length - 1),
    });
  });

  test('R-9: a command that is over in time ends as usual', async ({ linkctl }) => {
    expect(await linkctl(['account', '--max-time', '600', '--fields', 'username'])).toMatchObject({ code: 0, stderr: '' });
  });

  test.for([[['shorten', 'https://nodejs.org/']], [['tags', 'add', 'new']]])(
    'a change that was under way is not reported as one that did not happen: %s is exit 10',
    async ([words = []], { linkctl, wire }) => {
      await wire.script([{ only: { method: 'POST' }, end: 'silent' }]);
      const { sleep, end } = createMinute();
      const ran = linkctl([...words, ...inAMinute], { sleep });
      await arrived(wire, 1, 'POST');
      end();
      expect(await ran).toMatchObject({ code: 10, stdout: '', stderr: expect.stringMatching(/outcome unknown|not known/) });
    },
  );

  test.for([
    ['delete', ['delete', 'h0', 'h1', '--yes'], 'DELETE'],
    ['edit', ['edit', 'h0', 'h1', '--note', 'n'], 'PATCH'],
    ['stats --reset', ['stats', '--reset', 'h0', 'h1', '--yes'], 'DELETE'],
  ] as const)(
    'D22: %s of named hashes ends with --max-time: a change that was sent is in doubt, and nothing is sent after the end',
    async ([, words, method], { linkctl, service, wire }) => {
      await store(service, numbered(300));
      // The first of two calls is applied and its answer does not come in time.
      await wire.script([{ only: { method }, held: true }]);
      const { sleep, end } = createMinute();
      // Nothing is waited for that the command need not wait for.
      const hasty: System['sleep'] = (milliseconds, signal) => (milliseconds === windUp ? delay(0) : sleep(milliseconds, signal));
      const ran = linkctl([...words, '--batch-size', '1', ...inAMinute], { sleep: hasty });
      await wire.held();
      end();
      expect(await ran).toMatchObject({ code: 10, stdout: '', stderr: expect.stringMatching(/outcome unknown|not known/) });
      const before = await sent(wire);
      expect(before.filter(({ call }) => call.startsWith(method))).toHaveLength(1);
      await wire.release();
      await delay(200);
      expect(await sent(wire)).toEqual(before);
    },
  );

  test('D22: a change that was made is reported, however slowly its output is read', async ({ linkctl, service, wire }) => {
    await store(service, numbered(900, { note: 'n'.repeat(200) }));
    const hashes = Array.from({ length: 900 }, (_, nth) => `h${nth}`);
    const { sleep, end } = createMinute();
    const reader = createMoment();
    // What waits a second after the end of the time waits no longer.
    const hasty: System['sleep'] = (milliseconds, signal) => (milliseconds === windUp ? delay(0) : sleep(milliseconds, signal));
    const words = ['edit', ...hashes, '--email-stats', '--batch-size', '500', '-o', 'json', ...inAMinute];
    const running = linkctl(words, { sleep: hasty, reader: reader.stay });
    await reader.reached;
    end();
    await delay(100);
    reader.leave();
    const ran = await running;
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(ran.stdout).urls).toHaveLength(900);
    expect((await sent(wire)).filter(({ call }) => call.startsWith('PATCH'))).toHaveLength(2);
  });

  test('D22: what was done in time is reported, and no further call begins', async ({ linkctl, service, wire }) => {
    await store(service, numbered(300));
    const only = { method: 'DELETE' };
    await wire.script([
      { only, times: 3 },
      { only, times: 'all', end: 'silent' },
    ]);
    const { sleep, end } = createMinute();
    const hashes = Array.from({ length: 12 }, (_, nth) => `h${nth}`);
    const ran = linkctl(['delete', ...hashes, '--yes', '--batch-size', '1', ...inAMinute], { sleep });
    await arrived(wire, 4, 'DELETE');
    end();
    expect((await ran).code).toBe(10);
    const told = (await ran).stdout.split('\n').filter(Boolean);
    const left = new Set((await stored(service)).map(({ hash }) => hash));
    expect(told).toHaveLength(3);
    expect(told.filter((hash) => left.has(hash))).toEqual([]);
    expect((await sent(wire)).filter(({ call }) => call.startsWith('DELETE'))).toHaveLength(4);
  });

  test('R-9: a shortening run stops as by a signal: exit 8, and the same command resumes', async ({ linkctl, folder, wire }) => {
    const file = join(folder, 'links.txt');
    writeFileSync(file, Array.from({ length: 200 }, (_, index) => `https://example.com/${index}`).join('\n'));
    const only = { method: 'POST' };
    await wire.script([
      { only, times: 3 },
      { only, times: 'all', held: true },
    ]);
    const { sleep, end } = createMinute();
    const words = ['shorten', '-f', file, '--batch-size', '10', '--concurrency', '1'];
    const running = linkctl([...words, ...inAMinute], { sleep });
    await wire.held();
    end();
    await turn();
    await wire.release();
    const ran = await running;
    expect(ran.code).toBe(8);
    expect(ran.stderr).toContain('--max-time reached: waiting for the batches in progress; a signal stops immediately\n');
    expect(ran.stderr).toMatch(/\n200 rows: \d+ created, \d+ not sent .*\nto resume run /s);
    expect(ran.stderr.endsWith(late(60))).toBe(true);
    const created = Number(/(\d+) created/.exec(ran.stderr)?.[1]);
    expect(created).toBe((await sent(wire)).filter(({ call }) => call.startsWith('POST')).length * 10);
    expect(created).toBeLessThan(200);
    expect(ran.stdout.split('\n').filter(Boolean)).toHaveLength(created);
    await wire.script([]);
    expect(await linkctl(['shorten', '-f', file, '--max-time', '600'])).toMatchObject({ code: 0 });
    expect((await linkctl(['list', '--limit', '1', '-o', 'json'])).stdout).toContain('"total_count":200');
  });

  test('R-9: a run that asks before its first batch and gets no answer ends, too: exit 8', async ({ linkctl, folder, wire }) => {
    const file = join(folder, 'links.txt');
    writeFileSync(file, 'https://example.com/');
    await wire.script([{ only: { path: '/account' }, end: 'silent' }]);
    const { sleep, end } = createMinute();
    const ran = linkctl(['shorten', '-f', file, ...inAMinute], { sleep });
    await until(async () => (await sent(wire)).some(({ call }) => call.includes('/account')), 'the account is asked for');
    end();
    expect(await ran).toMatchObject({ code: 8, stderr: late(60) });
  });

  // Of those two the real time is half a second. A program that does not end then does not end, and neither does its test.
  test('R-9: an input that does not come is not waited for, and the program is gone', async ({ env }) => {
    const ran = await runShell('mkfifo "$HOME/never"; $linkctl list --hashes-from - --max-time 0.5 <> "$HOME/never"', env);
    expect(ran).toMatchObject({ code: 8, stderr: late(0.5) });
  });

  test('R-9: log --follow ends, too', async ({ env }) => {
    expect(await runProgram(['log', '--follow', '--max-time', '0.5'], env)).toMatchObject({ code: 8, stderr: late(0.5) });
  });

  test.for(['0', '-1', 'x', '9999999'])('--max-time %s is exit 2', async (seconds, { linkctl }) => {
    expect(await linkctl(['account', `--max-time=${seconds}`])).toMatchObject({ code: 2, stdout: '' });
  });
});
