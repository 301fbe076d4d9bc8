import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { startTally } from '../../src/bulk/results/row-outcome.ts';
import type { RunningService } from '../../src/service/service.ts';
import type { FaultyServer } from '../support/faulty-server.ts';
import { faults } from '../support/faulty-steps.ts';
import { type Linkctl, sent, test } from '../support/linkctl.ts';
import { numbered, store, stored, visit } from '../support/stored-links.ts';

const watched = { terminal: { stdin: true, stdout: true, stderr: true }, columns: 100, env: { NO_COLOR: '1' } };
const typed = (stdin: string) => ({ ...watched, stdin });
const onDelete = { only: { method: 'DELETE' } };

/** The requests that change something. */
async function changes(wire: Parameters<typeof sent>[0]): Promise<string[]> {
  return (await sent(wire)).map(({ call }) => call).filter((call) => !call.startsWith('GET'));
}

/** What is still there. */
async function left(service: Parameters<typeof stored>[0], domain?: string): Promise<string[]> {
  return (await stored(service, domain)).map(({ hash }) => hash);
}

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });
  const bound = edition === 'a' ? 1000 : 500;

  test('DELETE /urls/[hash]: one, without a body; its hash in a pipe, a sentence on a terminal', async ({
    linkctl,
    wire,
    service,
  }) => {
    await store(service, numbered(2));
    expect(await linkctl(['delete', 'h0', '--yes', '--no-undo', '-q'])).toEqual({ code: 0, stdout: 'h0\n', stderr: '' });
    expect(await sent(wire)).toEqual([{ call: 'DELETE /urls/h0', body: undefined }]);
    expect(await linkctl(['rm', 'h1', '-y'], watched)).toEqual({
      code: 0,
      stdout: '✓ Deleted h1 → https://example.com/1\n',
      stderr: expect.stringMatching(/^clicks and .* cannot be restored\nto undo it: linkctl undo \S+\n$/),
    });
    expect(await left(service)).toEqual([]);
  });

  test('DELETE /urls?hashes=: several in one call', async ({ linkctl, wire, service }) => {
    await store(service, numbered(3));
    const ran = await linkctl(['delete', 'h2', 'https://localhost/h0', '--yes', '-o', 'json']);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      deleted: [
        { status: 'deleted', hash: 'h2' },
        { status: 'deleted', hash: 'h0' },
      ],
      summary: { rows: 2, deleted: 2, failed: 0 },
    });
    // A bare hash beside a short URL, and on edition B a host, are looked up first (D18, D19); then what undo needs (U1).
    const calls =
      edition === 'a'
        ? ['GET /domains', 'GET /urls?hashes=h2,h0&domain=localhost&limit=2', 'DELETE /urls?domain=localhost&hashes=h2,h0']
        : ['GET /urls?limit=1', 'GET /urls?hashes=h2,h0&limit=2', 'DELETE /urls?hashes=h2,h0'];
    expect(await sent(wire)).toEqual(calls.map((call) => ({ call, body: undefined })));
    expect(await left(service)).toEqual(['h1']);
    await linkctl(['shorten', 'https://example.com/', '--hash', 'x']);
    expect(await linkctl(['delete', 'h1', 'x', '-y'])).toMatchObject({ code: 0, stdout: 'h1\nx\n' });
    expect((await changes(wire)).at(-1)).toBe('DELETE /urls?hashes=h1,x');
  });

  test('DELETE /urls?tags=: with --no-undo what an expression selects, after it was listed (F1)', async ({
    linkctl,
    wire,
    service,
  }) => {
    await store(service, [...numbered(7, { tags: ['old'] }), { custom_hash: 'kept', long_url: 'https://example.com/' }]);
    const words = ['delete', '--by-tags', 'old', '--no-undo', '--yes', '--max-affected', '7'];
    const ran = await linkctl(words);
    expect(ran).toMatchObject({ code: 0, stdout: '' });
    expect(ran.stderr).toMatch(/^--no-undo: this change cannot be undone\n7 links would be deleted\n/);
    expect(ran.stderr).toMatch(/^Deleted 7 links with the tag expression "old"\n$/m);
    expect((await sent(wire)).map(({ call }) => call)).toEqual([
      ...(edition === 'a' ? ['GET /domains'] : []),
      `GET /urls?tags=old&limit=${bound}`,
      `GET /urls?tags=old&offset=7&limit=${bound}`,
      'DELETE /urls?tags=old',
    ]);
    expect(await left(service)).toEqual(['kept']);
    const none = await linkctl([...words, '-o', 'json']);
    expect(none).toMatchObject({ code: 0, stderr: expect.stringContaining('delete --by-tags old: nothing to change\n') });
    const summary = { rows: 0, ...startTally().counts };
    expect(JSON.parse(none.stdout)).toEqual({ deleted: [], summary });
    expect(await changes(wire)).toHaveLength(1);
  });

  test('CLI 3.6: what list finds, delete --hashes-from - deletes, in the order of the list', async ({
    linkctl,
    wire,
    service,
    folder,
  }) => {
    await store(service, numbered(3, { tags: ['old'] }));
    const { stdout } = await linkctl(['list', '--by-tags', 'old', '--fields', 'hash']);
    const ran = await linkctl(['delete', '--hashes-from', '-', '--yes'], { stdin: stdout });
    expect(ran).toMatchObject({ code: 0, stdout });
    expect(ran.stderr).toMatch(/^deleting 3 rows of stdin in 1 batch \(account "ann" on 127\.0\.0\.1:\d+/m);
    expect(ran.stderr).toMatch(/^3 rows: 3 deleted \(\d requests, [\d.]+ s\) for account "ann" on 127/m);
    expect(await changes(wire)).toEqual([expect.stringMatching(/^DELETE \/urls\?.*hashes=h2,h1,h0/)]);
    expect(await left(service)).toEqual([]);
    const state = readdirSync(join(folder, '.local', 'state', 'linkctl'));
    expect(state.filter((name) => name.startsWith('input'))).toEqual([]);
  });

  test('B43, CLI 3.9.4: one of a group is missing: the others are deleted, it is reported, exit 3; all missing are 5', async ({
    linkctl,
    service,
  }) => {
    await store(service, numbered(3));
    expect(await linkctl(['delete', 'h0', 'none', 'h2', '--yes'])).toEqual({
      code: 3,
      stdout: 'h0\nh2\n',
      stderr: expect.stringMatching(/^clicks .*\nerror: no short URL "none" \[API 1306\]\n.*error: 1 of 3 links failed\n$/s),
    });
    expect(await left(service)).toEqual(['h1']);
    expect(await linkctl(['delete', 'none', '--yes'])).toMatchObject({ code: 5, stdout: '' });
    expect(await linkctl(['delete', 'none', 'nor', '--yes'])).toMatchObject({ code: 5, stdout: '' });
    const listed = await linkctl(['delete', '--hashes-from', '-', '--yes'], { stdin: 'none\nh1\n' });
    expect(listed).toMatchObject({ code: 3, stdout: 'h1\n', stderr: expect.stringContaining('stdin:1: no short URL "none"') });
  });

  test('B43: --ignore-missing makes it 0, and says how many', async ({ linkctl, service }) => {
    await store(service, numbered(3));
    expect(await linkctl(['delete', 'none', '--ignore-missing', '-y'])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'clicks and creation order of deleted links cannot be restored\n1 link did not exist\n',
    });
    const ran = await linkctl(['delete', 'none', 'h0', '--ignore-missing', '-y', '--json']);
    expect(JSON.parse(ran.stdout)).toMatchObject({ deleted: [{ hash: 'h0' }], summary: { deleted: 1, failed: 0, missing: 1 } });
    const listed = await linkctl(['delete', '--hashes-from', '-', '-y', '--ignore-missing'], { stdin: 'none\nh1\n' });
    expect(listed).toMatchObject({ code: 0, stdout: 'h1\n', stderr: expect.stringContaining('2 rows: 1 deleted, 1 missing (') });
  });
});

describe('questions', () => {
  test('U3, B56, B58: one URL is shown whole with its clicks, after profile, host and domain; y deletes it', async ({
    linkctl,
    wire,
    service,
  }) => {
    await store(service, numbered(1));
    await wire.script([
      {
        only: { method: 'GET' },
        apply: false,
        answer: {
          body: {
            error: { code: 0, message: '' },
            urls: [{ hash: 'h0', short_url: 's.ex/h0', long_url: 'https://example.com/0', total_clicks: 1204 }],
          },
        },
      },
    ]);
    const ran = await linkctl(['delete', 'h0', '--domain', 'localhost'], typed('y\n'));
    const host = new URL(wire.baseUrl).host;
    expect(ran).toEqual({
      code: 0,
      stdout: '✓ Deleted h0 → https://example.com/0\n',
      stderr: expect.stringMatching(
        new RegExp(
          `^clicks and .* cannot be restored\\naccount "ann" on ${host}, domain localhost:\\n` +
            'Delete https://s.ex/h0 -> https://example.com/0 \\(1,204 clicks\\)\\? \\[y/N\\] to undo it: linkctl undo \\S+\\n$',
        ),
      ),
    });
    expect((await sent(wire)).map(({ call }) => call)).toEqual([
      'GET /urls?hashes=h0&domain=localhost&limit=1',
      'DELETE /urls/h0?domain=localhost',
    ]);
  });

  test.for(['n\n', '\n', 'no\n', 'yep\n', ''])(
    'B59: %j declines: exit 1, and nothing that changes was sent',
    async (answer, { linkctl, wire, service }) => {
      await store(service, numbered(2, { tags: ['t'] }));
      for (const words of [
        ['delete', 'h0'],
        ['delete', 'h0', 'h1'],
        ['delete', '--by-tags', 't'],
        ['stats', '--reset', 'h0'],
        ['stats', '--reset', '--by-tags', 't'],
        ['edit', '--by-tags', 't', '--note', 'x'],
      ]) {
        const ran = await linkctl(words, typed(answer));
        expect(ran).toMatchObject({
          code: 1,
          stdout: '',
          stderr: expect.stringMatching(/error: aborted: nothing was changed\n$/),
        });
      }
      expect(await changes(wire)).toEqual([]);
    },
  );

  test('B56: of several the first five are shown, one that is missing as such, and how many more', async ({
    linkctl,
    service,
  }) => {
    const long_url = `https://example.com/${'a'.repeat(200)}`;
    await store(service, [...numbered(6), { custom_hash: 'long', long_url }]);
    const ran = await linkctl(['delete', 'h0', 'none', 'long', 'h3', 'h4', 'h5', 'h1'], typed('n\n'));
    const lines = ran.stderr.split('\n');
    expect(lines.slice(0, 2)).toEqual([
      '6 links would be deleted, 1 not found',
      '  http://localhost/h0 -> https://example.com/0 (0 clicks)',
    ]);
    expect(lines[2]).toMatch(/^ {2}http:\/\/localhost\/long -> https:\/\/example\.com\/a+… \(0 clicks\)$/);
    expect(lines[2]).toHaveLength(100);
    expect(lines.slice(6)).toEqual([
      '  … and 1 more',
      '  not found (1): none',
      'clicks and creation order of deleted links cannot be restored',
      expect.stringMatching(/^Delete 6 links of account "ann" on 127\.0\.0\.1:\d+\? \[y\/N\] error: aborted/),
      '',
    ]);
  });

  test('B56: for --by-tags the count is typed; another number is a no', async ({ linkctl, wire, service }) => {
    await store(service, numbered(7, { tags: ['old'] }));
    for (const answer of ['y\n', '8\n', '\n'])
      expect((await linkctl(['delete', '--by-tags', 'old'], typed(answer))).code).toBe(1);
    expect(await changes(wire)).toEqual([]);
    const ran = await linkctl(['delete', '--by-tags', 'old', '--no-undo'], typed('7\n'));
    expect(ran).toMatchObject({ code: 0, stdout: '✓ Deleted 7 links with the tag expression "old"\n' });
    expect(ran.stderr).toMatch(/… and 2 more\n.*\nDelete 7 links of .*\? Type 7 to continue: $/);
    expect(await left(service)).toEqual([]);
  });

  test('B56: a file of hashes is asked for as well', async ({ linkctl, wire, service, folder }) => {
    await store(service, numbered(7));
    const path = join(folder, 'hashes.txt');
    writeFileSync(
      path,
      numbered(7)
        .map(({ custom_hash }) => custom_hash)
        .join('\n'),
    );
    expect((await linkctl(['delete', '--hashes-from', path], typed('n\n'))).code).toBe(1);
    expect(await changes(wire)).toEqual([]);
    const ran = await linkctl(['delete', '--hashes-from', path], typed('y\n'));
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(/… and 2 more\nclicks .*\nDelete 7 links of account/);
    expect(await left(service)).toEqual([]);
  });

  test('B29: a long URL cannot drive the terminal of who is asked', async ({ linkctl, wire }) => {
    const urls = [{ hash: 'h0', short_url: 's.ex/h0', long_url: 'https://e.x/\u001b[2J', total_clicks: 0 }];
    await wire.script([{ apply: false, answer: { body: { error: { code: 0, message: '' }, urls } } }]);
    const { stderr } = await linkctl(['delete', 'h0'], typed('n\n'));
    expect(stderr).not.toContain('\u001b');
    expect(stderr).toContain('\\x1b[2J');
  });

  test('B54: a list from stdin is not read where no terminal is there to answer', async ({ linkctl, wire }) => {
    const ran = await linkctl(['delete', '--hashes-from', '-'], typed('h0\n'));
    expect(ran).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^error: --yes required when not running interactively/),
    });
    expect(await wire.requests()).toEqual([]);
  });

  test.for([
    { terminal: {} },
    { terminal: { stdin: true } },
    { terminal: { stderr: true }, env: { NO_COLOR: '1' } },
    { ...watched, env: { NO_COLOR: '1', CI: '1' } },
    { ...watched, env: { NO_COLOR: '1', LINKCTL_NO_INPUT: '1' } },
  ])('B54, B57: where nobody can be asked (%j) the flags are named, and nothing is sent', async (world, { linkctl, wire }) => {
    const refusal = 'error: --yes required when not running interactively\nhint: add --yes to the command\n';
    const bothMissing = refusal.replace(
      'add --yes to the command',
      'add --yes --max-affected <n>; --dry-run shows how many links match',
    );
    const tagRefusal =
      'error: --max-affected required with --by-tags when not running interactively\n' +
      'hint: add --max-affected <n>; --dry-run shows how many links match\n';
    for (const words of [['delete'], ['stats', '--reset'], ['edit', '--note', 'x']]) {
      if (words[0] !== 'edit') expect(await linkctl([...words, 'h0'], world)).toEqual({ code: 2, stdout: '', stderr: refusal });
      const selected = [...words, '--by-tags', 'x'];
      expect(await linkctl(selected, world)).toEqual({ code: 2, stdout: '', stderr: bothMissing });
      expect(await linkctl([...selected, '-y'], world)).toEqual({ code: 2, stdout: '', stderr: tagRefusal });
      expect(await linkctl([...selected, '--max-affected', '3'], world)).toEqual({ code: 2, stdout: '', stderr: refusal });
    }
    expect((await linkctl(['delete', 'h0', '--no-input'], watched)).stderr).toBe(refusal);
    expect(await wire.requests()).toEqual([]);
  });

  test('B54: -y answers on a terminal too, and --max-affected still holds', async ({ linkctl, wire, service }) => {
    await store(service, numbered(3, { tags: ['t'] }));
    for (const words of [
      ['h0', 'h1', 'h2'],
      ['--by-tags', 't'],
    ]) {
      const ran = await linkctl(['delete', ...words, '-y', '--max-affected', '2'], watched);
      expect(ran).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('3 links would be affected, more than --max-affected 2'),
      });
    }
    expect(await changes(wire)).toEqual([]);
    expect((await linkctl(['delete', '--by-tags', 't', '-y'], watched)).code).toBe(0);
  });
});

test.for([
  [[]],
  [['']],
  [['.']],
  [['..']],
  [['s.ex/..']],
  [['h0', '']],
  [['h0,h1']],
  [['--by-tags', '']],
  [['--by-tags', '  ']],
  [['--by-tags', 'x', 'h0']],
  [['--hashes-from', '-', 'h0']],
  [['--hashes-from', '-']],
  [['--hashes-from', 'no-such-file']],
  [['h0', '--results', 'r.csv']],
  [['h0', '--budget', '3']],
  [['--by-tags', 'x', '--no-undo', '--failed', 'f.csv', '--max-affected', '1']],
] as const)('R-31, R-52: delete %j cannot select everything: exit 2, nothing is sent', async ([words], { linkctl, wire }) => {
  expect(await linkctl(['delete', ...words, '--yes'], { stdin: '\n# nothing\n' })).toMatchObject({ code: 2, stdout: '' });
  expect(await wire.requests()).toEqual([]);
});

test('B60: --dry-run of every way sends nothing and needs no answer', async ({ linkctl, wire, service }) => {
  const planned = async (words: readonly string[], stdin = '') =>
    JSON.parse((await linkctl(['delete', ...words, '-n', '--json'], { stdin })).stdout);
  expect((await planned(['h0'])).requests).toEqual([]);
  // With --no-undo nothing is read, so that links that do not exist are sent, too.
  expect(await planned(['h0', '--no-undo'])).toEqual({
    dry_run: true,
    requests: [{ method: 'DELETE', path: '/urls/h0', query: {}, body: null }],
  });
  expect((await planned(['--by-tags', 'a|b'])).requests).toEqual([]);
  expect((await planned(['--by-tags', 'a|b', '--no-undo'])).requests).toEqual([
    { method: 'DELETE', path: '/urls', query: { tags: 'a|b' }, body: null },
  ]);
  expect((await planned(['--hashes-from', '-', '--no-undo'], 'a\nb\n')).requests).toEqual([
    { method: 'DELETE', path: '/urls', query: { hashes: 'a,b', domain: 'localhost' }, body: null },
  ]);
  expect(await linkctl(['delete', 'h0', '-n'])).toEqual({
    code: 0,
    stdout: '',
    stderr: '0 links would be deleted, 1 not found\n  not found (1): h0\ndry run: nothing was sent\n',
  });
  await store(service, numbered(3, { tags: ['a'] }));
  const byTags = ['delete', '--by-tags', 'a|b', '-n'];
  expect((await planned(['--by-tags', 'a|b'])).requests).toEqual([
    { method: 'DELETE', path: '/urls', query: { hashes: 'h2,h1,h0', domain: 'localhost' }, body: null },
  ]);
  expect((await linkctl(byTags)).stderr).toMatch(/^3 links would be deleted\n.*\ndry run: nothing was sent\n$/);
  for (const words of [byTags, [...byTags, '--json'], [...byTags, '--no-undo'], [...byTags, '--no-undo', '--json']])
    expect((await linkctl([...words, '--max-affected', '2'])).code).toBe(2);
  expect(await changes(wire)).toEqual([]);
});

describe('class A', () => {
  test.for([
    ['F05', faults.dropAfter],
    ['F04', faults.dropBefore],
    ['F30', faults.badGatewayAfter],
  ] as const)(
    '%s: a deletion without an answer is repeated; 1306 then means that it is done',
    async ([, fault], { linkctl, wire, service }) => {
      await store(service, numbered(4));
      await wire.script([{ ...fault, ...onDelete }]);
      expect(await linkctl(['delete', 'h0', '-y'])).toMatchObject({ code: 0, stdout: 'h0\n' });
      await wire.script([{ ...fault, ...onDelete }]);
      expect(await linkctl(['delete', 'h1', 'h2', '-y'])).toMatchObject({ code: 0, stdout: 'h1\nh2\n' });
      expect(await left(service)).toEqual(['h3']);
    },
  );

  test("R 2.1: the server's own deletion by tags is never repeated: exit 10, and how to count what is left", async ({
    linkctl,
    wire,
    service,
  }) => {
    await store(service, numbered(2, { tags: ['old'] }));
    await wire.script([{ ...faults.dropAfter, ...onDelete }]);
    const ran = await linkctl(['delete', '--by-tags', 'old', '--no-undo', '-q', '-y', '--max-affected', '2']);
    expect(ran).toMatchObject({ code: 10, stdout: '' });
    expect(ran.stderr).toMatch(
      /^error: outcome unknown: the links may have been deleted: .*\nhint: .*linkctl list --by-tags old\n$/s,
    );
    expect(await changes(wire)).toHaveLength(1);
  });

  test("R 2.1: the server's own edit by tags is repeated once", async ({ linkctl, wire, service }) => {
    await store(service, numbered(2, { tags: ['t'] }));
    const words = ['edit', '--by-tags', 't', '--no-undo', '--note', 'x', '-y', '--max-affected', '2'];
    await wire.script([{ ...faults.dropAfter, only: { method: 'PATCH' } }]);
    expect((await linkctl(words)).code).toBe(0);
    await wire.script([{ ...faults.dropAfter, only: { method: 'PATCH' }, times: 2 }]);
    expect(await linkctl([...words, '--note', 'y'])).toMatchObject({
      code: 10,
      stderr: expect.stringContaining('outcome unknown'),
    });
    expect(await changes(wire)).toHaveLength(4);
  });
});

test('F45: a listing that says no total is counted by reading', async ({ linkctl, wire, service }) => {
  await store(service, numbered(7, { tags: ['old'] }));
  await wire.behave({ pageCap: 5, totalCount: 'missing' });
  const ran = await linkctl(['delete', '--by-tags', 'old', '-y', '--max-affected', '6']);
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('7 links would be affected') });
});

describe('P3, U2: one link of a batch is gone, so that it is refused as a whole, and another one was changed meanwhile', () => {
  interface Where {
    readonly linkctl: Linkctl;
    readonly wire: FaultyServer;
    readonly service: RunningService;
  }
  const meanwhile = async (line: string, { linkctl, wire, service }: Where) => {
    await store(service, numbered(4, { tags: ['old'] }));
    await wire.script([{ ...faults.refuse(1306), ...onDelete, held: true }]);
    const running = linkctl(line.split(' '));
    await wire.held();
    const beside = (...words: string[]) => linkctl(words, { env: { LINKCTL_BASE_URL: wire.sideDoor } });
    await beside('delete', 'h3', '--yes', '--no-undo');
    await beside('edit', 'h1', '--note', 'FOREIGN', '--remove-tag', 'old', '--add-tag', 'keep', '--no-undo');
    await wire.release();
    return await running;
  };

  test('of a selection it is kept and reported', async ({ linkctl, wire, service }) => {
    const ran = await meanwhile('delete --by-tags old --yes --max-affected 9', { linkctl, wire, service });
    expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining('h1: changed since it was listed') });
    expect(await stored(service)).toMatchObject([{ hash: 'h1', note: 'FOREIGN', tags: ['keep'] }]);
  });

  test('named it is deleted, and undo restores it as it was then', async ({ linkctl, wire, service }) => {
    expect((await meanwhile('delete h0 h1 h2 h3 --yes', { linkctl, wire, service })).code).toBe(0);
    expect(await stored(service)).toEqual([]);
    const { runs } = JSON.parse((await linkctl(['runs', '-o', 'json'])).stdout);
    const { run } = runs.find(({ rows }: { rows: number }) => rows === 4);
    expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
    const restored = Object.fromEntries((await stored(service)).map((record) => [record.hash, record]));
    expect(restored).toMatchObject({ h0: { tags: ['old'] }, h1: { note: 'FOREIGN', tags: ['keep'] }, h2: { tags: ['old'] } });
  });
});

test('F45: a list answer that is 1306 for one of the hashes does not hide the others', async ({ linkctl, wire, service }) => {
  await store(service, numbered(4));
  const refused = { apply: false, answer: { status: 404, body: { error: { code: 1306, message: 'URL not found in DB' } } } };
  await wire.script([{ ...refused, only: { path: 'none' }, times: 'all' }]);
  expect(await linkctl(['list', 'h0', 'h1', 'none', 'h3', '--fields', 'hash'])).toMatchObject({
    code: 3,
    stdout: 'h0\nh1\nh3\n',
  });
  expect(await linkctl(['stats', 'h0', 'h1', 'none', 'h3'])).toMatchObject({
    code: 3,
    stdout: expect.stringContaining('h3\t0\t0'),
  });
});

describe('a smaller bound', () => {
  test.override({ limits: { maxBatch: 37 } });

  test('B86, R-13: 1221 halves the group, and what was learnt is kept', async ({ linkctl, wire, service }) => {
    await store({ baseUrl: service.baseUrl }, []);
    for (let start = 0; start < 300; start += 30) await store(service, numbered(300).slice(start, start + 30));
    const stdin = numbered(300)
      .map(({ custom_hash }) => `${custom_hash}\n`)
      .join('');
    expect(await linkctl(['edit', '--hashes-from', '-', '--note', 'n'], { stdin })).toMatchObject({ code: 0, stdout: stdin });
    expect(await linkctl(['delete', '--hashes-from', '-', '-y'], { stdin })).toMatchObject({
      code: 0,
      stdout: stdin,
      stderr: expect.stringContaining('the server rejected larger batches; to use this size directly: --batch-size 19'),
    });
    expect(await left(service)).toEqual([]);
    const calls = await changes(wire);
    expect(calls.filter((call) => call.startsWith('DELETE')).length).toBeLessThanOrEqual(20);
  });
});

describe('several domains', () => {
  test.override({ domains: [{ name: 's.ex' }, { name: 't.ex' }, { name: 'münchen.example' }] });

  test('4.1.7, CLI 3.9.1: every call carries the domain of its hashes, groups too, and namesakes stay', async ({
    linkctl,
    wire,
    service,
  }) => {
    for (const domain of ['s.ex', 't.ex', 'xn--mnchen-3ya.example']) await store(service, numbered(4), domain);
    const ran = await linkctl(['delete', 't.ex/h0', 'https://t.ex/h1', 'h2', 'münchen.example/h3', '-y']);
    expect(ran).toMatchObject({ code: 0, stdout: 't.ex/h0\nt.ex/h1\ns.ex/h2\nxn--mnchen-3ya.example/h3\n' });
    expect(await changes(wire)).toEqual([
      'DELETE /urls?domain=t.ex&hashes=h0,h1',
      'DELETE /urls/h2?domain=s.ex',
      'DELETE /urls/h3?domain=xn--mnchen-3ya.example',
    ]);
    expect((await linkctl(['delete', 'h1', 'h3', '--domain', 't.ex', '-y'])).code).toBe(3);
    expect(await left(service, 's.ex')).toEqual(['h0', 'h1', 'h3']);
    expect(await left(service, 't.ex')).toEqual(['h2']);
    expect(await left(service, 'xn--mnchen-3ya.example')).toEqual(['h0', 'h1', 'h2']);
  });

  test('CLI 3.5: the csv of a listing names the domain of each of its hashes', async ({ linkctl, service, folder }) => {
    await store(service, numbered(3), 's.ex');
    await store(service, numbered(2), 't.ex');
    const path = join(folder, 'listing.csv');
    writeFileSync(path, (await linkctl(['list', '--domain', 't.ex', '-o', 'csv'])).stdout);
    expect(await linkctl(['delete', '--hashes-from', path, '-y'])).toMatchObject({ code: 0, stdout: 'h1\nh0\n' });
    expect([await left(service, 's.ex'), await left(service, 't.ex')]).toEqual([['h0', 'h1', 'h2'], []]);
  });

  test('failed hashes keep their domain when they are fed back', async ({ linkctl, service, folder }) => {
    await store(service, numbered(1), 's.ex');
    const failed = join(folder, 'failed.csv');
    const ran = await linkctl(['delete', '--hashes-from', '-', '-y', '--failed', failed], { stdin: 't.ex/h0\nt.ex/h1\n' });
    expect(ran.code).toBe(5);
    expect(readFileSync(failed, 'utf8')).toMatch(/^hash,error_code,error_message\nt\.ex\/h0,1306,/);
    await store(service, numbered(2), 't.ex');
    expect(await linkctl(['delete', '--hashes-from', failed, '-y'])).toMatchObject({ code: 0, stdout: 'h0\nh1\n' });
    expect(await left(service, 's.ex')).toEqual(['h0']);
  });

  test("4.1.7: --by-tags with a profile's default domain warns, and the question names the domains of the links", async ({
    linkctl,
    homeEnv,
    wire,
    service,
  }) => {
    await store(service, numbered(1, { tags: ['t'] }), 's.ex');
    await store(service, numbered(1, { tags: ['t'] }), 't.ex');
    const login = ['auth', 'login', '--profile', 'work', '--base-url', wire.baseUrl, '--username', 'ann', '--with-key'];
    const { apiKey, runnerIn } = await import('../support/linkctl.ts');
    const home = runnerIn(homeEnv);
    expect((await home([...login, '--domain', 't.ex'], { stdin: apiKey })).code).toBe(0);
    const ran = await home(['delete', '--by-tags', 't'], typed('2\n'));
    expect(ran.stderr).toMatch(/^warning: tag selections act on all domains, not only on t\.ex$/m);
    expect(ran.stderr).toMatch(/^Delete 2 links of profile "work" on .*, domains t\.ex and s\.ex\? Type 2 to continue: /m);
    expect(await changes(wire)).toEqual(['DELETE /urls/h0?domain=t.ex', 'DELETE /urls/h0?domain=s.ex']);
    expect((await linkctl(['list', '--domain', 't.ex'])).stdout).toBe('');
    await store(service, numbered(1), 't.ex');
    expect((await home(['delete', 'h0', '-y'])).code).toBe(0);
    expect((await sent(wire)).at(-1)?.call).toBe('DELETE /urls/h0?domain=t.ex');
  });
});

test('clicks in the question are those of now', async ({ linkctl, service }) => {
  await store(service, numbered(1));
  await visit(service, 'h0', 1);
  expect((await linkctl(['delete', 'h0'], typed('n\n'))).stderr).toContain('(1 click)?');
});

test('the unknown outcome of one typed link is said in a sentence', async ({ linkctl, wire }) => {
  await linkctl(['shorten', 'https://nodejs.org/', '--hash', 'abc']);
  await wire.script([{ only: { method: 'GET' } }, { times: 'all', ...faults.refuse(101) }]);
  const ran = await linkctl(['delete', 'abc', '--yes', '--retries', '0']);
  expect(ran).toMatchObject({ code: 10, stderr: expect.stringMatching(/^error: the outcome is unknown: /m) });
});
