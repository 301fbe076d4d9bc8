import { describe, expect } from 'vitest';
import { runProgram } from './support/built-program.ts';
import { sent, test } from './support/linkctl.ts';

const usual = { LC_ALL: 'C.UTF-8', TZ: 'UTC' };
const far = { LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8', TZ: 'Pacific/Apia' };

describe('B97: with LC_ALL=tr_TR.UTF-8 and TZ=Pacific/Apia', () => {
  test.for([
    [['list', '--all', '-o', 'csv']],
    [['list', '--all', '-o', 'table']],
    [['list', '--all', '-o', 'json']],
    [['log', '-o', 'tsv']],
    [['account', '--fields', 'username,subscription_plan,account_expiration_date']],
    [['config', 'list']],
    [['list', '--limit', '0']],
  ] as const)('%j says the same, byte for byte', async ([argv], { env, linkctl }) => {
    await linkctl([
      'shorten',
      'https://iI.example/İı',
      '--hash',
      'Ii',
      '--note',
      'ŞIĞ',
      '--tag',
      'INDIGO',
      '--expires',
      '2031-01-01',
    ]);
    const [here, there] = await Promise.all([usual, far].map((place) => runProgram(argv, { ...env, ...place })));
    expect(there).toEqual(here);
    expect(here?.stdout + (here?.stderr ?? '')).not.toBe('');
  });

  test('a label is the same in capitals, and a day is a day of UTC', async ({ env, linkctl, wire }) => {
    const place = { ...env, ...far };
    await runProgram(['tags', 'add', 'INDIGO', 'indigo'], place);
    expect((await linkctl(['tags'])).stdout).toBe('INDIGO\n');
    await runProgram(['shorten', 'https://a.example/', '--expires', '+1d', '-n'], place);
    const tomorrow = (): string => new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const before = tomorrow();
    const { stdout } = await runProgram(['shorten', 'https://a.example/', '--expires', '+1d', '-n', '-o', 'json'], place);
    expect([before, tomorrow()]).toContain(JSON.parse(stdout).requests[0].body.urls[0].expiration_date);
    expect((await sent(wire)).some(({ call }) => call.startsWith('POST /urls'))).toBe(false);
  });

  test('B13: help and exit codes are what they are', async ({ env }) => {
    for (const argv of [['--help'], ['LIST'], ['help', 'formats']]) {
      expect(await runProgram(argv, { ...env, ...far })).toEqual(await runProgram(argv, { ...env, ...usual }));
    }
  });
});
