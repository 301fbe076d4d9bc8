import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { faults } from '../support/faulty-steps.ts';
import { test } from '../support/linkctl.ts';
import { store, stored } from '../support/stored-links.ts';
import { killed, runs } from './undo-world.ts';

const post = { only: { method: 'POST' } };
const lost = { ...post, ...faults.silentBefore };
const links = ['one', 'two'].map((hash) => ({ custom_hash: hash, long_url: `https://${hash}.example/` }));

function written(folder: string, column: string): string {
  const path = join(folder, 'links.csv');
  writeFileSync(path, `${column},long_url\n${links.map(({ custom_hash, long_url }) => `${custom_hash},${long_url}\n`).join('')}`);
  return path;
}

const inOnes = ['--batch-size', '1', '--concurrency', '1'];

async function hashes(service: Parameters<typeof stored>[0]): Promise<string[]> {
  return (await stored(service)).map(({ hash }) => hash).sort();
}

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  test.for([
    ['typed', () => ['shorten', 'https://one.example/', '--hash', 'one']],
    ['updated', (folder: string) => ['shorten', '-f', written(folder, 'custom_hash'), '--on-conflict', 'update']],
    ['applied', (folder: string) => ['apply', '-f', written(folder, 'hash'), '--yes']],
  ] as const)(
    'U7, E16: links of a run without an answer (%s) that undo did not find are those of whoever made them since',
    async ([, words], { linkctl, service, wire, env, folder }) => {
      await killed(words(folder), lost, { wire, env });
      const [{ run = '' } = {}] = await runs(linkctl);
      const undo = ['undo', run, '--yes'];
      for (const _ of ['first', 'again'])
        expect(await linkctl(undo)).toMatchObject({ code: 10, stderr: expect.stringContaining('they may still be applied') });
      await store(service, links);
      const found = await linkctl(undo);
      expect(found.code).not.toBe(0);
      expect(found.stderr).toContain('somebody else may have created it');
      expect(await hashes(service)).toEqual(['one', 'two']);
      expect((await linkctl([...undo, '--force'])).code).toBe(0);
    },
  );

  test('U7, E16: a link with more than its row asked for is not taken for that of an update without an answer', async ({
    linkctl,
    service,
    wire,
    env,
    folder,
  }) => {
    const words = ['shorten', '-f', written(folder, 'custom_hash'), '--on-conflict', 'update'];
    await killed(words, lost, { wire, env });
    const [{ run = '' } = {}] = await runs(linkctl);
    const [theirs = {}] = links;
    await store(service, [{ ...theirs, note: 'theirs' }]);
    expect((await linkctl(words)).code).toBe(0);
    const undo = ['undo', run, '--yes'];
    expect(await linkctl(undo)).toMatchObject({ code: 3, stderr: expect.stringContaining('one: it may have existed before') });
    expect(await hashes(service)).toEqual(['one']);
  });

  test('U7, E16: so are links of a redo without an answer', async ({ linkctl, service, wire, env, folder }) => {
    expect((await linkctl(['shorten', '-f', written(folder, 'custom_hash')])).code).toBe(0);
    const [{ run = '' } = {}] = await runs(linkctl);
    const undo = ['undo', run, '--yes'];
    expect((await linkctl(undo)).code).toBe(0);
    await killed(['redo', run, '--yes'], lost, { wire, env });
    expect(await linkctl(undo)).toMatchObject({ code: 10 });
    await store(service, links);
    for (const _ of ['first', 'again']) {
      expect(await linkctl(undo)).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('it may have existed before the run'),
      });
      expect(await hashes(service)).toEqual(['one', 'two']);
    }
  });

  test('U7: so are links that an undo did not find that then stopped before its first change, and was forgotten', async ({
    linkctl,
    service,
    wire,
    env,
    folder,
  }) => {
    const words = ['shorten', '-f', written(folder, 'custom_hash'), '--on-conflict', 'update', ...inOnes];
    await killed(words, lost, { wire, env }, [post]);
    const [{ run = '' } = {}] = await runs(linkctl);
    const undo = ['undo', run, '--yes'];
    const later = (minutes: number) => ({ now: () => Date.now() + minutes * 60_000 });
    await wire.script([{ only: { method: 'DELETE' }, ...faults.tooMany('3600') }]);
    expect((await linkctl([...undo, '--max-wait', '1'], later(1))).code).toBe(7);
    await wire.script([]);
    expect((await linkctl(['runs', 'forget', 'last', '--yes'], later(2))).code).toBe(0);
    await store(service, links.slice(1));
    expect(await linkctl(undo, later(3))).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('somebody else may have created it'),
    });
    expect(await hashes(service)).toEqual(['two']);
  });
});
