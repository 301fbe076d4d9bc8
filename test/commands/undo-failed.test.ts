import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { startProgram } from '../support/built-program.ts';
import { faults } from '../support/faulty-steps.ts';
import { arrived, test } from '../support/linkctl.ts';
import { numbered, store } from '../support/stored-links.ts';
import { foreign, runs, undoLast, values } from './undo-world.ts';

const onDelete = { only: { method: 'DELETE' } };
const onPatch = { only: { method: 'PATCH' } };

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  describe('U2: undo leaves alone what the run reported as failed', () => {
    test.for([
      ['named in a file', (file: string) => ['--hashes-from', file]],
      ['typed', () => ['h0', 'h1', 'h2']],
    ] as const)(
      'links %s of which somebody deletes one right before they are deleted',
      async ([, wordsOf], { linkctl, service, wire, folder }) => {
        await store(service, numbered(3));
        const file = join(folder, 'hashes.txt');
        writeFileSync(file, 'h0\nh1\nh2\n');
        // Answered before the other deletion, and read after it.
        await wire.script([{ only: { method: 'GET', path: 'hashes=' }, held: true }]);
        const deleting = linkctl(['delete', ...wordsOf(file), '--yes']);
        await wire.held();
        await foreign(service, 'DELETE', '/urls/h1');
        await wire.release();
        expect(await deleting).toMatchObject({ code: 3, stderr: expect.stringContaining('1306') });
        expect(await undoLast(linkctl)).toMatchObject({ code: 0, stdout: 'h2\nh0\n' });
        expect(Object.keys(await values(service)).sort()).toEqual(['h0', 'h2']);
      },
    );

    test.for(['not sent', 'in doubt'] as const)(
      'a link that had changed since it was listed, where its deletion was %s, and that somebody deletes later',
      async (state, { linkctl, service, wire, env }) => {
        await store(service, numbered(2, { tags: ['promo'] }));
        await wire.script([{ ...onDelete, ...faults.silentBefore }]);
        const words = ['delete', '--by-tags', 'promo', '--yes', '--max-affected', '9', '--batch-size', '1', '--concurrency', '1'];
        const { process: child, ended } = startProgram(words, env);
        await arrived(wire, 1, 'DELETE');
        child.kill('SIGKILL');
        await ended;
        const [first] = (await wire.requests()).filter(({ method }) => method === 'DELETE');
        const doubtful = first?.url.includes('h0') ? 'h0' : 'h1';
        const changed = (state === 'in doubt') === (doubtful === 'h0') ? 'h0' : 'h1';
        await wire.script([]);
        await foreign(service, 'PATCH', `/urls/${changed}`, { note: 'since' });
        expect(await linkctl(words)).toMatchObject({
          code: 3,
          stderr: expect.stringContaining('changed since it was listed: note'),
        });
        await foreign(service, 'DELETE', `/urls/${changed}`);
        const undone = await undoLast(linkctl);
        // In doubt, it may have been the run after all.
        expect([undone.code, undone.stderr.includes('gone since')]).toEqual(state === 'in doubt' ? [3, true] : [0, false]);
        expect(Object.keys(await values(service))).toEqual([changed === 'h0' ? 'h1' : 'h0']);
      },
    );

    test('a row that the server refused, and that was changed by another run of the file of failed rows', async ({
      linkctl,
      service,
      wire,
      folder,
    }) => {
      await store(service, numbered(2));
      const [edits, failed] = [join(folder, 'edits.csv'), join(folder, 'failed.csv')];
      writeFileSync(edits, 'hash,long_url\nh0,https://new.example/0\nh1,https://new.example/1\n');
      const urls = [
        { hash: 'h0', long_url: 'https://new.example/0' },
        { hash: 'h1', error: { code: 1206, message: 'URL you tried to shorten was invalid' } },
      ];
      await wire.script([{ ...onPatch, apply: { first: 1 }, answer: { body: { error: { code: 0, message: '' }, urls } } }]);
      const edited = await linkctl(['edit', '-f', edits, '--failed', failed]);
      expect(edited).toMatchObject({ code: 3, stderr: expect.stringContaining('1 changed, 1 failed') });
      const [{ run = '' } = {}] = await runs(linkctl);
      expect((await linkctl(['edit', '-f', failed])).code).toBe(0);
      expect(await linkctl(['undo', run, '--yes'])).toMatchObject({ code: 0, stdout: 'h0\n' });
      const [before] = numbered(1);
      expect(await values(service)).toMatchObject({
        h0: { long_url: before?.long_url },
        h1: { long_url: 'https://new.example/1' },
      });
    });

    test('but not an edit in doubt of which a part was applied, and the rest changed by somebody else', async ({
      linkctl,
      service,
      wire,
      env,
    }) => {
      await store(service, numbered(1, { tags: ['promo'] }));
      await wire.script([{ ...onPatch, ...faults.silentAfter }]);
      const words = [
        'edit',
        '--by-tags',
        'promo',
        '--url',
        'https://new.example/',
        '--note',
        'n',
        '--yes',
        '--max-affected',
        '9',
      ];
      const { process: child, ended } = startProgram(words, env);
      await arrived(wire, 1, 'PATCH');
      child.kill('SIGKILL');
      await ended;
      await wire.script([]);
      await foreign(service, 'PATCH', '/urls/h0', { note: 'since' });
      expect(await linkctl(words)).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('changed since it was listed: note'),
      });
      const [{ run = '' } = {}] = await runs(linkctl);
      const undone = await linkctl(['undo', run, '--yes']);
      expect(undone).toMatchObject({ code: 3, stderr: expect.stringContaining('changed since: note (1): ') });
    });
  });
});
