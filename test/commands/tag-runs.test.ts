import { describe, expect } from 'vitest';
import { runShell } from '../support/built-program.ts';
import { faults } from '../support/faulty-steps.ts';
import { type Linkctl, sent, sure, test } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';
import { killed, newestFor } from './undo-world.ts';

const link = (hash: string, ...tags: string[]) => ({ custom_hash: hash, long_url: `https://example.com/${hash}`, tags });
const tagsOf = async (linkctl: Linkctl) => (await linkctl(['tags'])).stdout.trimEnd().split('\n');

async function runs(linkctl: Linkctl): Promise<{ run: string; what: string; state: string; undo: string }[]> {
  return JSON.parse((await linkctl(['runs', '--json'])).stdout).runs;
}

async function undoNewest(linkctl: Linkctl) {
  const [newest] = await runs(linkctl);
  return await linkctl(['undo', newest?.run ?? '', '--yes']);
}

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  const commands: readonly (readonly [string, readonly string[]])[] = [
    ['tags merge', ['tags', 'merge', 'one', 'two', '--into', 'New', ...sure]],
    ['tags delete', ['tags', 'delete', 'one', 'two', ...sure]],
  ];

  test.for(
    commands.flatMap(([name, words]) => [
      [name, 'before the first label is deleted', words, [{ only: { method: 'DELETE' }, ...faults.refuse(1303) }], 7] as const,
      [
        name,
        'between two labels',
        words,
        [{ only: { method: 'DELETE' } }, { only: { method: 'DELETE' }, ...faults.refuse(1303) }],
        7,
      ] as const,
      [
        name,
        'after the last label was deleted',
        words,
        [
          { only: { method: 'DELETE' } },
          { only: { method: 'DELETE' }, ...faults.dropAfter },
          { only: { method: 'DELETE' }, ...faults.refuse(1303) },
        ],
        10,
      ] as const,
    ]),
  )(
    'E9, E15, E17: %s stopped %s is one run: the same command ends it, and one undo takes all of it back',
    async ([, , words, script, code], { linkctl, service, wire }) => {
      await store(service, [...numbered(3, { tags: ['One', 'keep'] }), link('x', 'two', 'One'), link('y', 'keep')]);
      const [before, labels] = [await stored(service), await tagsOf(linkctl)];
      await wire.script(script);
      const stopped = await linkctl(words);
      expect(stopped.code, stopped.stderr).toBe(code);
      expect(await runs(linkctl)).toMatchObject([{ state: 'unfinished' }]);
      const again = await linkctl(words);
      expect(again, again.stderr).toMatchObject({ code: 0, stdout: 'one\ntwo\n' });
      expect(await runs(linkctl)).toMatchObject([{ state: 'finished' }]);
      expect(await tagsOf(linkctl)).toEqual(words[1] === 'merge' ? ['keep', 'New'] : ['keep']);
      const undone = await undoNewest(linkctl);
      expect(undone.code, undone.stderr).toBe(0);
      expect(await stored(service)).toEqual(before);
      expect(await tagsOf(linkctl)).toEqual(labels);
    },
  );

  test('E7, E9, U5: a merge that was killed when it had only added its tag is the last change, resumed by the same command, and undone', async ({
    linkctl,
    service,
    wire,
    env,
  }) => {
    await store(service, [link('x', 'one')]);
    const words = ['tags', 'merge', 'one', '--into', 'new', ...sure];
    const after = { only: { method: 'POST', path: '/tags' }, ...faults.silentAfter };
    expect((await linkctl(['edit', 'x', '--note', 'earlier'])).code).toBe(0);
    const before = await stored(service);
    for (const isResumed of [true, false]) {
      await killed(words, after, { wire, env });
      expect(await tagsOf(linkctl)).toEqual(['new', 'one']);
      const [{ run, ...begun } = { run: '' }] = await runs(linkctl);
      expect(begun).toMatchObject({ what: 'tags merge one --into new', state: 'unfinished', undo: 'yes' });
      expect(await newestFor('undo', linkctl)).toBe(run);
      const resumed = { code: 0, stderr: expect.stringContaining(`resuming run ${run}`) };
      if (isResumed) expect(await linkctl(words)).toMatchObject(resumed);
      expect(await linkctl(['undo', run, '--yes'])).toMatchObject({ code: 0 });
      expect(await tagsOf(linkctl)).toEqual(['one']);
      expect(await stored(service)).toEqual(before);
    }
    expect((await runs(linkctl)).filter(({ what }) => what.startsWith('tags merge'))).toHaveLength(2);
  });

  test('E15: tags without links, deleted by a process that was stopped after its last call: the same command says that it is done', async ({
    linkctl,
    wire,
  }) => {
    await linkctl(['tags', 'add', 'One', 'two']);
    const remove = { only: { method: 'DELETE' } };
    await wire.script([remove, { ...remove, ...faults.dropAfter }, { ...remove, ...faults.refuse(1303) }]);
    const words = ['tags', 'delete', 'one', 'two', ...sure];
    expect((await linkctl(words)).code).toBe(10);
    expect(await linkctl(words)).toMatchObject({ code: 0, stdout: 'one\ntwo\n' });
    expect((await runs(linkctl)).filter(({ what }) => what === 'tags delete one two')).toHaveLength(1);
    expect((await undoNewest(linkctl)).code).toBe(0);
    expect(await tagsOf(linkctl)).toEqual(['One', 'two']);
  });

  test('E17: undo of a rename gives the label its case; --max-affected holds; an undo that was stopped ends when it is repeated', async ({
    linkctl,
    service,
    wire,
  }) => {
    await store(service, [link('x', 'Promo'), link('y', 'Promo')]);
    const before = await stored(service);
    const words = ['tags', 'rename', 'promo', 'sale'];
    expect(await linkctl([...words, '--max-affected', '1'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('2 links would be affected'),
    });
    expect((await sent(wire)).filter(({ call }) => call.startsWith('PATCH'))).toEqual([]);
    expect((await linkctl([...words, '--max-affected', '2'])).code).toBe(0);
    const [renamed] = await runs(linkctl);
    const undo = ['undo', renamed?.run ?? '', '--yes'];
    await wire.script([
      { only: { method: 'GET' } },
      { only: { method: 'PATCH' }, times: 'all', ...faults.dropAfter },
      { only: { method: 'GET' }, times: 'all', ...faults.dropBefore },
    ]);
    expect((await linkctl(undo)).code).toBe(10);
    await wire.script([]);
    expect((await linkctl(undo)).code).toBe(0);
    expect(await stored(service)).toEqual(before);
    expect((await runs(linkctl)).map(({ state }) => state)).toEqual(['finished', 'finished']);
  });

  test.for([
    ['a rename', ['tags', 'rename', 'one', 'two'], 'two\n', ['two']],
    ['the deletion of a tag without links', ['tags', 'delete', 'one', ...sure], 'one\n', ['']],
  ] as const)(
    'E10: %s whose result was not shown is shown by the same command, which is refused after that',
    async ([, words, shown, left], { env, linkctl }) => {
      await linkctl(['tags', 'add', 'one']);
      const ran = await runShell(`$linkctl ${words.join(' ')} > /dev/full`, env);
      expect(ran).toMatchObject({ code: 9, stderr: expect.stringContaining('cannot write output') });
      expect(await tagsOf(linkctl)).toEqual(left);
      expect(await linkctl(words)).toMatchObject({ code: 0, stdout: shown });
      expect(await runs(linkctl)).toHaveLength(2);
      expect(await linkctl(words)).toMatchObject({ code: 5, stdout: '' });
      expect(await tagsOf(linkctl)).toEqual(left);
      expect((await undoNewest(linkctl)).code).toBe(0);
      expect(await tagsOf(linkctl)).toEqual(['one']);
    },
  );

  test('E10: a rename whose result was shown is made anew once the old label is back', async ({ linkctl }) => {
    for (const _ of ['first', 'again']) {
      await linkctl(['tags', 'add', 'one']);
      expect(await linkctl(['tags', 'rename', 'one', 'two'])).toMatchObject({ code: 0, stdout: 'two\n' });
      expect((await linkctl(['tags', 'delete', 'two', ...sure])).code).toBe(0);
    }
    expect((await runs(linkctl)).filter(({ what }) => what === 'tags rename one two')).toHaveLength(2);
  });
});
