import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { faults } from '../support/faulty-steps.ts';
import { test } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';
import { foreign, killed, newestFor } from './undo-world.ts';

const onPatch = { only: { method: 'PATCH' } };
const elsewhere = { long_url: 'https://theirs.example/' };
const changed = 'h0: changed since it was listed: long_url';
const missing = 'no short URL "h0" [API 1306]';

/** Renames whose command was killed, and whose link somebody else has changed or deleted since: the same command settles them. */
describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  /** The words of an edit that renames two links. */
  function renaming(folder: string): string[] {
    const file = join(folder, 'renames.csv');
    writeFileSync(file, 'hash,custom_hash\nh0,r0\nh1,r1\n');
    return ['edit', '-f', file, '--yes'];
  }

  test.for([
    ['changed', 'silentAfter', 'PATCH', 'r0', changed],
    ['deleted', 'silentAfter', 'DELETE', 'r0', missing],
    ['changed before it was renamed', 'silentBefore', 'PATCH', 'h0', changed],
    ['deleted before it was renamed', 'silentBefore', 'DELETE', 'h0', missing],
  ] as const)(
    'D6, U1: a rename in doubt whose link somebody has %s fails when its command is repeated, and is not in doubt',
    async ([, fault, method, hash, reason], { linkctl, service, wire, env, folder }) => {
      await store(service, numbered(2));
      const words = renaming(folder);
      await killed(words, { ...onPatch, ...faults[fault] }, { wire, env });
      await foreign(service, method, `/urls/${hash}`, method === 'PATCH' ? elsewhere : undefined);
      expect(await linkctl(words)).toMatchObject({ code: 3, stderr: expect.stringContaining(`: ${reason}\n`) });
      const left = await stored(service);
      expect(left).toMatchObject([...(method === 'PATCH' ? [{ hash, ...elsewhere }] : []), { hash: 'r1' }]);
      const undo = ['undo', await newestFor('undo', linkctl), '--yes'];
      expect((await linkctl(undo)).code).not.toBe(10);
      expect(await stored(service)).toMatchObject([...left.slice(0, -1).map(({ short_url }) => ({ short_url })), { hash: 'h1' }]);
    },
  );

  test('D6, U2: an undo of renames whose link somebody has changed since is settled, and the next one goes further back', async ({
    linkctl,
    service,
    wire,
    env,
    folder,
  }) => {
    await store(service, numbered(3));
    expect((await linkctl(['edit', 'h2', '--note', 'first'])).code).toBe(0);
    const earlier = await newestFor('undo', linkctl);
    expect((await linkctl(renaming(folder))).code).toBe(0);
    const undo = ['undo', await newestFor('undo', linkctl), '--yes'];
    await killed(undo, { ...onPatch, ...faults.silentAfter }, { wire, env });
    await foreign(service, 'PATCH', '/urls/h0', elsewhere);
    expect(await linkctl(undo)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('r0: changed since it was listed: long_url\n'),
    });
    const left = await stored(service);
    expect(await newestFor('undo', linkctl)).toBe(earlier);
    expect(await linkctl(undo)).toMatchObject({ code: 3, stderr: expect.stringContaining('h0: changed since: long_url\n') });
    expect((await linkctl([...undo, '--force'])).code).toBe(0);
    expect(await stored(service)).toEqual(left);
    expect(left).toMatchObject([{ hash: 'h0', ...elsewhere }, { hash: 'h1' }, { hash: 'h2', note: 'first' }]);
  });
});
