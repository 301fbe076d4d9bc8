import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { RunningService } from '../../src/service/service.ts';
import { faults } from '../support/faulty-steps.ts';
import { sent, test } from '../support/linkctl.ts';
import { numbered, store, stored, visit } from '../support/stored-links.ts';

const watched = { terminal: { stdin: true, stdout: true, stderr: true }, columns: 100, env: { NO_COLOR: '1' } };
const onDelete = { only: { method: 'DELETE' } };

/** Links with three clicks each. */
async function clicked(service: RunningService, count: number, more: object = {}): Promise<void> {
  await store(service, numbered(count, more));
  for (let index = 0; index < count; index += 1) await visit(service, `h${index}`, 3);
  await expect.poll(() => clicks(service)).toEqual(new Array(count).fill(3));
}

async function clicks(service: RunningService): Promise<number[]> {
  return (await stored(service)).map(({ total_clicks }) => total_clicks);
}

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  test('DELETE /stats/[hash]: the counters of one are reported, erased, and its hash printed', async ({
    linkctl,
    wire,
    service,
  }) => {
    await clicked(service, 2);
    expect(await linkctl(['stats', 'h0', '--reset', '--yes'])).toEqual({
      code: 0,
      stdout: 'h0\n',
      stderr: 'counters cannot be restored after a reset\nhttp://localhost/h0: 3 clicks, 1 unique, will be erased\n',
    });
    expect(await sent(wire)).toEqual([
      { call: 'GET /urls?hashes=h0&limit=1', body: undefined },
      { call: 'DELETE /stats/h0', body: undefined },
    ]);
    expect(await clicks(service)).toEqual([0, 3]);
  });

  test('DELETE /stats?hashes=: several in one call', async ({ linkctl, wire, service }) => {
    await clicked(service, 3);
    const ran = await linkctl(['stats', '--reset', 'h0', 'h2', '-y', '-q', '-o', 'json']);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(ran.stdout)).toMatchObject({
      reset: [
        { status: 'reset', hash: 'h0' },
        { status: 'reset', hash: 'h2' },
      ],
      summary: { rows: 2, reset: 2 },
    });
    expect((await sent(wire)).at(-1)).toEqual({ call: 'DELETE /stats?hashes=h0,h2', body: undefined });
    expect(await clicks(service)).toEqual([0, 3, 0]);
  });

  test('DELETE /stats?tags=: with --no-undo what an expression selects (F1)', async ({ linkctl, wire, service }) => {
    await clicked(service, 6, { tags: ['promo'] });
    const words = ['stats', '--reset', '--no-undo', '-y', '--max-affected', '6', '--by-tags'];
    const ran = await linkctl([...words, 'promo']);
    expect(ran).toMatchObject({ code: 0, stdout: '' });
    expect(ran.stderr).toMatch(/^6 links would be reset\n.*h5 -> https:\/\/example\.com\/5 \(3 clicks, 1 unique\)\n/m);
    expect(ran.stderr).toMatch(/^ {2}… and 1 more\n.*\nReset the counters of 6 links with the tag expression "promo"\n$/m);
    expect((await sent(wire)).at(-1)?.call).toBe('DELETE /stats?tags=promo');
    expect(await clicks(service)).toEqual(new Array(6).fill(0));
    expect((await linkctl([...words, 'none'])).stderr).toContain('stats --reset --by-tags none: nothing to change\n');
    expect((await sent(wire)).filter(({ call }) => call.startsWith('DELETE'))).toHaveLength(1);
  });

  test('--hashes-from: a run of its own, which says what it erases', async ({ linkctl, wire, service }) => {
    await clicked(service, 3);
    const ran = await linkctl(['stats', '--reset', '--hashes-from', '-', '--yes'], { stdin: 'h0\nh1\n' });
    expect(ran).toMatchObject({ code: 0, stdout: 'h0\nh1\n' });
    expect(ran.stderr).toContain('resetting the counters of 2 rows of stdin');
    expect(ran.stderr).toMatch(/^2 rows: 2 reset \(/m);
    expect((await sent(wire)).at(-1)?.call).toMatch(/^DELETE \/stats\?.*hashes=h0,h1/);
    expect(await clicks(service)).toEqual([0, 0, 3]);
  });

  test('B43: a hash that does not exist is exit 5 alone, 3 beside others, 0 with --ignore-missing', async ({
    linkctl,
    service,
  }) => {
    await clicked(service, 1);
    expect(await linkctl(['stats', '--reset', 'none', '-y'])).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('error: no short URL "none" [API 1306]'),
    });
    expect(await linkctl(['stats', '--reset', 'none', 'h0', '-y'])).toMatchObject({ code: 3, stdout: 'h0\n' });
    expect(await linkctl(['stats', '--reset', 'none', '-y', '--ignore-missing'])).toMatchObject({ code: 0 });
    expect(await clicks(service)).toEqual([0]);
  });
});

test('U3, B56: the question of one shows both counters, and that they cannot be restored; y erases them', async ({
  linkctl,
  service,
}) => {
  await clicked(service, 1);
  const ran = await linkctl(['stats', '--reset', 'h0'], { ...watched, stdin: 'y\n' });
  expect(ran).toMatchObject({ code: 0, stdout: '✓ Reset h0\n' });
  expect(ran.stderr).toMatch(
    /^counters cannot be restored after a reset\naccount "ann" on 127\.0\.0\.1:\d+:\nReset the counters of http:\/\/localhost\/h0 -> https:\/\/example\.com\/0 \(3 clicks, 1 unique\)\? \[y\/N\] $/,
  );
});

test('B56: of several, and of a selection whose number is typed', async ({ linkctl, service }) => {
  await clicked(service, 2, { tags: ['t'] });
  const named = await linkctl(['stats', '--reset', 'h0', 'h1'], { ...watched, stdin: 'n\n' });
  expect(named.stderr).toMatch(/\(3 clicks, 1 unique\)\ncounters .*\nReset the counters of 2 links of account "ann" on/);
  const selected = await linkctl(['stats', '--reset', '--by-tags', 't'], { ...watched, stdin: '2\n' });
  expect(selected).toMatchObject({ code: 0, stdout: '✓ Reset h1\n✓ Reset h0\n' });
  expect(await clicks(service)).toEqual([0, 0]);
});

test.for([
  ['one', ['h0']],
  ['several', ['h0', 'h1']],
  ['tags', ['--by-tags', 't', '--max-affected', '2']],
] as const)('R 2.1: in doubt nothing is repeated, exit 10 and how to look: %s', async ([, words], { linkctl, wire, service }) => {
  await clicked(service, 2, { tags: ['t'] });
  await wire.script([{ ...faults.dropAfter, ...onDelete }]);
  const ran = await linkctl(['stats', '--reset', ...words, '--yes']);
  expect(ran).toMatchObject({ code: 10, stdout: '' });
  expect(ran.stderr).toMatch(/outcome unknown|not known/);
  expect(ran.stderr).toMatch(/hint: .*linkctl (stats|list)/);
  expect((await wire.requests()).filter(({ method }) => method === 'DELETE')).toHaveLength(1);
});

test('R 2.1, B45: where typed resets stay in doubt, the command of the hint shows their counters', async ({
  linkctl,
  wire,
  service,
}) => {
  await clicked(service, 2);
  await wire.script([{ ...faults.dropAfter, ...onDelete }]);
  const words = ['stats', '--reset', 'h0', 'h1', '-y'];
  expect(await linkctl(words)).toMatchObject({ code: 10 });
  const resumed = await linkctl(words);
  expect(resumed).toMatchObject({ code: 10, stdout: '' });
  expect(resumed.stderr).toMatch(/\nhint: check before repeating: linkctl stats -- h0 h1\n$/);
  expect(await linkctl(['stats', '--', 'h0', 'h1'])).toMatchObject({ code: 0, stdout: 'h0\t0\t0\nh1\t0\t0\n' });
});

describe.each([
  ['on a terminal', [], { ...watched, stdin: 'y\n' }],
  ['with --yes', ['--yes', '--max-affected', '9'], {}],
] as const)('a reset that is in doubt, %s', (_where, more, how) => {
  test.for([
    ['one', ['h0']],
    ['several', ['h0', 'h1']],
    ['tags', ['--by-tags', 't']],
  ] as const)(
    'R 2.1, B56: is not asked about again, because nothing is sent: %s',
    async ([, words], { linkctl, wire, service }) => {
      await clicked(service, 2, { tags: ['t'] });
      await wire.script([{ ...faults.dropAfter, ...onDelete }]);
      const reset = ['stats', '--reset', ...words];
      expect(await linkctl([...reset, '--yes', '--max-affected', '9'])).toMatchObject({ code: 10 });
      const { code, stderr } = await linkctl([...reset, ...more], how);
      expect({ code, stderr }).toEqual({ code: 10, stderr: expect.stringContaining('linkctl stats ') });
      expect(stderr).not.toMatch(/cannot be restored|will be erased|\?/);
      expect((await wire.requests()).filter(({ method }) => method === 'DELETE')).toHaveLength(1);
    },
  );
});

test('R 2.1: a run in doubt stops and is not resumed into a second reset', async ({ linkctl, wire, service }) => {
  await clicked(service, 2);
  await wire.script([{ ...faults.dropAfter, ...onDelete }]);
  const words = ['stats', '--reset', '--hashes-from', '-', '-y'];
  expect((await linkctl(words, { stdin: 'h0\nh1\n' })).code).toBe(10);
  expect((await linkctl(words, { stdin: 'h0\nh1\n' })).code).not.toBe(0);
  expect((await wire.requests()).filter(({ method }) => method === 'DELETE')).toHaveLength(1);
});

test('R 2.1, B25: where a reset of a file is in doubt, the lines are named', async ({ linkctl, wire, service, folder }) => {
  await clicked(service, 2);
  await wire.script([{ ...faults.dropAfter, ...onDelete }]);
  const file = join(folder, 'hashes.txt');
  writeFileSync(file, 'h0\nh1\n');
  const words = ['stats', '--reset', '--hashes-from', file];
  for (const stdin of ['y\n', '']) {
    const { code, stderr } = await linkctl(words, { ...watched, stdin });
    expect([code, stderr]).toEqual([10, expect.stringContaining(`${file}:2: h1: outcome unknown`)]);
  }
});

test('B60: --dry-run', async ({ linkctl, wire }) => {
  const ran = await linkctl(['stats', '--reset', 'h0', '-n']);
  expect(ran).toMatchObject({ code: 0, stdout: '', stderr: expect.stringMatching(/^0 links would be reset, 1 not found\n/) });
  expect((await wire.requests()).map(({ method }) => method)).toEqual(['GET']);
});

test.for([
  [['--reset']],
  [['--reset', 'h0', '--top', '3']],
  [['--reset', '..']],
  [['--reset', '--by-tags', ' ']],
  [['h0', '--results', 'r.csv']],
  [['--by-tags', 'x', '--budget', '1']],
] as const)('B11, R-52: stats %j is exit 2 and sends nothing', async ([words], { linkctl, wire }) => {
  expect(await linkctl(['stats', ...words, '-y', '--max-affected', '9'])).toMatchObject({ code: 2, stdout: '' });
  expect(await wire.requests()).toEqual([]);
});

describe('several domains', () => {
  test.override({ domains: [{ name: 's.ex' }, { name: 't.ex' }] });

  test('4.1.7, CLI 3.9.1: a group of resets carries its domain', async ({ linkctl, wire, service }) => {
    await store(service, numbered(2), 't.ex');
    expect(await linkctl(['stats', '--reset', 't.ex/h0', 't.ex/h1', '-y', '-q'])).toMatchObject({ code: 0 });
    // What is read for the counters is not read again for their record (U1).
    expect((await sent(wire)).map(({ call }) => call)).toEqual([
      'GET /urls?hashes=h0,h1&domain=t.ex&limit=2',
      'DELETE /stats?domain=t.ex&hashes=h0,h1',
    ]);
    expect((await linkctl(['stats', '--reset', 'h0', '-y', '--domain', 's.ex'])).code).toBe(5);
  });
});
