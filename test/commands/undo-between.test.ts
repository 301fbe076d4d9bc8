import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { faults } from '../support/faulty-steps.ts';
import { type Linkctl, test } from '../support/linkctl.ts';
import { numbered, store } from '../support/stored-links.ts';
import { foreign, newestFor, runs, singly, stopped, values } from './undo-world.ts';

const count = 4;
const onPatch = { only: { method: 'PATCH' } };
const alreadyUndone = { code: 0, stderr: expect.stringContaining('already undone') };

interface Worked {
  readonly linkctl: Linkctl;
  readonly service: Parameters<typeof values>[0];
  readonly folder: string;
}

/** Makes and edits `h0` to `h3`. Returns the run, and the values of all links before and after it. */
async function edited({ linkctl, service, folder }: Worked) {
  await store(service, numbered(count, { note: 'before' }));
  const before = await values(service);
  const file = join(folder, 'edits.csv');
  const lines = Array.from({ length: count }, (_, nth) => `h${nth},after`);
  writeFileSync(file, `hash,note\n${lines.join('\n')}\n`);
  expect((await linkctl(['edit', '-f', file, ...singly])).code).toBe(0);
  return { run: await newestFor('undo', linkctl), before, after: await values(service) };
}

/** What happens between an undo that stopped, or left a link out, and the next command. */
describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  test('U2: an undo that is resumed after a redo of its first links is no proof of these', async ({
    linkctl,
    service,
    wire,
    folder,
  }) => {
    const { run, before } = await edited({ linkctl, service, folder });
    const undo = ['undo', run, ...singly];
    await stopped(undo, 'PATCH', { linkctl, wire }, 2);
    expect((await linkctl(['redo', run, '--yes'])).code).toBe(0);
    await foreign(service, 'PATCH', '/urls/h3', { note: 'theirs' });
    for (const _ of [1, 2, 3]) expect((await linkctl(undo)).code).toBe(3);
    await foreign(service, 'PATCH', '/urls/h3', { note: 'after' });
    expect((await linkctl(undo)).code).toBe(0);
    expect(await values(service)).toEqual(before);
    expect(await linkctl(undo)).toMatchObject(alreadyUndone);
  });

  test('U6: where an undo found that nothing was to be done, a later one says so: what was changed since is not undone', async ({
    linkctl,
    service,
    folder,
  }) => {
    const { run } = await edited({ linkctl, service, folder });
    const repair = ['edit', ...Array.from({ length: count }, (_, nth) => `h${nth}`), '--note', 'before', '--yes'];
    expect((await linkctl(repair)).code).toBe(0);
    const repaired = await newestFor('undo', linkctl);
    expect((await linkctl(['undo', run, '--yes'])).stderr).toContain('nothing to change');
    const [{ run: finding = '' } = {}] = await runs(linkctl);
    expect((await linkctl(['undo', repaired, '--yes'])).code).toBe(0);
    const stderr = expect.stringContaining(
      `run ${run} is already undone: run ${finding} found its links as they were before it, and changed nothing`,
    );
    expect(await linkctl(['undo', run, '--yes'])).toMatchObject({ code: 0, stderr });
  });

  test('U6: an undo that stopped is not resumed where a later one has finished its work', async ({
    linkctl,
    service,
    wire,
    folder,
  }) => {
    const { run } = await edited({ linkctl, service, folder });
    await stopped(['undo', run, ...singly], 'PATCH', { linkctl, wire });
    expect((await linkctl(['undo', run, '--force', '--yes'])).code).toBe(0);
    await foreign(service, 'PATCH', '/urls/h0', { note: 'after' });
    expect(await linkctl(['undo', run, ...singly])).toMatchObject(alreadyUndone);
    expect(await values(service)).toMatchObject({ h0: { note: 'after' }, h1: { note: 'before' } });
  });

  test('U6: an undo whose record is gone is no proof that links are restored', async ({ linkctl, service, wire, folder }) => {
    const { run, before } = await edited({ linkctl, service, folder });
    await stopped(['undo', run, ...singly], 'PATCH', { linkctl, wire });
    expect((await linkctl(['runs', 'forget', 'last', '--yes'])).code).toBe(0);
    expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
    expect(await values(service)).toEqual(before);
  });

  test('U1: a row of a redo that may still be applied is named, also where undo goes on with the rest: exit 10', async ({
    linkctl,
    service,
    wire,
    folder,
  }) => {
    const { run, before } = await edited({ linkctl, service, folder });
    await stopped(['undo', run, ...singly], 'PATCH', { linkctl, wire });
    await wire.script([
      { ...onPatch, ...faults.late('release') },
      { ...onPatch, ...faults.dropBefore, times: 'all' },
    ]);
    expect((await linkctl(['redo', run, '--yes', '--retries', '0'])).code).toBe(10);
    await wire.script([]);
    const undo = ['undo', run, '--yes'];
    expect(await linkctl(undo)).toMatchObject({ code: 10, stderr: expect.stringContaining('may still be applied') });
    expect(await values(service)).toEqual(before);
    await wire.release();
    expect(await values(service)).not.toEqual(before);
    expect((await linkctl(undo)).code).toBe(0);
    expect(await values(service)).toEqual(before);
  });

  test('U6: redo of an undo that was redone changes nothing, however often it is repeated', async ({
    linkctl,
    service,
    folder,
  }) => {
    const { run, after } = await edited({ linkctl, service, folder });
    expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
    const [{ run: undo = '' } = {}] = await runs(linkctl);
    expect((await linkctl(['redo', run, '--yes'])).code).toBe(0);
    for (const name of [undo, undo, run]) {
      const ran = await linkctl(['redo', name, '--yes']);
      expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('is not undone') });
      expect(await values(service)).toEqual(after);
    }
  });

  test('U2: with --force, too, a link that somebody made where undo has deleted one stays', async ({
    linkctl,
    service,
    folder,
  }) => {
    const file = join(folder, 'links.csv');
    writeFileSync(file, 'custom_hash,long_url\nn0,https://example.com/0\nn1,https://example.com/1\n');
    expect((await linkctl(['shorten', '-f', file])).code).toBe(0);
    const run = await newestFor('undo', linkctl);
    await foreign(service, 'PATCH', '/urls/n1', { note: 'theirs' });
    expect((await linkctl(['undo', run, '--yes'])).code).toBe(3);
    await store(service, [{ custom_hash: 'n0', long_url: 'https://theirs.example/' }]);
    expect((await linkctl(['undo', run, '--yes', '--force'])).code).toBe(0);
    expect(Object.keys(await values(service))).toEqual(['n0']);
  });

  test('U3: tags that were added, of which undo and redo kept some in between, are all deleted at last', async ({
    linkctl,
    service,
  }) => {
    const labels = async () => (await linkctl(['tags', '--fields', 'label'])).stdout;
    expect((await linkctl(['tags', 'add', 'q', 'w'])).code).toBe(0);
    const run = await newestFor('undo', linkctl);
    const [undo, redo] = [
      ['undo', run, '--yes'],
      ['redo', run, '--yes'],
    ];
    expect((await linkctl(undo)).code).toBe(0);
    expect((await linkctl(redo)).code).toBe(0);
    await store(service, [{ custom_hash: 'x', long_url: 'https://x.example/', tags: ['q'] }]);
    expect((await linkctl(undo)).code).toBe(3);
    await linkctl(redo);
    await foreign(service, 'DELETE', '/urls/x');
    await linkctl(undo);
    await linkctl(undo);
    expect(await labels()).toBe('');
    expect(await linkctl(undo)).toMatchObject(alreadyUndone);
  });

  test('U2, D12: on a server that shows hashes in upper case, a link that undo left out is restored later', async ({
    linkctl,
    service,
    wire,
    folder,
  }) => {
    await wire.behave({ hashes: 'shown in upper case' });
    const { run, before } = await edited({ linkctl, service, folder });
    const undo = ['undo', run, '--yes'];
    expect((await linkctl(undo)).code).toBe(0);
    expect((await linkctl(['redo', run, '--yes'])).code).toBe(0);
    await foreign(service, 'PATCH', '/urls/h1', { note: 'theirs' });
    expect((await linkctl(undo)).code).toBe(3);
    await foreign(service, 'PATCH', '/urls/h1', { note: 'after' });
    expect((await linkctl(undo)).code).toBe(0);
    expect(await values(service)).toEqual(before);
  });
});
