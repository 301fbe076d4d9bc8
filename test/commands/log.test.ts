import { describe, expect } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { faults } from '../support/faulty-steps.ts';
import { sent, test } from '../support/linkctl.ts';
import { createTestSystem } from '../support/test-system.ts';

const entry = (number: number, more: object = {}) => ({
  message: `entry ${number}`,
  time: `2026-01-31 09:00:${String(number).padStart(2, '0')}`,
  type: 'notification',
  satellite_username: null,
  links: { object_url: null, help_url: null },
  ...more,
});

const page = (entries: object[], total = entries.length, offset = 0) => ({
  only: { path: '/log' },
  answer: {
    body: {
      error: { code: 0, message: '' },
      page: { results_count: entries.length, total_count: total, offset },
      log: entries,
    },
  },
});

const messages = (stdout: string) => stdout.split('\n').filter(Boolean);

test('GET /log: newest first, times marked as UTC, all fields in a pipe', async ({ linkctl, wire }) => {
  await linkctl(['tags', 'add', 'one']);
  await linkctl(['tags', 'add', 'two']);
  const ran = await linkctl(['log']);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toMatch(
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\tnotification\tTag "two" added\t\t\{"object_url":null,"help_url":null\}\n.*"one" added/,
  );
  expect((await sent(wire)).at(-1)).toEqual({ call: 'GET /log', body: undefined });
});

test('B81: --limit, --offset and --all choose the rows; a cut log says so (B28)', async ({ linkctl, wire }) => {
  for (const label of ['one', 'two', 'three']) await linkctl(['tags', 'add', label]);
  const cut = await linkctl(['log', '-L', '1', '--offset', '1', '--fields', 'message']);
  expect(cut).toEqual({
    code: 0,
    stdout: 'Tag "two" added\n',
    stderr: 'Showing 1 of 3 entries.\n',
  });
  expect((await sent(wire)).at(-1)?.call).toBe('GET /log?offset=1&limit=1');
  const all = await linkctl(['log', '--all', '--fields', 'message']);
  expect(all).toMatchObject({ stderr: '' });
  expect(messages(all.stdout)).toHaveLength(3);
});

test('F7: a log that ends before its own total says so, once', async ({ linkctl, wire }) => {
  await wire.script([page([entry(9), entry(8)], 6), page([], 6, 2)]);
  expect(await linkctl(['log', '--all', '--fields', 'message'])).toEqual({
    code: 0,
    stdout: 'entry 9\nentry 8\n',
    stderr: 'warning: the server lists 2 of 6 rows; the listing may be incomplete\n',
  });
});

test('B19: -o json has log and page', async ({ linkctl }) => {
  await linkctl(['tags', 'add', 'one']);
  expect(JSON.parse((await linkctl(['log', '-o', 'json'])).stdout)).toMatchObject({
    log: [{ message: 'Tag "one" added' }],
    page: { results_count: 1, total_count: 1, offset: 0 },
  });
});

test('B19: without a total of the server, page has none', async ({ linkctl, wire }) => {
  await wire.script([{ answer: { body: { error: { code: 0, message: '' }, log: [entry(1)] } } }]);
  expect(JSON.parse((await linkctl(['log', '-o', 'json'])).stdout).page).toEqual({ results_count: 1, offset: 0 });
});

test('--since reads all pages back to that time, and no further', async ({ linkctl, wire }) => {
  await wire.script([page([entry(9), entry(8)], 6), page([entry(7), entry(6)], 6, 2), page([entry(5)], 6, 4)]);
  const ran = await linkctl(['log', '--since', '2026-01-31T09:00:07Z', '--fields', 'message'], {
    now: () => Date.UTC(2026, 1, 1),
  });
  expect(ran).toEqual({ code: 0, stdout: 'entry 9\nentry 8\nentry 7\n', stderr: '' });
  expect((await sent(wire)).map(({ call }) => call).slice(0, 2)).toEqual(['GET /log?limit=1000', 'GET /log?offset=2&limit=1000']);
});

test('CLI 3.5: --since keeps entries whose time cannot be read, and reads on behind them; an offset is heeded', async ({
  linkctl,
  wire,
}) => {
  const unread = [null, '29/11/2026', '01/12/2026', '0000-00-00 00:00:00', '2026-02-30 09:00:00', 'yesterday'];
  const kept = unread.map((time, index) => entry(index, { time }));
  const ahead = entry(7, { time: '2026-01-31T11:00:07+02:00' });
  const behind = entry(6, { time: '2026-01-31T09:00:08+01:00' });
  const listed = [entry(9), ...kept.slice(0, 3), entry(8), ...kept.slice(3), ahead, behind, entry(5)];
  await wire.script([page(listed.slice(0, 5), 10), page(listed.slice(5), 10, 5)]);
  const since = ['log', '--since', '2026-01-31T09:00:07Z', '--fields', 'message'];
  const ran = await linkctl(since, { now: () => Date.UTC(2026, 1, 1) });
  expect(ran.stderr).toBe('');
  const shown = [9, 0, 1, 2, 8, 3, 4, 5, 7];
  expect(messages(ran.stdout)).toEqual(shown.map((number) => `entry ${number}`));
});

test('--type with --limit reads on until as many of that type are found', async ({ linkctl, wire }) => {
  const alarm = { type: 'alarm' };
  await wire.script([page([entry(9), entry(8, alarm)], 4), page([entry(7), entry(6, alarm)], 4, 2)]);
  const ran = await linkctl(['log', '--type', 'alarm', '-L', '2', '--fields', 'message']);
  expect(ran).toEqual({ code: 0, stdout: 'entry 8\nentry 6\n', stderr: '' });
});

test('B28: --type alone looks at one batch and says so', async ({ linkctl, wire }) => {
  await wire.script([page([entry(9), entry(8, { type: 'alarm' })], 4)]);
  expect(await linkctl(['log', '--type', 'alarm', '--fields', 'message'])).toMatchObject({
    stdout: 'entry 8\n',
    stderr: 'Showing 1 log entry after reading 2 of 4. Use --all or --limit N.\n',
  });
});

test('D48: a type that no entry has is reported, with those that there are', async ({ linkctl, wire }) => {
  const alarm = entry(8, { type: 'alarm' });
  await wire.script([page([entry(9), alarm], 2), page([entry(9), alarm], 7), page([], 0)]);
  const argv = ['log', '--type', 'xx'];
  expect(await linkctl(argv)).toEqual({
    code: 0,
    stdout: '',
    stderr: 'no log entries of type xx among 2 entries; existing types: notification, alarm\n',
  });
  expect((await linkctl(argv)).stderr).toContain('among 2 of 7 entries; existing types:');
  expect((await linkctl(argv)).stderr).toBe('');
});

test('CLI 3.5: --since with a time that is to come is exit 2, as for stats; --follow waits for it', async ({ linkctl, wire }) => {
  const now = () => Date.UTC(2026, 0, 31, 9);
  expect(await linkctl(['log', '--since', '2026-01-31T09:00:01'], { now })).toEqual({
    code: 2,
    stdout: '',
    stderr: 'error: --since 2026-01-31T09:00:01 is not before now\n',
  });
  expect(await wire.requests()).toEqual([]);
  expect((await linkctl(['log', '--since', '2026-01-31T09:00:00'], { now })).code).toBe(0);
});

test('CLI 3.5: --since further back than 30 days warns', async ({ linkctl }) => {
  expect(await linkctl(['log', '--since', '31d'])).toMatchObject({ code: 0, stderr: expect.stringContaining('30 days') });
  expect(await linkctl(['log', '--since', '29d'])).toMatchObject({ code: 0, stderr: '' });
});

test.for([
  [['--since', 'tomorrow']],
  [['--since', '2026-02-30']],
  [['--since', '9999-12-31']],
  [['--limit', '0']],
  [['--all', '-L', '2']],
  [['-F', '--offset', '1']],
  [['--interval', '5']],
  [['-F', '--interval', '0']],
  [['-F', '-o', 'json']],
])('B11: log %j is exit 2 without a request', async ([flags], { linkctl, wire }) => {
  expect(await linkctl(['log', ...(flags as string[])])).toMatchObject({ code: 2, stdout: '' });
  expect(await wire.requests()).toEqual([]);
});

describe('--follow', () => {
  test('prints the newest ten oldest first, then what comes, each entry once', async ({ env, wire }) => {
    const old = Array.from({ length: 12 }, (_, index) => entry(12 - index));
    const later = [entry(14), entry(13), ...old];
    await wire.script([page(old), page(old), page(later), page([entry(15), ...later]), faults.refuse(1303, 403)]);
    const waits: number[] = [];
    const system = createTestSystem({ env });
    const sleep = async (milliseconds: number): Promise<void> => void waits.push(milliseconds);
    const code = await main(['log', '-F', '--fields', 'message'], { ...system, sleep });
    expect(code).toBe(7);
    expect(messages(system.printed().stdout)).toEqual(Array.from({ length: 13 }, (_, index) => `entry ${index + 3}`));
    expect(waits).toEqual([30_000, 30_000, 30_000, 30_000]);
    expect((await sent(wire))[0]?.call).toBe('GET /log?limit=100');
  });

  test('reads further pages where more came than one page holds', async ({ env, wire }) => {
    const all = Array.from({ length: 250 }, (_, index) => entry(9, { message: `entry ${250 - index}` }));
    const look = (entries: object[]) => [page(entries.slice(0, 100), 250), page(entries.slice(100, 200), 250, 100)];
    await wire.script([
      page(all.slice(240)),
      ...look(all),
      page(all.slice(200), 250, 200),
      { only: { path: '/log' }, ...faults.refuse(1303, 403) },
    ]);
    const system = createTestSystem({ env });
    await main(['log', '-F', '--fields', 'message', '-o', 'jsonl'], { ...system, sleep: async () => {} });
    const shown = messages(system.printed().stdout).map((line) => JSON.parse(line).message);
    expect(shown).toEqual(Array.from({ length: 250 }, (_, index) => `entry ${index + 1}`));
  });

  test('an old entry that comes into sight because newer ones went away is not new', async ({ env, wire }) => {
    const all = Array.from({ length: 30 }, (_, index) => entry(59 - index));
    const full = Array.from({ length: 70 }, (_, index) => entry(0, { message: `early ${index}` }));
    const before = [...all, ...full];
    const after = [...before.slice(1), entry(0, { time: '2026-01-30 00:00:00', message: 'deep' })];
    await wire.script([page(before, 500), page(after, 500), { only: { path: '/log' }, ...faults.refuse(1303, 403) }]);
    const system = createTestSystem({ env });
    await main(['log', '-F', '-L', '1', '--fields', 'message'], { ...system, sleep: async () => {} });
    expect(messages(system.printed().stdout)).toEqual(['entry 59']);
  });

  test('an entry whose time cannot be read is new as well, and so is one whose text only looks older', async ({ env, wire }) => {
    const old = Array.from({ length: 30 }, (_, index) => entry(59 - index));
    const later = ['01/12/2026', null, '0000-00-00 00:00:00'].map((time, index) =>
      entry(index, { time, message: `later ${index}` }),
    );
    const ahead = entry(0, { time: '2026-01-30T23:30:00-11:00', message: 'ahead' });
    const refusal = { only: { path: '/log' }, ...faults.refuse(1303, 403) };
    await wire.script([page(old, 500), page([...later, ahead, ...old], 500), refusal]);
    const system = createTestSystem({ env });
    await main(['log', '-F', '-L', '1', '--fields', 'message'], { ...system, sleep: async () => {} });
    expect(messages(system.printed().stdout)).toEqual(['entry 59', 'ahead', 'later 2', 'later 1', 'later 0']);
  });

  test('--type and --since hold for what comes, too', async ({ env, wire }) => {
    const alarm = { type: 'alarm' };
    await wire.script([
      page([entry(2, alarm), entry(1, alarm)]),
      page([entry(4, alarm), entry(3), entry(2, alarm), entry(1, alarm)]),
      { only: { path: '/log' }, ...faults.refuse(1303, 403) },
    ]);
    const system = createTestSystem({ env, now: () => Date.UTC(2026, 0, 31, 9, 0, 1) });
    const flags = ['--type', 'alarm', '--since', '2026-01-31T09:00:02', '--interval', '0.5', '--fields', 'message'];
    await main(['log', '-F', ...flags], { ...system, sleep: async () => {} });
    expect(messages(system.printed().stdout)).toEqual(['entry 2', 'entry 4']);
  });
});

describe('edition b', () => {
  test.override({ edition: 'b' });

  test('B53: log is refused without a request', async ({ linkctl, wire }) => {
    for (const flags of [[], ['-F']]) {
      expect(await linkctl(['log', ...flags])).toEqual({
        code: 2,
        stdout: '',
        stderr: 'error: this server (edition B) has no log endpoint\n',
      });
    }
    expect(await wire.requests()).toEqual([]);
  });
});

test.for([
  [60, 'TIME                  TYPE          MESSAGE', []],
  [40, 'TIME                  MESSAGE', ['type']],
  [20, 'MESSAGE', ['time', 'type']],
] as const)('B24: on %i columns the message stays, whatever else goes', async ([columns, head, hidden], { linkctl }) => {
  await linkctl(['tags', 'add', 'spring']);
  const world = { columns, terminal: { stdout: true }, env: { NO_COLOR: '1' } };
  const { stdout, stderr } = await linkctl(['log'], world);
  expect(stdout.split('\n')[0]).toBe(head);
  expect(stdout).toContain('Tag "spring"');
  expect(stderr).toBe(hidden.length === 0 ? '' : `hidden to fit the terminal: ${hidden.join(', ')} (use --no-truncate)\n`);
});

test('B11: an empty --type is refused, as other empty values are', async ({ linkctl, wire }) => {
  expect(await linkctl(['log', '--type', ''])).toMatchObject({ code: 2, stderr: 'error: --type: the type is empty\n' });
  expect(await wire.requests()).toEqual([]);
});
