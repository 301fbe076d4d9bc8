import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { startProgram } from '../support/built-program.ts';
import { sent, test } from '../support/linkctl.ts';

test('B88: output and results have the order of the input, whatever comes back first', async ({ linkctl, folder, wire }) => {
  const file = join(folder, 'links.csv');
  const rows = Array.from({ length: 40 }, (_, index) => `https://example.com/${index},h${index}`);
  writeFileSync(file, ['long_url,custom_hash', ...rows, ''].join('\n'));
  await linkctl(['shorten', 'https://taken.example/', '--hash', 'h25']);
  await wire.script([120, 10, 60, 0].map((milliseconds) => ({ only: { method: 'POST' }, delay: milliseconds })));
  const args = ['shorten', '-f', file, '--batch-size', '5', '--concurrency', '4', '--results', join(folder, 'done.csv')];
  const ran = await linkctl([...args, '--failed', join(folder, 'failed.csv'), '-o', 'jsonl']);
  const shown = ran.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(ran.code).toBe(3);
  expect(shown.map(({ long_url }) => long_url)).toEqual(rows.map((row) => row.split(',')[0]));
  expect(shown[25]).toMatchObject({ line: 27, status: 'failed', error: { code: 1215 } });
  const [head = '', ...results] = readFileSync(join(folder, 'done.csv'), 'utf8').trim().split('\n');
  expect(head.split(',')).toEqual(expect.arrayContaining(['row', 'status', 'hash', 'short_url', 'long_url', 'code']));
  expect(results.map((line) => Number(line.split(',')[0]))).toEqual(rows.map((_, index) => index + 1));
  expect(readFileSync(join(folder, 'failed.csv'), 'utf8').trim().split('\n')).toHaveLength(2);
});

test('B88: killed half-way and run again, every row is accounted for exactly once', async ({ env, linkctl, folder, wire }) => {
  const file = join(folder, 'links.csv');
  const rows = Array.from({ length: 300 }, (_, index) => `https://example.com/${index},h${index}`);
  writeFileSync(file, ['long_url,custom_hash', ...rows, ''].join('\n'));
  await wire.script([{ times: 'all', only: { method: 'POST' }, delay: 100 }]);
  const args = ['shorten', '-f', file, '--batch-size', '20', '--results', join(folder, 'done.csv')];
  const program = startProgram(args, env);
  while ((await sent(wire)).filter(({ call }) => call.startsWith('POST')).length < 5) await delay(10);
  program.process.kill('SIGKILL');
  await program.ended;
  await wire.script([]);
  const again = await linkctl(args);
  expect(again).toMatchObject({ code: 0 });
  const urls = JSON.parse((await linkctl(['list', '--all', '-o', 'json'])).stdout).urls.map(
    ({ long_url }: { long_url: string }) => long_url,
  );
  expect(new Set(urls).size).toBe(300);
  expect(urls).toHaveLength(300);
  expect(readFileSync(join(folder, 'done.csv'), 'utf8').trim().split('\n')).toHaveLength(301);
});
