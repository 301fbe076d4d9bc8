import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { faults } from '../support/faulty-steps.ts';
import { arrived, test } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';
import { foreign, killed, newestFor, undoLast } from './undo-world.ts';

const onPatch = { only: { method: 'PATCH' } };

/** What somebody else did while a run was interrupted, between its rows, or while its undo was asked about. */
/** Deletes h0 and h1. */
function deletionOf(folder: string): string[] {
  const file = join(folder, 'hashes.csv');
  writeFileSync(file, 'hash\nh0\nh1\n');
  return ['delete', '--hashes-from', file, '--yes'];
}

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  /** The words of an `edit` with a file of these lines. */
  function editOf(folder: string, ...lines: readonly string[]): string[] {
    const file = join(folder, 'edits.csv');
    writeFileSync(file, `${lines.join('\n')}\n`);
    return ['edit', '-f', file, '--yes'];
  }

  test('U1, U2: what somebody else set after a rename without an answer is restored', async ({
    linkctl,
    service,
    wire,
    env,
    folder,
  }) => {
    await store(service, numbered(1, { note: 'before' }));
    const words = editOf(folder, 'hash,custom_hash,note', 'h0,r0,asked');
    await killed(words, { ...onPatch, ...faults.silentAfter }, { wire, env });
    await foreign(service, 'PATCH', '/urls/r0', { note: 'theirs' });
    // The rename is done, so the rest is sent to the new hash.
    expect((await linkctl(words)).code).toBe(0);
    expect(await stored(service)).toMatchObject([{ hash: 'r0', note: 'asked' }]);
    expect((await undoLast(linkctl)).code).toBe(0);
    expect(await stored(service)).toMatchObject([{ hash: 'h0', note: 'theirs' }]);
  });

  test('U2: an undo of a rename that is run again does not overwrite what somebody else has set since', async ({
    linkctl,
    service,
    wire,
    env,
    folder,
  }) => {
    await store(service, numbered(1, { note: 'before' }));
    expect((await linkctl(editOf(folder, 'hash,custom_hash,note', 'h0,r0,asked'))).code).toBe(0);
    const undo = ['undo', await newestFor('undo', linkctl), '--yes'];
    await killed(undo, { ...onPatch, ...faults.silentBefore }, { wire, env });
    await foreign(service, 'PATCH', '/urls/r0', { note: 'theirs' });
    expect(await linkctl(undo)).toMatchObject({ code: 3, stderr: expect.stringContaining('changed since it was listed: note') });
    expect(await stored(service)).toMatchObject([{ hash: 'r0', note: 'theirs' }]);
  });

  test.for([
    ['a note', 'hash,custom_hash,note', ['h0,r0,one', 'r0,,two'], { note: 'theirs' }, { note: 'theirs', tags: ['x'] }],
    ['tags', 'hash,custom_hash,tags', ['h0,r0,', 'r0,,"-x,-y"'], { tags: ['+y'] }, { note: 'before', tags: ['x', 'y'] }],
  ] as const)(
    'U1, U2: undo restores %s that somebody set between two rows about one link',
    async ([, columns, rows, theirs, restored], { linkctl, service, wire, folder }) => {
      await store(service, numbered(1, { note: 'before', tags: ['x'] }));
      const words = editOf(folder, columns, ...rows);
      await wire.script([onPatch, { ...onPatch, ...faults.refuse(1303) }]);
      expect((await linkctl(words)).code).toBe(7);
      await wire.script([]);
      await foreign(service, 'PATCH', '/urls/r0', theirs as object);
      expect((await linkctl(words)).code).toBe(0);
      expect((await undoLast(linkctl)).code).toBe(0);
      expect(await stored(service)).toMatchObject([{ hash: 'h0', ...restored }]);
    },
  );

  test.for([
    [[], '-y', ['+y'], ['y']],
    [['y'], '+y', ['-y'], []],
  ] as const)(
    'U1, U2: with tags %j, "%s" in doubt and %j by somebody else, undo restores %j',
    async ([before, asked, theirs, restored], { linkctl, service, wire, env, folder }) => {
      await store(service, numbered(1, { tags: [...before] }));
      const words = editOf(folder, 'hash,note,tags', `h0,asked,${asked}`);
      await killed(words, { ...onPatch, ...faults.silentBefore }, { wire, env });
      await foreign(service, 'PATCH', '/urls/h0', { tags: [...theirs] });
      expect((await linkctl(words)).code).toBe(0);
      expect((await undoLast(linkctl)).code).toBe(0);
      expect(await stored(service)).toMatchObject([{ hash: 'h0', tags: restored }]);
    },
  );

  test('U2: of two rows about one link, the second in doubt and not applied, undo takes back the first', async ({
    linkctl,
    service,
    wire,
    env,
    folder,
  }) => {
    await store(service, numbered(1, { note: 'before' }));
    const words = editOf(folder, 'hash,custom_hash,note', 'h0,r0,one', 'r0,,two');
    await killed(words, { ...onPatch, ...faults.silentBefore }, { wire, env }, [onPatch]);
    expect((await undoLast(linkctl)).code).toBe(0);
    expect(await stored(service)).toMatchObject([{ hash: 'h0', note: 'before' }]);
  });

  test.for([
    ['+q', '-q'],
    ['-x', '+x'],
  ] as const)(
    'U2: of "%s" and then "%s" about one link, the second in doubt and not applied, undo takes back the first',
    async ([first, second], { linkctl, service, wire, env, folder }) => {
      await store(service, numbered(1, { tags: ['x'] }));
      const words = editOf(folder, 'hash,custom_hash,tags', `h0,r0,${first}`, `r0,,${second}`);
      await killed(words, { ...onPatch, ...faults.silentBefore }, { wire, env }, [onPatch]);
      expect((await undoLast(linkctl)).code).toBe(0);
      expect(await stored(service)).toMatchObject([{ hash: 'h0', tags: ['x'] }]);
    },
  );

  test('U1: undo of a rename in doubt that shows does not wait for it', async ({ linkctl, service, wire, env, folder }) => {
    await store(service, numbered(1));
    await killed(editOf(folder, 'hash,custom_hash', 'h0,r0'), { ...onPatch, ...faults.silentAfter }, { wire, env });
    await foreign(service, 'POST', '/urls', { custom_hash: 'h0', long_url: 'https://theirs.example/' });
    expect(await undoLast(linkctl)).toMatchObject({ code: 3, stderr: expect.stringContaining('the hash h0 is taken') });
  });

  test('U1: undo of an edit in doubt whose link was deleted does not wait for it', async ({
    linkctl,
    service,
    wire,
    env,
    folder,
  }) => {
    await store(service, numbered(1));
    await killed(editOf(folder, 'hash,note', 'h0,asked'), { ...onPatch, ...faults.silentBefore }, { wire, env });
    await foreign(service, 'DELETE', '/urls/h0');
    expect((await undoLast(linkctl)).code).toBe(3);
  });

  test.for([
    ['an edit', 'PATCH', (folder: string) => editOf(folder, 'hash,note', 'h0,asked')],
    ['a deletion', 'DELETE', () => ['delete', 'h0', '--yes']],
  ] as const)(
    'U1: undo says 10 while %s may still come, also if somebody changed its link',
    async ([, method, words], { linkctl, service, wire, env, folder }) => {
      await store(service, numbered(1, { note: 'before' }));
      await killed(words(folder), { only: { method }, ...faults.silentBefore }, { wire, env });
      await foreign(service, 'PATCH', '/urls/h0', { note: 'theirs' });
      expect(await undoLast(linkctl)).toMatchObject({
        code: 10,
        stderr: expect.stringMatching(/changed since: note[\s\S]*may still be applied/),
      });
      expect(await stored(service)).toMatchObject([{ hash: 'h0', note: 'theirs' }]);
    },
  );

  test('U1: a resumed undo that is refused for every link says 10 while a row of the run may still come', async ({
    linkctl,
    service,
    wire,
    env,
    folder,
  }) => {
    await store(service, numbered(2, { note: 'before' }));
    const words = [...editOf(folder, 'hash,note', 'h0,asked', 'h1,asked'), '--batch-size', '1', '--concurrency', '1'];
    await killed(words, { ...onPatch, ...faults.silentBefore }, { wire, env }, [onPatch]);
    const undo = ['undo', await newestFor('undo', linkctl), '--yes'];
    await killed(undo, { ...onPatch, ...faults.silentBefore }, { wire, env });
    await foreign(service, 'PATCH', '/urls/h0', { note: 'theirs' });
    expect(await linkctl(undo)).toMatchObject({
      code: 10,
      stderr: expect.stringMatching(/changed since it was listed: note[\s\S]*may still be applied/),
    });
    expect(await stored(service)).toMatchObject([{ note: 'theirs' }, { note: 'before' }]);
  });

  test.for([
    ['h0', 'hash,long_url,note', 'h0,https://asked.example/,asked'],
    ['r0', 'hash,custom_hash,note', 'h0,r0,asked'],
  ] as const)(
    'U2, U3: a redo without an answer whose link %s somebody changed is undone, not called undone',
    async ([hash, ...lines], { linkctl, service, wire, folder }) => {
      await store(service, numbered(1, { note: 'before' }));
      expect((await linkctl(editOf(folder, ...lines))).code).toBe(0);
      const run = await newestFor('undo', linkctl);
      expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
      await wire.script([{ ...onPatch, ...faults.dropAfter, held: true }]);
      const redone = linkctl(['redo', run, '--yes', '--retries', '0']);
      await arrived(wire, 3, 'PATCH');
      await foreign(service, 'PATCH', `/urls/${hash}`, { note: 'theirs' });
      await wire.release();
      expect((await redone).code).toBe(3);
      const undo = ['undo', run, '--yes'];
      expect(await linkctl(undo)).toMatchObject({ code: 3, stderr: expect.stringContaining('changed since: note') });
      expect((await linkctl([...undo, '--force'])).code).toBe(0);
      expect(await stored(service)).toMatchObject([{ hash: 'h0', note: 'before' }]);
    },
  );

  test('U2: a deletion that is applied late is named by undo, and --force restores what somebody set meanwhile', async ({
    linkctl,
    service,
    wire,
    env,
  }) => {
    await store(service, numbered(1, { note: 'before' }));
    const words = ['delete', 'h0', '--yes'];
    await killed(words, { only: { method: 'DELETE' }, ...faults.silentBefore }, { wire, env });
    await foreign(service, 'PATCH', '/urls/h0', { note: 'theirs' });
    expect(await linkctl(words)).toMatchObject({ code: 6, stderr: expect.stringContaining('changed since it was listed: note') });
    const run = await newestFor('undo', linkctl);
    await foreign(service, 'DELETE', '/urls/h0');
    const undo = ['undo', run, '--yes'];
    expect(await linkctl(undo)).toMatchObject({ code: 3, stderr: expect.stringContaining('gone since') });
    expect((await linkctl([...undo, '--force'])).code).toBe(0);
    expect(await stored(service)).toMatchObject([{ hash: 'h0', note: 'theirs' }]);
  });

  test.for([
    ['lost', ['y'], ['h0,r1,-y', 'r1,r0,+y', 'r0,,"+y,+x"']],
    ['left', [], ['h0,r1,+y', 'r1,r0,-y', 'r0,,"-y"']],
  ] as const)(
    'U2: no tag is %s by an undo of several rows that name it',
    async ([, tags, rows], { linkctl, service, folder }) => {
      await store(service, numbered(1, { tags: [...tags] }));
      expect((await linkctl(editOf(folder, 'hash,custom_hash,tags', ...rows))).code).toBe(0);
      expect((await undoLast(linkctl)).code).toBe(0);
      expect(await stored(service)).toMatchObject([{ hash: 'h0', tags }]);
    },
  );

  test('U2: an undo with --force takes no link of a swap for another one that is gone', async ({ linkctl, service, folder }) => {
    await store(service, [
      { custom_hash: 'a', long_url: 'https://example.com/a', note: 'first' },
      { custom_hash: 'b', long_url: 'https://example.com/b', note: 'second' },
    ]);
    expect((await linkctl(editOf(folder, 'hash,custom_hash,note', 'a,t,one', 'b,a,two', 't,b,three'))).code).toBe(0);
    const run = await newestFor('undo', linkctl);
    await foreign(service, 'DELETE', '/urls/b');
    for (const flags of [[], [], ['--force']]) {
      const ran = await linkctl(['undo', run, '--yes', ...flags]);
      expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining('deleted or renamed since') });
    }
    expect(await stored(service)).toMatchObject([{ hash: 'b', long_url: 'https://example.com/b', note: 'second' }]);
  });

  test('U1: an undo of deletions in doubt that is repeated counts those that it restored before', async ({
    linkctl,
    service,
    wire,
    env,
    folder,
  }) => {
    await store(service, numbered(2));
    await killed(deletionOf(folder), { only: { method: 'DELETE' }, ...faults.silentAfter }, { wire, env });
    const undo = ['undo', await newestFor('undo', linkctl), '--yes', '--force'];
    expect((await linkctl(undo)).code).toBe(0);
    expect((await linkctl(undo)).code).toBe(0);
    expect((await stored(service)).length).toBe(2);
  });

  test('U2: a deleted link whose hash somebody took before its deletion was resumed is named, and not called unchanged', async ({
    linkctl,
    service,
    wire,
    env,
    folder,
  }) => {
    await store(service, numbered(2));
    const words = deletionOf(folder);
    await killed(words, { only: { method: 'DELETE' }, ...faults.silentAfter }, { wire, env });
    await store(service, [{ custom_hash: 'h0', long_url: 'https://theirs.example/' }]);
    expect(await linkctl(words)).toMatchObject({ code: 3, stderr: expect.stringContaining('changed since') });
    const undone = await undoLast(linkctl);
    expect(undone).toMatchObject({ code: 3, stderr: expect.stringContaining('changed since: long_url (1)') });
    expect((await stored(service)).map(({ hash, long_url }) => `${hash} ${long_url}`).sort()).toEqual([
      'h0 https://theirs.example/',
      'h1 https://example.com/1',
    ]);
  });

  test('U1: a run that was resumed after its undo was planned is not undone by the old plan', async ({
    linkctl,
    service,
    wire,
    env,
    folder,
  }) => {
    await store(service, numbered(3, { note: 'before' }));
    const words = [...editOf(folder, 'hash,note', 'h0,asked', 'h1,asked', 'h2,asked'), '--batch-size', '1', '--concurrency', '1'];
    await killed(words, { ...onPatch, ...faults.silentAfter }, { wire, env }, [onPatch]);
    const undo = ['undo', await newestFor('undo', linkctl), '--yes'];
    const before = (await wire.requests()).length;
    await wire.script([{ only: { method: 'GET', path: 'hashes=' }, held: true }]);
    const planned = linkctl(undo);
    await arrived(wire, before + 1);
    expect((await linkctl(words)).code).toBe(0);
    await wire.release();
    expect(await planned).toMatchObject({ code: 9, stderr: expect.stringContaining('another process has started or finished') });
    expect((await linkctl(undo)).code).toBe(0);
    expect((await stored(service)).map(({ note }) => note)).toEqual(['before', 'before', 'before']);
  });
});
