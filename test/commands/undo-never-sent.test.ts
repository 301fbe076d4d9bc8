import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { faults, type Step } from '../support/faulty-steps.ts';
import { test } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';
import { foreign, killed, runs } from './undo-world.ts';

type Service = Parameters<typeof stored>[0];

async function notes(service: Service): Promise<string[]> {
  return (await stored(service)).map(({ hash, note }) => `${hash} ${note}`.trim()).sort();
}

function written(folder: string, text: string): string {
  const path = join(folder, 'rows.csv');
  writeFileSync(path, text);
  return path;
}

/** Three links of each kind of change. Somebody makes h1 theirs, so that what reverts the run leaves it alone. */
const kinds = {
  edit: {
    words: (folder: string) => ['edit', '-f', written(folder, 'hash,note\nh0,asked\nh1,asked\nh2,asked\n')],
    theirs: ['PATCH', '/urls/h1', { note: 'theirs' }],
    undoing: 'PATCH',
    done: ['h0 asked', 'h1 theirs', 'h2 asked'],
    undone: ['h0', 'h1 theirs', 'h2'],
  },
  delete: {
    words: (folder: string) => ['delete', '--hashes-from', written(folder, 'hash\nh0\nh1\nh2\n'), '--yes'],
    theirs: ['POST', '/urls', { custom_hash: 'h1', long_url: 'https://theirs.example/', note: 'theirs' }],
    undoing: 'POST',
    done: ['h1 theirs'],
    undone: ['h0', 'h1 theirs', 'h2'],
  },
  shorten: {
    words: (folder: string) => [
      'shorten',
      '-f',
      written(folder, 'hash,url\nh0,https://a.example\nh1,https://b.example\nh2,https://c.example\n'),
    ],
    theirs: ['PATCH', '/urls/h1', { note: 'theirs' }],
    undoing: 'DELETE',
    done: ['h0', 'h1 theirs', 'h2'],
    undone: ['h1 theirs'],
  },
} as const;

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  describe.each(['edit', 'delete', 'shorten'] as const)('a run of %s', (name) => {
    const { words, theirs, undoing, done, undone } = kinds[name];

    test('U2: an undo that left a link alone and was killed is redone, and undone again', async ({
      linkctl,
      service,
      wire,
      env,
      folder,
    }) => {
      if (name !== 'shorten') await store(service, numbered(3));
      expect((await linkctl(words(folder))).code).toBe(0);
      const [{ run = '' } = {}] = await runs(linkctl);
      const [method, path, fields] = theirs;
      await foreign(service, method, path, fields);
      await killed(['undo', run, '--yes'], { only: { method: undoing }, ...faults.silentAfter }, { wire, env });
      await expect.poll(() => notes(service)).toEqual(undone);
      expect(await linkctl(['redo', run, '--yes'])).toMatchObject({ code: 0 });
      expect(await notes(service)).toEqual(done);
      expect(await linkctl(['undo', run, '--yes'])).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('there is more of run'),
      });
      expect(await notes(service)).toEqual(undone);
    });
  });

  test('U2: a redo that left a link alone and was killed is undone', async ({ linkctl, service, wire, env, folder }) => {
    await store(service, numbered(3));
    expect((await linkctl(kinds.delete.words(folder))).code).toBe(0);
    const [{ run = '' } = {}] = await runs(linkctl);
    expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
    await foreign(service, 'PATCH', '/urls/h1', { note: 'theirs' });
    await killed(['redo', run, '--yes'], { only: { method: 'DELETE' }, ...faults.silentAfter }, { wire, env });
    await expect.poll(() => notes(service)).toEqual(['h1 theirs']);
    expect(await linkctl(['undo', run, '--yes'])).toMatchObject({ code: 0 });
    expect(await notes(service)).toEqual(['h0', 'h1 theirs', 'h2']);
  });

  test('U2: after an undo that was killed and one by force, redo comes to an end where all is redone', async ({
    linkctl,
    service,
    wire,
    env,
    folder,
  }) => {
    await store(service, numbered(3));
    expect((await linkctl(kinds.edit.words(folder))).code).toBe(0);
    const [{ run = '' } = {}] = await runs(linkctl);
    await foreign(service, 'PATCH', '/urls/h1', { note: 'theirs' });
    await killed(['undo', run, '--yes'], { only: { method: 'PATCH' }, ...faults.silentAfter }, { wire, env });
    expect((await linkctl(['undo', run, '--yes', '--force'])).code).toBe(0);
    const redo = ['redo', run, '--yes'];
    expect(await linkctl(redo)).toMatchObject({ code: 3, stderr: expect.stringContaining('there is more of run') });
    expect((await linkctl(redo)).code).toBe(0);
    expect(await notes(service)).toEqual(['h0 asked', 'h1 theirs', 'h2 asked']);
    expect(await linkctl(redo)).toMatchObject({ code: 0, stderr: expect.stringContaining('is not undone') });
  });
});

describe('a row that a reading answered, in a run that was killed', () => {
  test.for([
    ['an edit of a missing link', 'PATCH', 'hash,note\nh0,asked\ngone,asked\nh1,asked\n', ['edit', '-f']],
    ['an edit of a link that was as requested', 'PATCH', 'hash,note\nh0,asked\nh1,asked\nh2,before\n', ['edit', '-f']],
    ['a deletion of a missing link', 'DELETE', 'hash\nh0\ngone\nh1\n', ['delete', '--yes', '--hashes-from']],
  ] as const)(
    'U1, U2, E16: undo does not wait for %s',
    async ([, method, rows, words], { linkctl, service, wire, env, folder }) => {
      await store(service, numbered(3, { note: 'before' }));
      const before = await notes(service);
      await killed([...words, written(folder, rows)], { only: { method }, ...faults.silentAfter }, { wire, env });
      await expect.poll(() => notes(service)).not.toEqual(before);
      const [{ run = '' } = {}] = await runs(linkctl);
      expect(await linkctl(['undo', run, '--yes'])).toMatchObject({ code: 0 });
      expect(await notes(service)).toEqual(before);
      expect(await linkctl(['undo', run, '--yes'])).toMatchObject({ code: 0, stderr: expect.stringContaining('already undone') });
    },
  );
});

/** A deletion of four links, whose undo was killed twice: one of its links was not made again, because somebody had its hash meanwhile. */
const withTaken = test.extend<{ run: string; lost: Step; undo: string[]; taken: string }>({
  run: async ({ service, folder, linkctl }, use) => {
    await store(service, numbered(4));
    const file = written(folder, 'hash\nh0\nh1\nh2\nh3\n');
    expect((await linkctl(['delete', '--yes', '--hashes-from', file])).code).toBe(0);
    await use((await runs(linkctl))[0]?.run ?? '');
  },
  undo: async ({ run }, use) => await use(['undo', run, '--yes', '--batch-size', '2', '--concurrency', '1']),
  lost: { only: { method: 'POST' }, ...faults.silentAfter },
  taken: async ({ service, wire, env, undo, lost }, use) => {
    await killed(undo, lost, { wire, env });
    await expect.poll(() => notes(service)).toHaveLength(2);
    const taken = (await notes(service)).includes('h0') ? 'h3' : 'h0';
    await foreign(service, 'POST', '/urls', { custom_hash: taken, long_url: 'https://theirs.example/', note: 'theirs' });
    await killed(undo, lost, { wire, env }, [{ only: { method: 'POST' } }]);
    await expect.poll(() => notes(service)).toHaveLength(4);
    await use(taken);
  },
});

describe('a link that an undo did not make again, as its hash was taken', () => {
  withTaken('U2, E16: redo does not wait for it', async ({ linkctl, service, run, taken }) => {
    expect(await linkctl(['redo', run, '--yes'])).toMatchObject({ code: 0 });
    expect(await notes(service)).toEqual([`${taken} theirs`]);
  });

  withTaken(
    'U2, E16: redo does, if it was sent again after its hash became free',
    async ({ linkctl, service, wire, env, run, undo, lost, taken }) => {
      await foreign(service, 'DELETE', `/urls/${taken}`);
      await killed(undo, lost, { wire, env });
      await expect.poll(() => notes(service)).toHaveLength(4);
      expect(await linkctl(['redo', run, '--yes'])).toMatchObject({ code: 10 });
      expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
      expect((await linkctl(['redo', run, '--yes'])).code).toBe(0);
      expect(await notes(service)).toEqual([]);
    },
  );
});
