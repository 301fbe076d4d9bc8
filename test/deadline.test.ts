import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { runProgram, runShell } from './support/built-program.ts';
import { sent, test } from './support/linkctl.ts';
import { numbered, store, stored } from './support/stored-links.ts';

const late = 'error: not finished within the 0.5 s of --max-time\n';
const hint = 'hint: run the same command again, or give it more time\n';

describe('--max-time', () => {
  test('R-9: a read that is not over in time ends with exit 8 and one line', async ({ linkctl, wire }) => {
    await wire.script([{ times: 'all', end: 'silent' }]);
    const started = performance.now();
    expect(await linkctl(['list', '--max-time', '0.5'])).toEqual({ code: 8, stdout: '', stderr: late + hint });
    expect(performance.now() - started).toBeLessThan(1500);
  });

  test('R-9: what was read in time is shown, and no further page is asked for', async ({ linkctl, wire }) => {
    await linkctl(['shorten', 'https://a.example/', 'https://b.example/', 'https://c.example/']);
    await wire.script([{ times: 'all', delay: 300 }]);
    const before = (await sent(wire)).length;
    const ran = await linkctl(['list', '--all', '--page-size', '1', '--fields', 'long_url', '--max-time', '0.5']);
    expect(ran).toMatchObject({ code: 8, stderr: late + hint });
    expect(ran.stdout).toMatch(/^(https:\/\/[abc]\.example\/\n){1,2}$/);
    expect((await sent(wire)).length - before).toBeLessThanOrEqual(3);
  });

  test('R-9: a wait between two attempts ends, too', async ({ linkctl, wire }) => {
    await wire.script([{ times: 'all', apply: false, answer: { status: 429, headers: { 'retry-after': '20' }, body: '' } }]);
    const ran = await linkctl(['account', '--max-time', '0.5', '-o', 'json']);
    expect(ran).toMatchObject({ code: 8, stdout: '' });
    expect(JSON.parse(ran.stderr).error).toMatchObject({ code: 8, kind: 'unavailable', message: late.slice(7, -1) });
  });

  test('R-9: a command that is over in time ends as ever', async ({ linkctl }) => {
    expect(await linkctl(['account', '--max-time', '600', '--fields', 'username'])).toMatchObject({ code: 0, stderr: '' });
  });

  test('a change that was under way is not told as one that did not happen: exit 10', async ({ linkctl, wire }) => {
    await wire.script([{ only: { method: 'POST' }, end: 'silent' }]);
    expect(await linkctl(['shorten', 'https://nodejs.org/', '--max-time', '0.5'])).toMatchObject({
      code: 10,
      stdout: '',
      stderr: expect.stringContaining('not known'),
    });
    await wire.script([{ only: { method: 'POST' }, end: 'silent' }]);
    expect(await linkctl(['tags', 'add', 'new', '--max-time', '0.5'])).toMatchObject({ code: 10 });
  });

  test.for([
    ['delete', ['delete', 'h0', 'h1', '--yes'], 'DELETE'],
    ['edit', ['edit', 'h0', 'h1', '--note', 'n'], 'PATCH'],
    ['stats --reset', ['stats', '--reset', 'h0', 'h1', '--yes'], 'DELETE'],
  ] as const)(
    'D22: %s of named hashes ends with --max-time: a change that was sent is in doubt, and nothing is sent after the end',
    async ([, words, method], { linkctl, service, wire }) => {
      await store(service, numbered(300));
      const only = { method };
      // The first of two calls is applied and its answer does not come in time.
      await wire.script([{ only, delay: 4000 }]);
      const batches = [...words, '--batch-size', '1', '--max-time', '1'];
      const ran = await linkctl(batches);
      expect(ran).toMatchObject({ code: 10, stdout: '', stderr: expect.stringContaining('not known') });
      const before = await sent(wire);
      expect(before.filter(({ call }) => call.startsWith(method))).toHaveLength(1);
      await new Promise((resolve) => setTimeout(resolve, 3500));
      expect(await sent(wire)).toEqual(before);
    },
  );

  test('D22: what was done in time is told, and no further call begins', async ({ linkctl, service, wire }) => {
    await store(service, numbered(300));
    await wire.script([{ only: { method: 'DELETE' }, times: 'all', delay: 400 }]);
    const words = [
      'delete',
      ...Array.from({ length: 12 }, (_, nth) => `h${nth}`),
      '--yes',
      '--batch-size',
      '1',
      '--max-time',
      '1.5',
    ];
    const ran = await linkctl(words);
    const told = ran.stdout.split('\n').filter(Boolean);
    const left = new Set((await stored(service)).map(({ hash }) => hash));
    expect(told.length).toBeGreaterThan(0);
    expect(told.filter((hash) => left.has(hash))).toEqual([]);
    expect(ran.code).toBe(10);
    expect((await sent(wire)).filter(({ call }) => call.startsWith('DELETE')).length).toBe(told.length + 1);
  });

  test('R-9: a shortening run stops as by a signal: exit 8, and the same command goes on', async ({ linkctl, folder, wire }) => {
    const file = join(folder, 'links.txt');
    writeFileSync(file, Array.from({ length: 200 }, (_, index) => `https://example.com/${index}`).join('\n'));
    await wire.script([{ times: 'all', only: { method: 'POST' }, delay: 200 }]);
    const ran = await linkctl(['shorten', '-f', file, '--batch-size', '10', '--concurrency', '1', '--max-time', '0.5']);
    expect(ran.code).toBe(8);
    expect(ran.stderr).toContain('--max-time is over: waiting for the batches under way; a signal ends it at once\n');
    expect(ran.stderr).toMatch(/\n200 rows: \d+ created, \d+ not sent .*\nrun the same command again to go on with run /s);
    expect(ran.stderr.endsWith(late + hint)).toBe(true);
    const created = Number(/(\d+) created/.exec(ran.stderr)?.[1]);
    expect(created).toBe((await sent(wire)).filter(({ call }) => call.startsWith('POST')).length * 10);
    expect(ran.stdout.split('\n').filter(Boolean)).toHaveLength(created);
    await wire.script([]);
    expect(await linkctl(['shorten', '-f', file, '--max-time', '60'])).toMatchObject({ code: 0 });
    expect((await linkctl(['list', '--limit', '1', '-o', 'json'])).stdout).toContain('"total_count":200');
  });

  test('R-9: a run that asks before its first batch and hears nothing ends, too: exit 8', async ({ linkctl, folder, wire }) => {
    const file = join(folder, 'links.txt');
    writeFileSync(file, 'https://example.com/');
    await wire.script([{ only: { path: '/account' }, end: 'silent' }]);
    expect(await linkctl(['shorten', '-f', file, '--max-time', '0.5'])).toMatchObject({ code: 8, stderr: late + hint });
  });

  test('R-9: an input that does not come is not waited for, and the program is gone', async ({ env }) => {
    const started = performance.now();
    const ran = await runShell('mkfifo "$HOME/never"; $linkctl list --hashes-from - --max-time 0.5 <> "$HOME/never"', env);
    expect(ran).toMatchObject({ code: 8, stderr: late + hint });
    expect(performance.now() - started).toBeLessThan(5000);
  });

  test('R-9: log --follow ends, too', async ({ env }) => {
    const started = performance.now();
    expect(await runProgram(['log', '--follow', '--max-time', '0.5'], env)).toMatchObject({ code: 8, stderr: late + hint });
    expect(performance.now() - started).toBeLessThan(3000);
  });

  test.for(['0', '-1', 'x', '9999999'])('--max-time %s is exit 2', async (seconds, { linkctl }) => {
    expect(await linkctl(['account', `--max-time=${seconds}`])).toMatchObject({ code: 2, stdout: '' });
  });
});
