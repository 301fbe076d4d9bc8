import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { FaultyServer } from '../support/faulty-server.ts';
import { faults } from '../support/faulty-steps.ts';
import { type Linkctl, type Ran, test } from '../support/linkctl.ts';
import { numbered, store } from '../support/stored-links.ts';
import { foreign, newestFor, values } from './undo-world.ts';

const singly = ['--yes', '--batch-size', '1', '--concurrency', '1'];
const count = 4;

interface Kind {
  readonly name: string;
  readonly method: string;
  /** Makes the links that the run changes. */
  readonly isOfExisting: boolean;
  /** The request that undoes it. */
  readonly back: string;
  readonly words: readonly string[];
  readonly lines: readonly string[];
}

const each = (line: (nth: number) => string): string[] => Array.from({ length: count }, (_, nth) => line(nth));
const kinds: readonly Kind[] = [
  {
    name: 'an edit',
    method: 'PATCH',
    isOfExisting: true,
    back: 'PATCH',
    words: ['edit', '-f'],
    lines: ['hash,note', ...each((nth) => `h${nth},after`)],
  },
  {
    name: 'a deletion',
    method: 'DELETE',
    isOfExisting: true,
    back: 'POST',
    words: ['delete', '--hashes-from'],
    lines: each((nth) => `h${nth}`),
  },
  {
    name: 'a shortening',
    method: 'POST',
    isOfExisting: false,
    back: 'DELETE',
    words: ['shorten', '-f'],
    lines: ['custom_hash,long_url', ...each((nth) => `h${nth},https://example.com/${nth}`)],
  },
];

/** One link is changed, and the call for the next one is refused, which stops the run. The first call of a shortening is made twice. */
async function stopped(words: readonly string[], method: string, { linkctl, wire }: { linkctl: Linkctl; wire: FaultyServer }) {
  const times = words[0] === 'shorten' ? 2 : 1;
  await wire.script([
    { only: { method }, times },
    { only: { method }, ...faults.refuse(1301, 403) },
  ]);
  expect((await linkctl(words)).code).not.toBe(0);
  await wire.script([]);
}

function saysMore(ran: Ran, command: string, run: string): void {
  expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining(`linkctl ${command} ${run}`) });
  expect(ran.stderr).toContain(`run ${run} may have more to ${command}`);
}

/** Undo and redo of a run, of which one reached only some of the links. */
describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  function wordsOf({ words, lines }: Kind, folder: string): string[] {
    const file = join(folder, 'rows.csv');
    writeFileSync(file, `${lines.join('\n')}\n`);
    return [...words, file, ...singly];
  }

  test.for(kinds)(
    'U2, U3: $name whose undo stopped: after a redo, undo says that there is more, and then undoes it',
    async (kind, { linkctl, service, wire, folder }) => {
      if (kind.isOfExisting) await store(service, numbered(count, { note: 'before' }));
      const before = await values(service);
      expect((await linkctl(wordsOf(kind, folder))).code).toBe(0);
      const after = await values(service);
      const run = await newestFor('undo', linkctl);
      await stopped(['undo', run, ...singly], kind.back, { linkctl, wire });
      expect((await linkctl(['redo', run, '--yes'])).code).toBe(0);
      expect(await values(service)).toEqual(after);
      saysMore(await linkctl(['undo', run, '--yes']), 'undo', run);
      expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
      expect(await values(service)).toEqual(before);
      saysMore(await linkctl(['redo', run, '--yes']), 'redo', run);
      expect((await linkctl(['redo', run, '--yes'])).code).toBe(0);
      expect(await values(service)).toEqual(after);
    },
  );

  test.for(kinds)(
    'U2, U3: $name that was resumed after an undo and a redo: undo says that there is more, and then undoes it',
    async (kind, { linkctl, service, wire, folder }) => {
      if (kind.isOfExisting) await store(service, numbered(count, { note: 'before' }));
      const before = await values(service);
      const words = wordsOf(kind, folder);
      await stopped(words, kind.method, { linkctl, wire });
      const run = await newestFor('undo', linkctl);
      expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
      expect(await values(service)).toEqual(before);
      expect((await linkctl(['redo', run, '--yes'])).code).toBe(0);
      expect((await linkctl(words)).stderr).toContain('resuming');
      saysMore(await linkctl(['undo', run, '--yes']), 'undo', run);
      expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
      expect(await values(service)).toEqual(before);
    },
  );

  test('U2, U3: a link that undo or redo left because of somebody else is named again later', async ({
    linkctl,
    service,
    folder,
  }) => {
    const [kind] = kinds as [Kind];
    await store(service, numbered(count, { note: 'before' }));
    expect((await linkctl(wordsOf(kind, folder))).code).toBe(0);
    const run = await newestFor('undo', linkctl);
    await foreign(service, 'PATCH', '/urls/h1', { note: 'theirs' });
    const isLeft = { code: 3, stderr: expect.stringMatching(/changed since: note.*h1/) };
    expect((await linkctl(['undo', run, '--yes'])).code).toBe(3);
    expect((await linkctl(['redo', run, '--yes'])).code).toBe(0);
    saysMore(await linkctl(['undo', run, '--yes']), 'undo', run);
    expect(await linkctl(['undo', run, '--yes'])).toMatchObject(isLeft);
    expect(await values(service)).toMatchObject({ h0: { note: 'before' }, h1: { note: 'theirs' } });
  });
});
