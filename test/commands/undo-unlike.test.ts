import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { faults } from '../support/faulty-steps.ts';
import type { Habits } from '../support/habits.ts';
import { type Linkctl, test } from '../support/linkctl.ts';
import { readBody, withText } from '../support/readings.ts';
import { numbered, store, stored } from '../support/stored-links.ts';
import { foreign, killed, newestFor, undoLast, values } from './undo-world.ts';

/** A server that cuts notes, so that a long one is never as requested. */
const cutting: Habits = {
  stored: (request) => {
    const { urls } = readBody(request.body) ?? {};
    if (!Array.isArray(urls)) return request;
    const cut = urls.map((item) => withText(item, 'note', (note) => note.slice(0, 8)));
    return { ...request, body: Buffer.from(JSON.stringify({ urls: cut })) };
  },
  shown: (answer) => answer,
  plain: (printed) => printed,
};
const onPatch = { only: { method: 'PATCH' } };
const note = 'a note that is cut';

describe.each(['a', 'b'] as const)('edition %s, and a server that cuts notes', (edition) => {
  test.override({ edition, habits: cutting });

  test('U2, U6: edits and renames that were stored otherwise than requested are undone, and the run says how', async ({
    linkctl,
    service,
    folder,
  }) => {
    await store(service, numbered(3, { note: 'before' }));
    const before = await values(service);
    const edited = await edit(linkctl, folder, '', ['custom_hash', 'long_url', 'note'], (nth) => [
      `r${nth}`,
      'https://new.example/',
      note,
    ]);
    expect(edited).toMatchObject({ code: 6, stderr: expect.stringContaining('to undo it: linkctl undo ') });
    expect(await undoLast(linkctl)).toMatchObject({ code: 0, stdout: 'h2\nh1\nh0\n' });
    expect(await values(service)).toEqual(before);
  });

  test('U2, U3: a rename and a later row about the link, both stored otherwise than requested, are undone and redone as one', async ({
    linkctl,
    service,
    folder,
  }) => {
    await store(service, numbered(1, { note: 'before' }));
    const file = join(folder, 'edits.csv');
    writeFileSync(file, 'hash,custom_hash,note\nh0,r0,the first note\nr0,,a second note\n');
    expect((await linkctl(['edit', '-f', file, '--yes'])).code).toBe(6);
    expect((await undoLast(linkctl)).code).toBe(0);
    expect(await stored(service)).toMatchObject([{ hash: 'h0', note: 'before' }]);
    expect((await linkctl(['redo', await newestFor('redo', linkctl), '--yes'])).code).toBe(0);
    expect(await stored(service)).toMatchObject([{ hash: 'r0', note: 'a second' }]);
  });

  test("U2: what another row asked for, and somebody changed since, is not taken for the run's", async ({
    linkctl,
    service,
    wire,
    folder,
  }) => {
    await store(service, numbered(1, { note: 'before' }));
    const file = join(folder, 'edits.csv');
    writeFileSync(file, 'hash,custom_hash,long_url,note\nh0,r0,https://new.example/,\nr0,,,a second note\n');
    const words = ['edit', '-f', file, '--yes'];
    await wire.script([onPatch, { ...onPatch, ...faults.refuse(1303) }]);
    expect((await linkctl(words)).code).toBe(7);
    await wire.script([]);
    await foreign(service, 'PATCH', '/urls/r0', { long_url: 'https://theirs.example/' });
    expect((await linkctl(words)).stderr).toContain('not applied: note');
    expect(await undoLast(linkctl)).toMatchObject({ code: 3, stderr: expect.stringContaining('changed since: long_url') });
    expect(await stored(service)).toMatchObject([{ hash: 'r0', long_url: 'https://theirs.example/' }]);
  });

  test('U2: a rename without an answer and a later row, both stored otherwise than requested, are undone as one', async ({
    linkctl,
    service,
    wire,
    env,
    folder,
  }) => {
    await store(service, numbered(1, { note: 'before' }));
    const file = join(folder, 'edits.csv');
    writeFileSync(file, 'hash,custom_hash,note\nh0,r0,the first note\nr0,,two\n');
    const words = ['edit', '-f', file, '--yes'];
    await killed(words, { ...onPatch, ...faults.silentAfter }, { wire, env });
    expect((await linkctl(words)).code).toBe(3);
    expect((await undoLast(linkctl)).code).toBe(0);
    expect(await stored(service)).toMatchObject([{ hash: 'h0', note: 'before' }]);
  });

  test('U2: such an edit that somebody changed since is named and left alone', async ({ linkctl, service, folder }) => {
    await store(service, numbered(2, { note: 'before' }));
    await edit(linkctl, folder, '', ['note'], () => [note], 2);
    await foreign(service, 'PATCH', '/urls/h0', { note: 'theirs' });
    const undone = await undoLast(linkctl);
    expect(undone).toMatchObject({ code: 3, stderr: expect.stringContaining('changed since: note (1): ') });
    expect((await stored(service)).map((link) => link.note).sort()).toEqual(['before', 'theirs']);
  });

  test.for([
    ['an edit', ['edit', '-f'], ['note'], () => [note]],
    ['an update', ['shorten', '--on-conflict', 'update', '-f'], ['long_url', 'note'], () => ['https://new.example/', note]],
  ] as const)(
    'U1, U2: the values of %s in doubt, which nobody else has set, take no place in what undo restores',
    async ([, words, columns, cells], { linkctl, service, wire, folder }) => {
      await store(service, numbered(3, { note: 'before' }));
      const before = await values(service);
      await wire.script([{ ...faults.dropAfter, ...onPatch, times: 'all' }]);
      expect((await edit(linkctl, folder, words, columns, cells)).code).toBe(10);
      await wire.script([]);
      expect((await edit(linkctl, folder, words, columns, cells)).stderr).toContain('not applied: note');
      expect((await undoLast(linkctl)).code).toBe(0);
      expect(await values(service)).toEqual(before);
    },
  );

  test('U1, U2: what somebody changed in a first doubt is restored, also if a second one shows a value of the run', async ({
    linkctl,
    service,
    wire,
    env,
    folder,
  }) => {
    await store(service, numbered(3, { note: 'before' }));
    const file = join(folder, 'edits.csv');
    writeFileSync(file, `hash,note\nh0,${note}\nh1,${note}\nh2,${note}\n`);
    const words = ['edit', '-f', file, '--yes'];
    await killed(words, { ...onPatch, ...faults.silentBefore }, { wire, env });
    await foreign(service, 'PATCH', '/urls/h1', { note: 'theirs' });
    await killed(words, { ...onPatch, ...faults.silentAfter }, { wire, env });
    expect((await linkctl(words)).stderr).toContain('not applied: note');
    expect((await undoLast(linkctl)).code).toBe(0);
    const notes = Object.entries(await values(service)).map(([hash, link]) => [hash, 'note' in link && link.note]);
    expect(Object.fromEntries(notes)).toEqual({ h0: 'before', h1: 'theirs', h2: 'before' });
  });
});

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  test('U1, U2: of a link whose tags somebody changed while an update was in doubt, undo restores the tags of both', async ({
    linkctl,
    service,
    wire,
    env,
    folder,
  }) => {
    await store(service, numbered(3, { tags: ['first', 'second'] }));
    const file = join(folder, 'links.csv');
    writeFileSync(file, ['custom_hash,long_url,tags', ...[0, 1, 2].map((nth) => `h${nth},https://new.example/,new`)].join('\n'));
    const words = ['shorten', '--on-conflict', 'update', '-f', file];
    await killed(words, { ...onPatch, ...faults.silentAfter }, { wire, env });
    await foreign(service, 'PATCH', '/urls/h1', { tags: ['+theirs'] });
    expect((await linkctl(words)).code).toBe(0);
    expect((await undoLast(linkctl)).code).toBe(0);
    const tags = Object.entries(await values(service)).map(([hash, link]) => [hash, 'tags' in link && link.tags]);
    expect(Object.fromEntries(tags)).toEqual({
      h0: ['first', 'second'],
      h1: ['first', 'second', 'theirs'],
      h2: ['first', 'second'],
    });
  });

  test('U5, U7: a typed link that was there before, and is not as requested, is no change of the run', async ({
    linkctl,
    service,
  }) => {
    await store(service, [{ custom_hash: 'mine', long_url: 'https://old.example/', note: 'kept' }]);
    expect((await linkctl(['edit', 'mine', '--note', 'second'])).code).toBe(0);
    const made = await linkctl(['shorten', 'https://old.example/', '--hash', 'mine', '--tag', 'new']);
    expect(made).toMatchObject({ code: 6, stderr: expect.stringContaining('not applied: ') });
    expect((await undoLast(linkctl, ['--force'])).code).toBe(0);
    expect(await stored(service)).toMatchObject([{ hash: 'mine', note: 'kept' }]);
  });

  test('U2, U5: an edit that the answer does not show may have been applied, so it can be undone', async ({
    linkctl,
    service,
    wire,
  }) => {
    await store(service, [{ custom_hash: 'x', long_url: 'https://old.example/', note: 'kept' }]);
    const [record] = await stored(service);
    await wire.script([{ ...onPatch, alter: { each: record ?? {} } }]);
    expect((await linkctl(['edit', 'x', '--note', 'second'])).stderr).toContain('not applied: note');
    await wire.script([]);
    expect(await stored(service)).toMatchObject([{ note: 'second' }]);
    expect((await undoLast(linkctl)).code).toBe(0);
    expect(await stored(service)).toMatchObject([{ note: 'kept' }]);
  });

  test('U1, U2: of rows about one link, undo restores what somebody changed while the second was in doubt', async ({
    linkctl,
    service,
    wire,
    env,
    folder,
  }) => {
    await store(service, numbered(2, { note: 'before' }));
    const file = join(folder, 'edits.csv');
    writeFileSync(file, 'hash,custom_hash,note\nh1,r1,one\nr1,,two\n');
    const words = ['edit', '-f', file, '--yes'];
    await killed(words, { ...onPatch, ...faults.silentBefore }, { wire, env }, [onPatch]);
    await foreign(service, 'PATCH', '/urls/r1', { note: 'theirs' });
    expect((await linkctl(words)).code).toBe(0);
    expect((await undoLast(linkctl)).code).toBe(0);
    expect(await stored(service)).toMatchObject([
      { hash: 'h0', note: 'before' },
      { hash: 'h1', note: 'theirs' },
    ]);
  });

  test('U2, U7: a typed hash that was free before is deleted again after a lost answer', async ({
    linkctl,
    service,
    wire,
    env,
  }) => {
    await killed(
      ['shorten', 'https://new.example/', '--hash', 'mine'],
      { only: { method: 'POST' }, ...faults.silentAfter },
      { wire, env },
    );
    expect(await stored(service)).toMatchObject([{ hash: 'mine' }]);
    expect((await undoLast(linkctl)).code).toBe(0);
    expect(await stored(service)).toEqual([]);
  });
});

/** Edits the links `h0`, `h1` and so on, as a file of these columns says. */
async function edit(
  linkctl: Linkctl,
  folder: string,
  words: readonly string[] | '',
  columns: readonly string[],
  cells: (nth: number) => readonly string[],
  count = 3,
) {
  const file = join(folder, 'edits.csv');
  const isNew = words !== '' && words[0] === 'shorten';
  const rows = Array.from({ length: count }, (_, nth) => [`h${nth}`, ...cells(nth)].join(','));
  writeFileSync(file, `${[isNew ? 'custom_hash' : 'hash', ...columns].join(',')}\n${rows.join('\n')}\n`);
  const argv = words === '' ? ['edit', '-f'] : words;
  return await linkctl([...argv, file, ...(isNew ? [] : ['--yes'])]);
}
