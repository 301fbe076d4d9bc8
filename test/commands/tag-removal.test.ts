import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { faults } from '../support/faulty-steps.ts';
import { type Habits, itemHabits } from '../support/habits.ts';
import { arrived, type Linkctl, sent, sure, test } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';
import { createTestSystem } from '../support/test-system.ts';
import { undoLast } from './undo-world.ts';

const watched = { terminal: { stdin: true, stdout: true, stderr: true }, env: { NO_COLOR: '1' }, columns: 120 };

/** The labels of each link by its hash, in order. */
async function labelsOf(service: { readonly baseUrl: string }, domain?: string): Promise<Record<string, string[]>> {
  const records = await stored(service, domain);
  return Object.fromEntries(records.map(({ hash, tags }) => [hash, [...tags].sort()]));
}

/** A link with some labels. */
function labelled(hash: string, ...tags: string[]): object {
  return { custom_hash: hash, long_url: `https://example.com/${hash}`, tags };
}

interface ListedRun {
  readonly what: string;
  readonly state: string;
  readonly rows: number;
  readonly undo: string;
}

async function runs(linkctl: Linkctl): Promise<ListedRun[]> {
  return JSON.parse((await linkctl(['runs', '--json'])).stdout).runs;
}

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });
  const bound = edition === 'a' ? 1000 : 500;

  test('W4: tags merge gives every link the other tag, each link once, and then deletes the merged ones', async ({
    linkctl,
    service,
    wire,
  }) => {
    await store(service, numbered(bound + 3, { tags: ['one', 'spring'] }));
    const others = [labelled('both', 'One', 'two'), labelled('had', 'two', 'All'), labelled('none', 'spring'), labelled('bare')];
    await store(service, others);
    const ran = await linkctl(['tags', 'merge', 'one', 'Two', '--into', 'all', ...sure]);
    expect(ran).toMatchObject({ code: 0, stdout: 'one\nTwo\n' });
    expect(ran.stderr).toContain(`\n${bound + 5} links: ${bound + 5} changed `);
    const labels = await labelsOf(service);
    expect(labels).toMatchObject({ both: ['All'], had: ['All'], none: ['spring'], bare: [], h0: ['All', 'spring'] });
    expect(labels[`h${bound + 2}`]).toEqual(['All', 'spring']);
    expect(new Set(Object.values(labels).flat())).toEqual(new Set(['All', 'spring']));
    expect((await linkctl(['tags'])).stdout).toBe('All\nspring\n');
    const patches = (await sent(wire)).filter(({ call }) => call.startsWith('PATCH /urls'));
    const items = patches.flatMap(({ body }) => (body as { urls: { hash: string; tags: string[] }[] }).urls);
    expect(patches).toHaveLength(2);
    expect(new Set(items.map(({ hash }) => hash)).size).toBe(items.length);
    expect(items.find(({ hash }) => hash === 'had')?.tags).toEqual(['-two']);
    expect(items.find(({ hash }) => hash === 'both')?.tags.sort()).toEqual(['+All', '-one', '-two']);
    const rows = bound + 5;
    expect(await runs(linkctl)).toMatchObject([{ what: 'tags merge one Two --into all', state: 'finished', rows, undo: 'yes' }]);
  });

  test('W4: tags delete takes the tag off its links first, in a run that can be undone', async ({ linkctl, service, wire }) => {
    await store(service, [labelled('x', 'promo', 'spring'), labelled('y', 'promo'), labelled('z', 'spring')]);
    const ran = await linkctl(['tags', 'delete', 'Promo', ...sure, '-o', 'json']);
    expect(JSON.parse(ran.stdout)).toEqual({
      deleted: [{ label: 'Promo' }],
      summary: { rows: 1, deleted: 1, failed: 0, missing: 0, links: 2 },
    });
    expect(await labelsOf(service)).toEqual({ x: ['spring'], y: [], z: ['spring'] });
    expect((await linkctl(['tags'])).stdout).toBe('spring\n');
    expect((await sent(wire)).map(({ call }) => call).filter((call) => !call.startsWith('GET'))).toEqual([
      expect.stringMatching(/^PATCH \/urls/),
      'DELETE /tags/promo',
    ]);
    expect(await runs(linkctl)).toMatchObject([{ what: 'tags delete Promo', rows: 2, undo: 'yes' }]);
  });

  test('W4: labels that an expression would read as operators are deleted from their own links alone', async ({
    linkctl,
    service,
  }) => {
    const odd = ['R&D', 'a,b', '+plus', '-minus', '~not', 'say "hi"', 'visited', 's.ex', '(x|y)'];
    await store(service, [
      ...odd.map((label, index) => labelled(`l${index}`, label, 'keep')),
      labelled('other', 'R', 'D', 'plus', 'minus', 'not', 'a', 'b', 'x', 'y', 'keep'),
    ]);
    expect(await linkctl(['tags', 'merge', '--into', '-all', ...sure, '--', ...odd.slice(0, 5)])).toMatchObject({ code: 0 });
    const merged = await labelsOf(service);
    expect(merged).toMatchObject({ l0: ['-all', 'keep'], l3: ['-all', 'keep'], l4: ['-all', 'keep'], l5: ['keep', 'say "hi"'] });
    expect(await linkctl(['tags', 'delete', ...sure, '--', ...odd.slice(5), '-all'])).toMatchObject({ code: 0 });
    const { other, ...left } = await labelsOf(service);
    expect(Object.values(left)).toEqual(odd.map(() => ['keep']));
    expect(other).toEqual(['D', 'R', 'a', 'b', 'keep', 'minus', 'not', 'plus', 'x', 'y']);
  });

  test.for([
    ['sp ', ['delete', 'sp '], []],
    ['\u3000sp', ['delete', '\u3000sp'], []],
    ['sp\u00a0', ['merge', 'sp\u00a0', '--into', 'zz'], ['zz']],
  ] as const)(
    'W4, 2.5, U3: a label with a blank at an end, %j, is not the one without: "tags %j" changes its links, counts and undoes them',
    async ([label, words, into], { linkctl, service }) => {
      const links = [labelled('x', label, 'keep'), labelled('y', label), labelled('z', 'sp'), labelled('both', 'sp', label)];
      await store(service, links);
      const before = await labelsOf(service);
      const refused = await linkctl(['tags', ...words, '--yes', '--max-affected', '2']);
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('3 links') });
      expect(await labelsOf(service)).toEqual(before);
      expect(await linkctl(['tags', ...words, ...sure])).toMatchObject({ code: 0, stdout: `${label}\n` });
      expect(await labelsOf(service)).toEqual({ x: ['keep', ...into], y: into, z: ['sp'], both: ['sp', ...into] });
      expect(await undoLast(linkctl)).toMatchObject({ code: 0 });
      expect(await labelsOf(service)).toEqual(before);
    },
  );

  test('W4: a merge that a limit stopped is resumed by the same command, and no link is sent twice', async ({
    linkctl,
    service,
    wire,
  }) => {
    await store(service, numbered(bound + 2, { tags: ['one'] }));
    const words = ['tags', 'merge', 'one', '--into', 'all', ...sure];
    const patch = { only: { method: 'PATCH' } };
    await wire.script([patch, { ...faults.refuse(1303), ...patch }]);
    const stopped = await linkctl(words);
    expect(stopped).toMatchObject({ code: 7, stdout: '' });
    expect(stopped.stderr).toContain('not deleted: tag "one"\n');
    expect(stopped.stderr).toMatch(/to resume run \S+, run the same command again\n/);
    expect((await linkctl(['tags'])).stdout).toBe('all\none\n');
    const on = await linkctl(words);
    expect(on).toMatchObject({ code: 0, stdout: 'one\n', stderr: expect.stringContaining('resuming run') });
    expect((await linkctl(['tags', '--count'])).stdout).toBe(`all\t${bound + 2}\n`);
    const patches = (await sent(wire)).filter(({ call }) => call.startsWith('PATCH /urls'));
    expect(patches.map(({ body }) => (body as { urls: object[] }).urls.length).sort()).toEqual([2, 2, bound].sort());
    expect(await runs(linkctl)).toMatchObject([{ state: 'finished', rows: bound + 2 }]);
  });
});

test('F1, R 1.4: a run of a selection that sent nothing is begun anew with the links that there are now, and can be undone', async ({
  linkctl,
  service,
  wire,
}) => {
  await store(service, numbered(3, { tags: ['one'] }));
  const before = await stored(service);
  await linkctl(['tags', 'add', 'all']);
  const words = ['tags', 'merge', 'one', '--into', 'all', ...sure];
  await wire.script([{ ...faults.refuse(1303), only: { method: 'PATCH' } }]);
  expect(await linkctl(words)).toMatchObject({ code: 7 });
  await store(service, [labelled('new', 'one')]);
  expect(await linkctl(words)).toMatchObject({ code: 0, stderr: expect.not.stringContaining('resuming') });
  expect((await linkctl(['tags', '--count'])).stdout).toBe('all\t4\n');
  expect(await runs(linkctl)).toMatchObject([{ state: 'finished', rows: 4, undo: 'yes' }, { what: 'tags add all' }]);
  expect(await undoLast(linkctl)).toMatchObject({ code: 0 });
  expect((await stored(service)).slice(0, 3)).toEqual(before);
  expect((await linkctl(['tags', '--count'])).stdout).toBe('all\t0\none\t4\n');
});

describe('several domains', () => {
  test.override({ domains: [{ name: 's.ex' }, { name: 't.ex' }] });

  for (const label of ['promo', 'R&D']) {
    test(`W4: ${label} goes from the links of all domains, and a namesake without it stays as it is`, async ({
      linkctl,
      service,
    }) => {
      await store(service, [labelled('same', 'keep'), labelled('mine', label)], 's.ex');
      await store(service, [labelled('same', label, 'keep'), labelled('yours', label)], 't.ex');
      const env = { LINKCTL_DOMAIN: 't.ex' };
      expect(await linkctl(['tags', 'merge', label, '--into', 'all', ...sure], { env })).toMatchObject({ code: 0 });
      expect(await labelsOf(service, 's.ex')).toEqual({ same: ['keep'], mine: ['all'] });
      expect(await labelsOf(service, 't.ex')).toEqual({ same: ['all', 'keep'], yours: ['all'] });
    });
  }

  test('W4: --domain has no say over tags: exit 2, and nothing is sent', async ({ linkctl, wire }) => {
    for (const words of [
      ['delete', 'x'],
      ['merge', 'x', '--into', 'y'],
    ]) {
      const ran = await linkctl(['tags', ...words, '--yes', '--domain', 's.ex']);
      expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('a tag is on all domains') });
    }
    expect(await wire.requests()).toEqual([]);
  });
});

test('W4: a tag that a link got meanwhile is kept, with its links: exit 3', async ({ linkctl, service, wire }) => {
  await store(service, [labelled('x', 'R&D'), labelled('y', 'old')]);
  await wire.script([{ only: { method: 'PATCH' }, held: true }]);
  const running = linkctl(['tags', 'delete', 'R&D', 'old', ...sure]);
  await wire.held();
  await store(service, [labelled('new', 'R&D')]);
  await wire.release();
  const ran = await running;
  expect(ran).toMatchObject({ code: 3, stdout: 'old\n' });
  expect(ran.stderr).toContain(`error: tag "R&D" was kept: 1 link got it while this ran\nhint: linkctl list --by-tags '"R&D"'\n`);
  expect(await labelsOf(service)).toEqual({ x: [], y: [], new: ['R&D'] });
  expect((await linkctl(['tags'])).stdout).toBe('R&D\n');
});

test('W4: where a link was not changed as asked, no tag is deleted', async ({ linkctl, service, wire }) => {
  await store(service, [labelled('x', 'promo'), labelled('y', 'promo')]);
  await wire.script([{ only: { method: 'PATCH' }, alter: { first: { hash: 'y', tags: ['promo'] } } }]);
  const ran = await linkctl(['tags', 'delete', 'promo', ...sure]);
  expect(ran).toMatchObject({ code: 3, stdout: '' });
  expect(ran.stderr).toContain('not deleted: tag "promo"');
  expect((await linkctl(['tags'])).stdout).toBe('promo\n');
});

test('B56, W4: the links that lose a tag are shown before the question; from 100 on their number is typed', async ({
  linkctl,
  service,
  wire,
}) => {
  await store(service, numbered(99, { tags: ['promo'] }));
  const no = await linkctl(['tags', 'delete', 'promo'], { ...watched, stdin: 'n\n' });
  expect(no).toMatchObject({ code: 1, stdout: '' });
  expect(no.stderr).toContain('99 links would be changed\n');
  expect(no.stderr).toContain('tags: -promo');
  expect(no.stderr).toMatch(/Delete tag "promo" and detach it from 99 links of account "ann" on [^?]*\? \[y\/N\] /);
  await store(service, [labelled('more', 'promo')]);
  const typed = (stdin: string) => linkctl(['tags', 'merge', 'promo', '--into', 'all'], { ...watched, stdin });
  const wrong = await typed('y\n');
  expect(wrong).toMatchObject({ code: 1, stdout: '' });
  expect(wrong.stderr).toMatch(/Merge tag "promo" into "all" on 100 links of [^?]*\? Type 100 to continue: /);
  expect((await sent(wire)).every(({ call }) => call.startsWith('GET'))).toBe(true);
  const done = await typed('100\n');
  expect(done).toMatchObject({ code: 0, stdout: '✓ Merged tag "promo"\n' });
  expect((await linkctl(['tags', '--count'])).stdout).toBe('all\t100\n');
});

test('B57: --max-affected counts the links that lose a tag, also with --no-undo', async ({ linkctl, service, wire }) => {
  await store(service, numbered(3, { tags: ['promo'] }));
  for (const words of [
    ['delete', 'promo'],
    ['delete', 'promo', '--no-undo'],
    ['merge', 'promo', '--into', 'all'],
  ]) {
    const ran = await linkctl(['tags', ...words, '--yes', '--max-affected', '2']);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain('3 links would be affected, more than --max-affected 2; nothing was changed');
  }
  expect((await sent(wire)).every(({ call }) => call.startsWith('GET'))).toBe(true);
  await linkctl(['tags', 'add', 'unused', 'idle']);
  const unused = await linkctl(['tags', 'delete', 'unused', 'idle', '--yes', '--max-affected', '0']);
  expect(unused).toMatchObject({ code: 0, stdout: 'unused\nidle\n' });
});

test('U3: tags that no link carries are deleted in a run without rows', async ({ linkctl }) => {
  await linkctl(['tags', 'add', 'one', 'two']);
  expect(await linkctl(['tags', 'delete', 'one', 'two', ...sure])).toEqual({ code: 0, stdout: 'one\ntwo\n', stderr: '' });
  expect(await runs(linkctl)).toMatchObject([
    { what: 'tags delete one two', rows: 0, undo: 'yes' },
    { what: 'tags add one two' },
  ]);
});

test('W4: merging into a tag that does not exist makes it, also if no link carries the merged ones', async ({ linkctl }) => {
  await linkctl(['tags', 'add', 'one']);
  expect(await linkctl(['tags', 'merge', 'one', '--into', 'new', ...sure])).toMatchObject({ code: 0, stdout: 'one\n' });
  expect((await linkctl(['tags'])).stdout).toBe('new\n');
});

test('W4: a tag is not merged into itself: exit 2 alone; beside others it stays', async ({ linkctl, service, wire }) => {
  await store(service, [labelled('x', 'one'), labelled('y', 'all')]);
  const alone = await linkctl(['tags', 'merge', 'all', '--into', 'ALL', ...sure]);
  expect(alone).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('hint: to change its spelling: linkctl tags rename all ALL'),
  });
  expect((await linkctl(['tags', 'merge', 'all', '--into', 'all', ...sure])).stderr).not.toContain('hint:');
  expect(await wire.requests()).toEqual([]);
  expect(await linkctl(['tags', 'merge', 'one', 'all', '--into', 'All', ...sure])).toMatchObject({ code: 0, stdout: 'one\n' });
  expect(await labelsOf(service)).toEqual({ x: ['all'], y: ['all'] });
});

test('B43: a tag that does not exist is exit 5, 3 beside others, 0 with --ignore-missing; without any no link is read', async ({
  linkctl,
  service,
  wire,
}) => {
  await store(service, [labelled('x', 'one'), labelled('y', 'two')]);
  const into = ['--into', 'all', ...sure];
  expect(await linkctl(['tags', 'merge', 'gone', ...into])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('no tag "gone"'),
  });
  expect((await sent(wire)).map(({ call }) => call)).toEqual(['GET /domains', 'GET /tags']);
  expect(await linkctl(['tags', 'merge', 'gone', 'one', ...into])).toMatchObject({ code: 3, stdout: 'one\n' });
  expect(await linkctl(['tags', 'merge', 'gone', 'two', '--ignore-missing', ...into])).toMatchObject({
    code: 0,
    stdout: 'two\n',
  });
  expect(await labelsOf(service)).toEqual({ x: ['all'], y: ['all'] });
});

test('B60: --dry-run shows the plan and the calls, and changes nothing', async ({ linkctl, service, wire }) => {
  await store(service, [labelled('x', 'one')]);
  const words = ['tags', 'merge', 'one', 'gone', '--into', 'all', '-n', '--ignore-missing'];
  const { code, stdout } = await linkctl([...words, '-o', 'json']);
  expect(code).toBe(0);
  const { requests } = JSON.parse(stdout);
  expect(requests).toMatchObject([
    { method: 'POST', path: '/tags', body: { label: 'all' } },
    { method: 'PATCH', path: '/urls', body: { urls: [{ hash: 'x', tags: ['+all', '-one'] }] } },
    { method: 'DELETE', path: '/tags/one', body: null },
  ]);
  const shown = await linkctl(words, watched);
  expect(shown.stderr).toContain('1 link would be changed');
  expect(shown.stderr).toMatch(/\nthen tag "one" would be deleted\ndry run: nothing was sent\n$/);
  expect((await sent(wire)).every(({ call }) => call.startsWith('GET'))).toBe(true);
  expect(await runs(linkctl)).toEqual([]);
});

test.for([
  ['delete', ['promo']],
  ['delete', ['promo', '--no-undo']],
  ['merge', ['promo', '--into', 'all']],
] as const)(
  'B57: in a script, tags %s %j needs --max-affected: exit 2, and nothing is sent',
  async ([name, words], { linkctl, wire }) => {
    expect(await linkctl(['tags', name, ...words, '--yes'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`--max-affected required with tags ${name} when not running interactively`),
    });
    expect(await sent(wire)).toEqual([]);
  },
);

test('F1: --no-undo leaves the deletion to the server alone', async ({ linkctl, service, wire }) => {
  await store(service, [labelled('x', 'promo')]);
  const ran = await linkctl(['tags', 'delete', 'promo', '--no-undo', ...sure]);
  expect(ran).toEqual({ code: 0, stdout: 'promo\n', stderr: '--no-undo: this change cannot be undone\n' });
  const calls = (await sent(wire)).map(({ call }) => call);
  expect(calls.filter((call) => !call.startsWith('GET'))).toEqual(['DELETE /tags/promo']);
  expect(await runs(linkctl)).toMatchObject([{ what: 'tags delete promo --no-undo', undo: 'no' }]);
  expect(await labelsOf(service)).toEqual({ x: [] });
});

test('W4: a tag that somebody else deleted meanwhile is gone as asked; any other refusal is a failure', async ({
  linkctl,
  service,
  wire,
}) => {
  await store(service, [labelled('x', 'one'), labelled('y', 'two')]);
  const list = { only: { method: 'GET', path: '/tags' } };
  const refusal = { ...faults.refuse(1309), only: { method: 'DELETE' } };
  await wire.script([list, refusal, { ...list, answer: { body: { error: { code: 0, message: '' }, tags: [] } } }]);
  expect(await linkctl(['tags', 'delete', 'one', ...sure])).toMatchObject({ code: 0, stdout: 'one\n' });
  await wire.script([{ ...faults.refuse(1306), only: { method: 'DELETE' } }]);
  expect(await linkctl(['tags', 'delete', 'two', ...sure])).toMatchObject({ code: 5, stdout: '' });
});

test.for([
  ['', []],
  [', also with --ignore-missing', ['--ignore-missing']],
] as const)(
  'R 2.1: a tag that the server does not find and still lists is not called deleted: exit 10%s',
  async ([, flags], { linkctl, service, wire }) => {
    await store(service, [labelled('x', 'one')]);
    await wire.script([{ ...faults.refuse(1309), only: { method: 'DELETE' } }]);
    const words = ['tags', 'delete', 'one', ...flags, ...sure];
    expect(await linkctl(words)).toMatchObject({
      code: 10,
      stdout: '',
      stderr: expect.stringContaining('the server lists tag "one", but does not find it'),
    });
    expect(await linkctl(words)).toMatchObject({ code: 0, stdout: 'one\n' });
    expect((await linkctl(['tags'])).stdout).toBe('');
  },
);

describe('a server that compares accents as they are composed', () => {
  // To the service, a label with a combining character is another one.
  const apart = (text: string): string => text.replaceAll('%CC%88', '_').replaceAll('\u0308', '_');
  const stored: Habits['stored'] = ({ url, body, ...request }) => {
    return { ...request, url: apart(url), body: Buffer.from(apart(body.toString())) };
  };
  test.override({ habits: { ...itemHabits({}), stored } });

  test.for([
    [['delete'], ['-\u00dcn\u00ef']],
    [
      ['merge', '--into', 'all'],
      ['+all', '-\u00dcn\u00ef'],
    ],
  ] as const)(
    'F49: tags %j finds and deletes the tag whose label is typed in the other form',
    async ([words, tags], { linkctl, service, wire }) => {
      await store(service, [labelled('x', '\u00dcn\u00ef', 'keep'), labelled('y', 'keep')]);
      const before = await labelsOf(service);
      const ran = await linkctl(['tags', ...words, 'u\u0308ni\u0308', ...sure]);
      expect(ran).toMatchObject({ code: 0, stdout: 'u\u0308ni\u0308\n' });
      const changes = (await sent(wire)).filter(({ call }) => /^(?:PATCH|DELETE)/.test(call));
      expect(changes).toMatchObject([{ body: { urls: [{ hash: 'x', tags }] } }, { call: 'DELETE /tags/\u00dcn\u00ef' }]);
      expect((await linkctl(['tags'])).stdout).not.toContain('\u00ef');
      expect(await undoLast(linkctl)).toMatchObject({ code: 0 });
      expect(await labelsOf(service)).toEqual(before);
    },
  );

  test('F49: of two tags with one label in both forms, the one that is typed is deleted', async ({ linkctl, service, wire }) => {
    await store(service, [labelled('x', '\u00dcn\u00ef')]);
    const tags = ['\u00fcn\u00ef', 'u\u0308ni\u0308'].map((label) => ({ label }));
    for (const listed of [tags, tags.toReversed()]) {
      const answer = { body: { error: { code: 0, message: '' }, tags: listed } };
      await wire.script([{ only: { method: 'GET', path: '/tags' }, answer }]);
      await linkctl(['tags', 'delete', 'u\u0308ni\u0308', '--dry-run', '-v']);
    }
    const listings = (await sent(wire)).filter(({ call }) => call.startsWith('GET /urls'));
    expect(listings.every(({ call }) => call.includes('tags=u\u0308ni\u0308'))).toBe(true);
  });
});

test('B87: a quota that ends between two deletions keeps the record of the first', async ({ linkctl, wire }) => {
  await linkctl(['tags', 'add', 'one', 'two']);
  const remove = { only: { method: 'DELETE' } };
  await wire.script([remove, { ...faults.refuse(1303), ...remove }]);
  expect(await linkctl(['tags', 'delete', 'one', 'two', ...sure])).toMatchObject({ code: 7, stdout: 'one\n' });
  expect(await runs(linkctl)).toMatchObject([{ what: 'tags delete one two', undo: 'yes' }, { what: 'tags add one two' }]);
  await arrived(wire, 1, 'DELETE');
});

test('U1: where the record cannot be kept, no link and no tag is changed', async ({ linkctl, service, wire, folder }) => {
  await store(service, [labelled('x', 'promo')]);
  await linkctl(['tags', 'add', 'unused']);
  const before = (await wire.requests()).length;
  rmSync(join(folder, '.local', 'state'), { recursive: true });
  writeFileSync(join(folder, '.local', 'state'), '');
  for (const words of [
    ['delete', 'promo'],
    ['delete', 'unused'],
    ['merge', 'promo', '--into', 'all'],
  ]) {
    expect(await linkctl(['tags', ...words, ...sure])).toMatchObject({ code: 9, stdout: '' });
  }
  const calls = (await sent(wire)).slice(before).map(({ call }) => call);
  expect(calls.filter((call) => !call.startsWith('GET'))).toEqual([]);
});

describe('a merge of more batches than are sent at once', () => {
  test.override({ edition: 'b' });

  test('R-18: Ctrl-C in a merge keeps the tags; the same command finishes it', async ({ env, linkctl, service, wire }) => {
    await store(service, numbered(2502, { tags: ['one'] }));
    const words = ['tags', 'merge', 'one', '--into', 'all', ...sure];
    await wire.script([{ only: { method: 'PATCH' }, held: true, times: 'all' }]);
    const system = createTestSystem({ env });
    const running = main(words, system);
    await wire.held(4);
    system.raise('SIGINT');
    await wire.release();
    await running;
    expect(system.deaths).toEqual(['SIGINT']);
    expect((await linkctl(['tags', '--count'])).stdout).toBe('all\t2000\none\t502\n');
    await wire.script([]);
    expect(await linkctl(words)).toMatchObject({ code: 0, stdout: 'one\n' });
    expect((await linkctl(['tags', '--count'])).stdout).toBe('all\t2502\n');
    expect(await runs(linkctl)).toMatchObject([{ state: 'finished', rows: 2502 }]);
  });
});
