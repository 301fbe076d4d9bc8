import { describe, expect } from 'vitest';
import { faults, type Step } from '../support/faulty-steps.ts';
import { type Linkctl, sure, test } from '../support/linkctl.ts';
import { store, stored } from '../support/stored-links.ts';
import { killed, runs } from './undo-world.ts';

/** The call takes effect only when the test says so, after the program was killed. */
const late = (method: string, path = '/tags') => ({
  only: { method, path },
  apply: { late: 'release' } as const,
  end: 'silent' as const,
});
const first = (method: string) => ({ only: { method, path: '/tags' } });

async function tags(linkctl: Linkctl): Promise<string[]> {
  return (await linkctl(['tags'])).stdout.trimEnd().split('\n').filter(Boolean);
}

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  test.for([
    ['a rename', ['tags', 'rename', 'old', 'new'], late('PATCH'), []],
    ['an addition', ['tags', 'add', 'new'], late('POST'), []],
    ['the second of two additions', ['tags', 'add', 'new', 'newer'], late('POST'), [first('POST')]],
    ['a deletion', ['tags', 'delete', 'old', ...sure], late('DELETE'), []],
    ['a merge into a new tag', ['tags', 'merge', 'used', '--into', 'new', ...sure], late('POST'), []],
    ['a deletion from links', ['tags', 'delete', 'used', ...sure], late('DELETE'), []],
  ] as const)(
    'U2, U6, R-X10: undo and verification of %s of tags in doubt end with 10 until it is applied, and undo takes it back then',
    async ([what, words, step, before], { linkctl, service, wire, env }) => {
      expect(await linkctl(['tags', 'add', 'old'])).toMatchObject({ code: 0 });
      if (words.some((word) => word === 'used'))
        await store(service, [{ custom_hash: 'x', long_url: 'https://x.example/', tags: ['used'] }]);
      const [links, labels] = [await stored(service), await tags(linkctl)];
      await killed(words, step, { wire, env }, before);
      const [{ run = '' } = {}] = await runs(linkctl);
      const undo = ['undo', run, '--yes'];
      const typed = words.filter((word) => !(sure as readonly string[]).includes(word)).join(' ');
      // The command would add again what the undo has deleted.
      const isBegun = what === 'the second of two additions';
      const settled = isBegun ? 'check the tags, then repeat' : `repeat the command of the run (${typed}), then`;
      for (let times = 0; times < 2; times += 1) {
        const undone = await linkctl(undo);
        expect(undone, undone.stderr).toMatchObject({ code: 10 });
        expect(undone.stderr).toContain(`error: outcome unknown for 1 tag of run ${run}: `);
        expect(undone.stderr).toContain(`hint: ${settled}: linkctl undo ${run}; `);
        if (what !== 'a deletion from links') expect(await tags(linkctl)).toEqual(labels);
      }
      const verify = ['runs', 'verify', run];
      expect(await linkctl(verify)).toMatchObject({ code: 10, stderr: expect.stringContaining('outcome unknown for 1 tag') });
      await wire.release();
      expect(await tags(linkctl)).not.toEqual(labels);
      const restored = await linkctl(undo);
      expect(restored, restored.stderr).toMatchObject({ code: 0 });
      expect(await tags(linkctl)).toEqual(labels);
      expect(await stored(service)).toEqual(links);
      expect(await linkctl(undo)).toMatchObject({ code: 0, stderr: expect.stringContaining('already undone') });
      expect((await linkctl(verify)).code).not.toBe(10);
    },
  );

  test.for([
    ['a rename', ['tags', 'rename', 'old', 'new'], 'PATCH', []],
    ['an addition', ['tags', 'add', 'new'], 'POST', []],
    ['the second of two additions', ['tags', 'add', 'new', 'newer'], 'POST', [first('POST')]],
    ['a deletion', ['tags', 'delete', 'old', ...sure], 'DELETE', []],
    ['a deletion from links', ['tags', 'delete', 'used', ...sure], 'DELETE', []],
  ] as const)(
    'U2, U6: %s of tags in doubt that was never applied: its undo ends once the command was repeated, or with --force',
    async ([, words, method, before]: readonly [string, readonly string[], string, readonly Step[]], {
      linkctl,
      service,
      wire,
    }) => {
      await linkctl(['tags', 'add', 'old']);
      await store(service, [{ custom_hash: 'x', long_url: 'https://x.example/', tags: ['used'] }]);
      const [links, labels] = [await stored(service), await tags(linkctl)];
      for (const isRepeated of [true, false]) {
        await wire.script([...before, { ...first(method), ...faults.dropBefore, times: 'all' }]);
        expect((await linkctl([...words, '--retries', '0'], { haste: 100 })).code).toBe(10);
        await wire.script([]);
        const [{ run = '' } = {}] = await runs(linkctl);
        const undo = ['undo', run, '--yes'];
        expect((await linkctl(undo)).code).toBe(10);
        if (isRepeated) expect((await linkctl(words)).code).toBe(0);
        const undone = await linkctl(isRepeated ? undo : [...undo, '--force']);
        expect(undone, undone.stderr).toMatchObject({ code: 0 });
        const warning = `warning: outcome unknown for 1 tag of run ${run}: left unchanged\n`;
        if (!isRepeated && !words.includes('used')) expect(undone.stderr).toContain(warning);
        expect(await tags(linkctl)).toEqual(labels);
        expect(await stored(service)).toEqual(links);
        expect(await linkctl(undo)).toMatchObject({ code: 0, stderr: expect.stringContaining('already undone') });
      }
    },
  );

  test('U2: redo of an undo of tags in doubt waits for it, too', async ({ linkctl, wire, env }) => {
    await linkctl(['tags', 'add', 'one']);
    await linkctl(['tags', 'rename', 'one', 'two']);
    const [{ run = '' } = {}] = await runs(linkctl);
    await killed(['undo', run, '--yes'], late('PATCH'), { wire, env });
    const redone = await linkctl(['redo', run, '--yes']);
    expect(redone).toMatchObject({ code: 10, stderr: expect.stringContaining('1 tag of run') });
    expect(redone.stderr).toContain(`hint: linkctl undo ${run}, then: linkctl redo ${run}; `);
    await wire.release();
    expect(await tags(linkctl)).toEqual(['one']);
    expect(await linkctl(['redo', run, '--yes'])).toMatchObject({ code: 0 });
    expect(await tags(linkctl)).toEqual(['two']);
  });

  test('U2: an addition that a refusal stopped is not in doubt: its undo is whole', async ({ linkctl, wire }) => {
    await wire.script([first('POST'), { ...first('POST'), ...faults.refuse(1303) }]);
    expect(await linkctl(['tags', 'add', 'new', 'newer'])).toMatchObject({ code: 7 });
    const [{ run = '' } = {}] = await runs(linkctl);
    const undo = ['undo', run, '--yes'];
    expect(await linkctl(undo)).toMatchObject({ code: 0, stdout: 'new\n' });
    expect(await tags(linkctl)).toEqual([]);
    expect(await linkctl(undo)).toMatchObject({ code: 0, stderr: expect.stringContaining('already undone') });
  });

  test('U2: --force restores the links of a deletion of tags in doubt', async ({ linkctl, service, wire, env }) => {
    await store(service, [{ custom_hash: 'x', long_url: 'https://x.example/', tags: ['used'] }]);
    const links = await stored(service);
    await killed(['tags', 'delete', 'used', ...sure], late('DELETE'), { wire, env });
    const [{ run = '' } = {}] = await runs(linkctl);
    expect((await linkctl(['undo', run, '--yes'])).stderr).toContain('nothing was changed');
    expect(await linkctl(['undo', run, '--yes', '--force'])).toMatchObject({ code: 0 });
    expect(await stored(service)).toEqual(links);
    await wire.release();
  });
});
