import { describe, expect } from 'vitest';
import { faults } from '../support/faulty-steps.ts';
import { type Linkctl, sent, sure, test } from '../support/linkctl.ts';
import { store, stored } from '../support/stored-links.ts';
import { foreign, killed, newestFor, redoLast, runs, singly, stopped, undoLast } from './undo-world.ts';

const watched = { terminal: { stdin: true, stdout: true, stderr: true }, env: { NO_COLOR: '1' }, columns: 120 };

async function tags(linkctl: Linkctl): Promise<string[]> {
  return (await linkctl(['tags'])).stdout.trimEnd().split('\n').filter(Boolean);
}

async function undoOf(linkctl: Linkctl): Promise<string[]> {
  const { runs } = JSON.parse((await linkctl(['runs', '-o', 'json'])).stdout);
  const others = runs.filter(({ what }: { what: string }) => !what.startsWith('tags add'));
  return others.map(({ undo }: { undo: string }) => undo);
}

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  test('U3: a merge is taken back: every link has its labels again, as they were spelled, and the merged tags exist', async ({
    linkctl,
    service,
  }) => {
    await store(service, [
      { custom_hash: 'x', long_url: 'https://x.example/', tags: ['Promo', 'keep'] },
      { custom_hash: 'y', long_url: 'https://y.example/', tags: ['R&D', 'all'] },
      { custom_hash: 'z', long_url: 'https://z.example/', tags: ['all'] },
    ]);
    await linkctl(['tags', 'add', 'idle']);
    const before = await stored(service);
    const labels = await tags(linkctl);
    expect(await linkctl(['tags', 'merge', 'promo', 'r&d', 'idle', '--into', 'all', ...sure])).toMatchObject({ code: 0 });
    expect(await tags(linkctl)).toEqual(['all', 'keep']);
    expect(await undoLast(linkctl)).toMatchObject({ code: 0 });
    expect(await stored(service)).toEqual(before);
    expect(await tags(linkctl)).toEqual(labels);
    expect(await undoOf(linkctl)).toEqual(['yes', expect.stringMatching(/^undone by /)]);
  });

  test('U3: a rename is taken back, and that too', async ({ linkctl, service }) => {
    await store(service, [{ custom_hash: 'x', long_url: 'https://x.example/', tags: ['one'] }]);
    const before = await stored(service);
    await linkctl(['tags', 'rename', 'one', 'two']);
    const no = await linkctl(['undo'], { ...watched, stdin: 'n\n' });
    expect(no).toMatchObject({ code: 1, stdout: '' });
    expect(no.stderr).toContain('rename "two" to "one"');
    expect(await undoLast(linkctl)).toMatchObject({ code: 0, stdout: 'one\n' });
    expect(await stored(service)).toEqual(before);
    expect(await undoOf(linkctl)).toEqual(['yes', expect.stringMatching(/^undone by /)]);
    expect(await redoLast(linkctl)).toMatchObject({ code: 0, stdout: 'two\n' });
    expect(await tags(linkctl)).toEqual(['two']);
  });
});

test('B26: with -q and --yes, an undo of tags prints nothing but the tags', async ({ linkctl }) => {
  for (const [words, stdout] of [
    [['tags', 'add', 'zz'], 'zz\n'],
    [['tags', 'rename', 'zz', 'a'], 'zz\n'],
  ] as const) {
    if (words[1] === 'rename') await linkctl(['tags', 'add', 'zz']);
    await linkctl(words);
    expect(await undoLast(linkctl, ['-q'])).toEqual({ code: 0, stdout, stderr: '' });
  }
});

test('U3: a change of case alone is taken back', async ({ linkctl }) => {
  await linkctl(['tags', 'add', 'promo']);
  await linkctl(['tags', 'rename', 'promo', 'Promo']);
  expect(await undoLast(linkctl)).toMatchObject({ code: 0, stdout: 'promo\n' });
  expect(await tags(linkctl)).toEqual(['promo']);
});

test('U2: a rename is left alone where the tags changed since: exit 3, and nothing is sent', async ({
  linkctl,
  service,
  wire,
}) => {
  await linkctl(['tags', 'add', 'one', 'three']);
  await linkctl(['tags', 'rename', 'one', 'two']);
  await store(service, [{ custom_hash: 'x', long_url: 'https://x.example/', tags: ['one'] }]);
  const before = (await wire.requests()).length;
  const [{ run = '' } = {}] = (await runs(linkctl)).filter(({ what }) => what.startsWith('tags rename'));
  const taken = await linkctl(['undo', run, '--yes']);
  expect(taken).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('there is another tag "one"') });
  await linkctl(['delete', 'x', '--yes', '--no-undo']);
  // Somebody made the tag since, whether a link carries it or not.
  expect(await linkctl(['undo', run, '--yes'])).toEqual(taken);
  await linkctl(['tags', 'delete', 'one', 'two', ...sure, '--no-undo']);
  const gone = await linkctl(['undo', run, '--yes']);
  expect(gone).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('there is no tag "two"') });
  const calls = (await sent(wire)).slice(before).map(({ call }) => call);
  expect(calls.filter((call) => !call.startsWith('GET'))).toEqual(['DELETE /urls/x', 'DELETE /tags/one', 'DELETE /tags/two']);
});

test('U2: a rename that is back already is nothing to do', async ({ linkctl }) => {
  await linkctl(['tags', 'add', 'one']);
  await linkctl(['tags', 'rename', 'one', 'two']);
  const [run = ''] = (await linkctl(['runs', '--fields', 'run'])).stdout.split('\n');
  await linkctl(['tags', 'rename', 'two', 'one']);
  const ran = await linkctl(['undo', run, '--yes']);
  expect(ran).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('nothing to change') });
});

test('U3: deleted tags without links exist again; undone once more, those that are used now are kept', async ({
  linkctl,
  service,
}) => {
  await linkctl(['tags', 'add', 'One', 'two']);
  await linkctl(['tags', 'delete', 'one', 'two', ...sure]);
  expect(await undoLast(linkctl)).toMatchObject({ code: 0, stdout: 'One\ntwo\n' });
  await store(service, [{ custom_hash: 'x', long_url: 'https://x.example/', tags: ['two'] }]);
  const again = await redoLast(linkctl);
  expect(again).toMatchObject({
    code: 3,
    stdout: 'One\n',
    stderr: expect.stringContaining('tag "two" was kept: changed since: 1 link has it'),
  });
  expect(await tags(linkctl)).toEqual(['two']);
  const [{ run = '' } = {}] = (await runs(linkctl)).filter(({ what }) => what.startsWith('tags delete'));
  await linkctl(['delete', 'x', '--yes', '--no-undo']);
  expect(await linkctl(['redo', run, '--yes'])).toMatchObject({ code: 0, stdout: 'two\n' });
  expect(await linkctl(['redo', run, '--yes'])).toMatchObject({ code: 0, stderr: expect.stringContaining('is not undone') });
  expect(await tags(linkctl)).toEqual([]);
});

test('U2: the plan of an undo names a tag that a link got since: it is not asked for, and kept with exit 3', async ({
  linkctl,
  service,
  wire,
}) => {
  await linkctl(['tags', 'add', 'used', 'idle']);
  await store(service, [{ custom_hash: 'x', long_url: 'https://x.example/', tags: ['used'] }]);
  const [run = ''] = (await linkctl(['runs', '--fields', 'run'])).stdout.split('\n');
  const asked = await linkctl(['undo', run], { ...watched, stdin: 'n\n' });
  expect(asked).toMatchObject({ code: 1, stderr: expect.stringContaining('delete "used": changed since: 1 link has it\n') });
  const planned = await linkctl(['undo', run, '-n', '-o', 'json']);
  expect(JSON.parse(planned.stdout).requests).toMatchObject([{ method: 'DELETE', path: '/tags/idle' }]);
  const undone = await linkctl(['undo', run, '--yes']);
  expect(undone).toMatchObject({ code: 3, stdout: 'idle\n' });
  expect(undone.stderr).toContain(
    'error: tag "used" was kept: changed since: 1 link has it\nhint: linkctl list --by-tags used\n',
  );
  expect((await linkctl(['undo', run, '--yes'])).code).toBe(3);
  const calls = (await sent(wire)).map(({ call }) => call);
  expect(calls.filter((call) => call.startsWith('DELETE'))).toEqual(['DELETE /tags/idle']);
});

test('U2: a tag that a link gets after the plan of an undo is kept', async ({ linkctl, service, wire }) => {
  await linkctl(['tags', 'add', 'used']);
  const [run = ''] = (await linkctl(['runs', '--fields', 'run'])).stdout.split('\n');
  // The answer that the plan is made from.
  await wire.script([{ only: { method: 'GET', path: '/urls' }, held: true }]);
  const undoing = linkctl(['undo', run, '--yes']);
  await wire.held();
  await store(service, [{ custom_hash: 'x', long_url: 'https://x.example/', tags: ['used'] }]);
  await wire.release();
  const undone = await undoing;
  expect(undone, undone.stderr).toMatchObject({
    code: 3,
    stdout: '',
    stderr: expect.stringContaining('changed since: 1 link has it'),
  });
  expect(await tags(linkctl)).toEqual(['used']);
});

test.for([
  [['add', 'Two'], 'DELETE /tags/TWO'],
  [['merge', 'one', '--into', 'Two', ...sure], 'DELETE /tags/TWO'],
  [['rename', 'one', 'Two'], 'PATCH /tags/TWO'],
] as const)(
  'F49, U2: undo of tags %j sends the label as the account spells it now',
  async ([words, change], { linkctl, service, wire }) => {
    await store(service, [{ custom_hash: 'x', long_url: 'https://x.example/', tags: ['one'] }]);
    expect(await linkctl(['tags', ...words])).toMatchObject({ code: 0 });
    const [run = ''] = (await linkctl(['runs', '--fields', 'run'])).stdout.split('\n');
    await linkctl(['tags', 'rename', 'two', 'TWO']);
    expect(await linkctl(['undo', run, '--yes'])).toMatchObject({ code: 0 });
    expect((await sent(wire)).map(({ call }) => call)).toContain(change);
    expect(await tags(linkctl)).toEqual(['one']);
  },
);

test('U3: what an undo of tags left as it was can still be undone; the rest is not touched again', async ({
  linkctl,
  service,
}) => {
  await linkctl(['tags', 'add', 'one', 'two']);
  const [run = ''] = (await linkctl(['runs', '--fields', 'run'])).stdout.split('\n');
  await store(service, [{ custom_hash: 'x', long_url: 'https://x.example/', tags: ['two'] }]);
  const partly = await linkctl(['undo', run, '--yes']);
  expect(partly).toMatchObject({
    code: 3,
    stdout: 'one\n',
    stderr: expect.stringContaining('tag "two" was kept: changed since: 1 link has it'),
  });
  expect(await linkctl(['undo', run, '--yes'])).toMatchObject({ code: 3, stdout: '' });
  await linkctl(['delete', 'x', '--yes', '--no-undo']);
  expect(await linkctl(['undo', run, '--yes'])).toMatchObject({ code: 0, stdout: 'two\n' });
  expect(await tags(linkctl)).toEqual([]);
  await linkctl(['tags', 'add', 'one']);
  const again = await linkctl(['undo', run, '--yes']);
  expect(again).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('already undone') });
  expect(await tags(linkctl)).toEqual(['one']);
});

test('U3: an undo of links that kept a tag can be repeated for it', async ({ linkctl, service }) => {
  await store(service, [{ custom_hash: 'x', long_url: 'https://x.example/', tags: ['old'] }]);
  await linkctl(['tags', 'merge', 'old', '--into', 'new', ...sure]);
  const [run = ''] = (await linkctl(['runs', '--fields', 'run'])).stdout.split('\n');
  await store(service, [{ custom_hash: 'y', long_url: 'https://y.example/', tags: ['new'] }]);
  const partly = await linkctl(['undo', run, '--yes']);
  expect(partly).toMatchObject({ code: 3, stderr: expect.stringContaining('tag "new" was kept: changed since: 1 link has it') });
  await linkctl(['delete', 'y', '--yes', '--no-undo']);
  expect(await tags(linkctl)).toEqual(['new', 'old']);
  const asked = await linkctl(['undo', run], { ...watched, stdin: 'n\n' });
  expect(asked).toMatchObject({ code: 1, stderr: expect.stringContaining('delete "new"') });
  expect(await linkctl(['undo', run, '--yes'])).toMatchObject({ code: 0, stdout: 'new\n' });
  expect(await tags(linkctl)).toEqual(['old']);
  const redone = await linkctl(['redo', run, '--yes']);
  expect(redone).toMatchObject({ code: 3, stdout: 'new\n', stderr: expect.stringContaining('there is more') });
  expect(await linkctl(['redo', run, '--yes'])).toMatchObject({ code: 0, stdout: 'x\n' });
  expect(await tags(linkctl)).toEqual(['new']);
  expect(await linkctl(['undo', run, '--yes'])).toMatchObject({ code: 0, stdout: 'x\n' });
  expect(await tags(linkctl)).toEqual(['old']);
  expect(await linkctl(['undo', run, '--yes'])).toMatchObject({ code: 0, stdout: '' });
});

test('U6, U3: an undo that finds the links as they should be deletes the tag again after each redo', async ({
  linkctl,
  service,
}) => {
  await store(service, [{ custom_hash: 'q', long_url: 'https://q.example/', tags: ['x'] }]);
  await linkctl(['tags', 'merge', 'x', '--into', 'neu', ...sure]);
  const [{ run = '' } = {}] = await runs(linkctl);
  await foreign(service, 'PATCH', '/urls/q', { tags: ['-neu', '+x'] });
  for (let round = 0; round < 2; round += 1) {
    expect(await newestFor('undo', linkctl)).not.toBe('none');
    expect(await linkctl(['undo', run, '--yes'])).toMatchObject({ code: 0, stdout: 'neu\n' });
    expect(await tags(linkctl)).toEqual(['x']);
    expect((await linkctl(['undo', run, '--yes'])).stderr).toContain('already undone');
    expect(await linkctl(['redo', run, '--yes'])).toMatchObject({ code: 0, stdout: 'neu\n' });
    expect(await tags(linkctl)).toEqual(['neu', 'x']);
    expect((await linkctl(['redo', run, '--yes'])).stderr).toContain('is not undone');
  }
});

test.for([
  ['tags', 'delete', 'old'],
  ['tags', 'merge', 'old', '--into', 'new'],
])(
  'U2, E16: an undo of %s %s says which rows may still be applied, also if no link has changed: exit 10',
  async (words, { linkctl, service, wire }) => {
    await store(service, [{ custom_hash: 'x', long_url: 'https://x.example/', tags: ['old'] }]);
    const before = await stored(service);
    await wire.script([
      { only: { method: 'PATCH' }, ...faults.late('release') },
      { only: { method: 'PATCH' }, ...faults.dropBefore, times: 'all' },
    ]);
    expect((await linkctl([...words, ...sure, '--retries', '0'])).code).toBe(10);
    await wire.script([]);
    const [{ run = '' } = {}] = await runs(linkctl);
    const left = { code: 10, stderr: expect.stringContaining(`outcome unknown for 1 row of run ${run}`) };
    expect(await linkctl(['undo', run, '--yes'])).toMatchObject(left);
    expect(await linkctl(['undo', run, '--yes'])).toMatchObject(left);
    await wire.release();
    expect(await stored(service)).not.toEqual(before);
    expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
    expect(await stored(service)).toEqual(before);
    expect(await tags(linkctl)).toEqual(['old']);
    expect((await linkctl(['undo', run, '--yes'])).stderr).toContain('already undone');
  },
);

test('U2, B60: a dry run of an undo says what it would do with tags, and sends nothing', async ({ linkctl, wire }) => {
  await linkctl(['tags', 'add', 'one']);
  await linkctl(['tags', 'rename', 'one', 'two']);
  const before = (await wire.requests()).length;
  const ran = await linkctl(['undo', '-n']);
  expect(ran).toMatchObject({ code: 0, stdout: '' });
  expect(ran.stderr).toContain('rename "two" to "one"');
  expect(ran.stderr).toContain('dry run: nothing was sent');
  expect((await sent(wire)).slice(before).map(({ call }) => call)).toEqual(['GET /tags']);
  expect(await undoOf(linkctl)).toEqual(['yes']);
});

test('U2: an undo of a rename whose answer was lost is resumed by the same command', async ({ linkctl, wire }) => {
  await linkctl(['tags', 'add', 'one']);
  await linkctl(['tags', 'rename', 'one', 'two']);
  await wire.script([
    { only: { method: 'GET' } },
    { ...faults.dropAfter, only: { method: 'PATCH' }, times: 'all' },
    { ...faults.dropBefore, only: { method: 'GET' }, times: 'all' },
  ]);
  expect(await undoLast(linkctl)).toMatchObject({ code: 10 });
  await wire.script([]);
  const [run = ''] = (await linkctl(['runs', '--fields', 'run'])).stdout.split('\n').slice(1);
  expect(await linkctl(['undo', run, '--yes'])).toMatchObject({ code: 0 });
  expect(await tags(linkctl)).toEqual(['one']);
});

test('U2, U6: a rename of a tag: an undo or redo that was killed before its answer came counts', async ({
  linkctl,
  wire,
  env,
}) => {
  await linkctl(['tags', 'add', 'one']);
  await linkctl(['tags', 'rename', 'one', 'two']);
  const [{ run = '' } = {}] = await runs(linkctl);
  const lost = { only: { method: 'PATCH' }, ...faults.silentAfter };
  const isBack = async (command: string, label: string): Promise<void> => {
    for (let times = 0, isDone = false; times < 3 && !isDone; times += 1)
      isDone = (await linkctl([command, run, '--yes'])).code === 0;
    expect(await tags(linkctl)).toEqual([label]);
  };
  await killed(['undo', run, '--yes'], lost, { wire, env });
  await isBack('redo', 'two');
  await isBack('undo', 'one');
  await killed(['redo', run, '--yes'], lost, { wire, env });
  await isBack('undo', 'one');
  expect((await linkctl(['undo', run, '--yes'])).stderr).toContain('already undone');
});

test.for([
  ['undo', 'before its last tag was deleted', { only: { method: 'DELETE' }, ...faults.silentBefore }],
  ['redo', 'before its last tag was deleted', { only: { method: 'DELETE' }, ...faults.silentBefore }],
  ['undo', 'when it had only added its tag', { only: { method: 'POST' }, ...faults.silentAfter }],
  ['redo', 'when it had only added its tag', { only: { method: 'POST' }, ...faults.silentAfter }],
] as const)(
  'U2, U3: %s of a merge that was killed %s is resumed by the same command',
  async ([command, , step], { linkctl, service, wire, env }) => {
    await store(service, [{ custom_hash: 'x', long_url: 'https://x.example/', tags: ['old'] }]);
    expect((await linkctl(['tags', 'merge', 'old', '--into', 'new', ...sure])).code).toBe(0);
    const [{ run = '' } = {}] = await runs(linkctl);
    if (command === 'redo') expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
    await killed([command, run, '--yes'], step, { wire, env });
    expect(await tags(linkctl)).toEqual(['new', 'old']);
    expect(await linkctl([command, run, '--yes'])).toMatchObject({ code: 0, stderr: expect.stringContaining('resuming run') });
    expect(await tags(linkctl)).toEqual([command === 'redo' ? 'new' : 'old']);
    const again = command === 'redo' ? 'is not undone' : 'already undone';
    expect((await linkctl([command, run, '--yes'])).stderr).toContain(again);
  },
);

test('U2, U3: where a link of a merge has its tag back by hand, undo goes on with the others', async ({
  linkctl,
  service,
  wire,
}) => {
  const link = (nth: number) => ({ custom_hash: `h${nth}`, long_url: `https://example.com/${nth}`, tags: ['old'] });
  await store(service, [0, 1, 2].map(link));
  const before = await stored(service);
  expect((await linkctl(['tags', 'merge', 'old', '--into', 'new', ...sure])).code).toBe(0);
  const [{ run = '' } = {}] = await runs(linkctl);
  await stopped(['undo', run, ...singly], 'PATCH', { linkctl, wire });
  const { hash = '' } = (await stored(service)).find((one) => one.tags.includes('old')) ?? {};
  expect((await linkctl(['redo', run, '--yes'])).code).toBe(0);
  await linkctl(['tags', 'add', 'old']);
  await foreign(service, 'PATCH', `/urls/${hash}`, { tags: ['+old', '-new'] });
  expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
  expect(await stored(service)).toEqual(before);
  expect(await tags(linkctl)).toEqual(['old']);
});

test('U2: a tag that an undo or redo deletes is called deleted', async ({ linkctl }) => {
  await linkctl(['tags', 'add', 'two']);
  const [run = ''] = (await runs(linkctl)).map(({ run }) => String(run));
  expect((await linkctl(['undo', run, '--yes'], watched)).stdout).toBe('✓ Deleted tag "two"\n');
  expect((await linkctl(['redo', run, '--yes'], watched)).stdout).toBe('✓ Restored tag "two"\n');
});

test('U2: a tag that an undo or redo renames is called renamed', async ({ linkctl }) => {
  await linkctl(['tags', 'add', 'one']);
  await linkctl(['tags', 'rename', 'one', 'two']);
  const [run = ''] = (await runs(linkctl)).map(({ run }) => String(run));
  expect((await linkctl(['undo', run, '--yes'], watched)).stdout).toBe('✓ Renamed tag "two" to "one"\n');
  expect((await linkctl(['redo', run, '--yes'], watched)).stdout).toBe('✓ Renamed tag "one" to "two"\n');
});
