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

  describe('D5, U2: a call for several links is refused because of one hash, and nobody knows what it did to the others', () => {
    const refused = { answer: faults.refuse(1306).answer };
    const refusals = [
      ['the first ones', { apply: { first: 2 }, ...refused }],
      ['all', refused],
      ['none', { apply: false, ...refused }],
    ] as const;

    test.for(refusals)(
      '%s were deleted: all are reported as deleted, and undo makes them again',
      async ([, refusal], { linkctl, service, wire, folder }) => {
        await store(service, numbered(3));
        const before = await values(service);
        const file = join(folder, 'hashes.txt');
        writeFileSync(file, 'h0\nh1\nh2\n');
        await wire.script([{ ...onDelete, ...refusal }]);
        const deleted = await linkctl(['delete', '--hashes-from', file, '--yes']);
        expect(deleted).toMatchObject({ code: 0, stdout: 'h0\nh1\nh2\n', stderr: expect.stringContaining('3 rows: 3 deleted') });
        expect(await values(service)).toEqual({});
        expect(await runs(linkctl)).toMatchObject([{ undo: 'yes' }]);
        expect((await undoLast(linkctl)).code).toBe(0);
        expect(await values(service)).toEqual(before);
      },
    );

    test.for(refusals)('%s of those that apply prunes were deleted', async ([, refusal], { linkctl, service, wire, folder }) => {
      await store(service, numbered(3, { tags: ['pr'] }));
      const before = await values(service);
      const file = join(folder, 'pr.csv');
      writeFileSync(file, 'hash,long_url,tags\nnew,https://new.example/,pr\n');
      await wire.script([{ ...onDelete, ...refusal }]);
      const applied = await linkctl(['apply', '-f', file, '--prune', 'pr', '--yes']);
      expect(applied).toMatchObject({ code: 0, stderr: expect.stringContaining('3 deleted') });
      expect(Object.keys(await values(service))).toEqual(['new']);
      expect((await undoLast(linkctl)).code).toBe(0);
      expect(await values(service)).toEqual(before);
    });

    test.for(refusals)('%s were edited: undo restores what they were before', async ([, refusal], { linkctl, service, wire }) => {
      await store(service, numbered(3, { note: 'old' }));
      const before = await values(service);
      await wire.script([{ ...onPatch, ...refusal }]);
      const edited = await linkctl(['edit', 'h0', 'h1', 'h2', '--note', 'new', '--json']);
      expect(JSON.parse(edited.stdout)).toMatchObject({ summary: { rows: 3, changed: 3 } });
      expect((await undoLast(linkctl)).code).toBe(0);
      expect(await values(service)).toEqual(before);
    });

    test.for([
      ['named in a file', (file: string) => ['--hashes-from', file]],
      ['typed', () => ['h0', 'h1', 'h2']],
    ] as const)(
      'links %s of which somebody deletes one right before',
      async ([, wordsOf], { linkctl, service, wire, folder }) => {
        await store(service, numbered(3));
        const before = await values(service);
        const file = join(folder, 'hashes.txt');
        writeFileSync(file, 'h0\nh1\nh2\n');
        // Answered before the other deletion, and read after it.
        await wire.script([{ only: { method: 'GET', path: 'hashes=' }, held: true }]);
        const deleting = linkctl(['delete', ...wordsOf(file), '--yes']);
        await wire.held();
        await foreign(service, 'DELETE', '/urls/h1');
        await wire.release();
        expect(await deleting).toMatchObject({ code: 0, stdout: 'h0\nh1\nh2\n' });
        expect((await undoLast(linkctl)).code).toBe(0);
        expect(await values(service)).toEqual(before);
      },
    );

    test('an edit of a link that somebody deletes right before fails, and undo leaves it alone', async ({
      linkctl,
      service,
      wire,
    }) => {
      await store(service, numbered(3, { note: 'old' }));
      await wire.script([{ ...onPatch, apply: { first: 1 }, ...refused, held: true }]);
      const editing = linkctl(['edit', 'h0', 'h1', 'h2', '--note', 'new']);
      await wire.held();
      await foreign(service, 'DELETE', '/urls/h1');
      await wire.release();
      expect(await editing).toMatchObject({ code: 3, stdout: 'h0\nh2\n', stderr: expect.stringContaining('"h1" [API 1306]') });
      expect(await values(service)).toMatchObject({ h0: { note: 'new' }, h2: { note: 'new' } });
      expect((await undoLast(linkctl)).code).toBe(0);
      expect(await values(service)).toMatchObject({ h0: { note: 'old' }, h2: { note: 'old' } });
    });

    test('if the links cannot be read then, the outcome is unknown, and the same command settles it', async ({
      linkctl,
      service,
      wire,
      folder,
    }) => {
      await store(service, numbered(3));
      const before = await values(service);
      const file = join(folder, 'hashes.txt');
      writeFileSync(file, 'h0\nh1\nh2\n');
      const onGet = { only: { method: 'GET', path: 'hashes=' } };
      await wire.script([{ ...onDelete, apply: { first: 2 }, ...refused }, onGet, { ...onGet, ...faults.refuse(1303) }]);
      const words = ['delete', '--hashes-from', file, '--yes'];
      expect(await linkctl(words)).toMatchObject({ code: 10, stderr: expect.stringContaining('3 unknown') });
      await wire.script([]);
      expect(await linkctl(words)).toMatchObject({ code: 0, stdout: 'h0\nh1\nh2\n' });
      expect((await undoLast(linkctl)).code).toBe(0);
      expect(await values(service)).toEqual(before);
    });

    test.for([
      ['deletion', 'DELETE', ['delete', 'h0', 'h1', 'h2', 'none', '--yes']],
      ['edit', 'PATCH', ['edit', 'h0', 'h1', 'h2', 'none', '--note', 'new']],
      ['edit that leaves one as it is', 'PATCH', ['edit', 'h0', 'h1', 'h2', 'as-new', '--note', 'new']],
    ] as const)(
      'a typed %s of which a part is settled by then keeps its record, and is undone as a whole',
      async ([, method, words], { linkctl, service, wire }) => {
        await store(service, [...numbered(3, { note: 'old' }), { custom_hash: 'as-new', long_url: 'https://n.ex', note: 'new' }]);
        const before = await values(service);
        const onGet = { only: { method: 'GET', path: 'hashes=' } };
        // A link that is missing is read twice.
        const reads = words.some((word) => word === 'none') ? 2 : 1;
        const lost = { ...onGet, ...faults.refuse(1303) };
        await wire.script([{ only: { method }, apply: { first: 2 }, ...refused }, { ...onGet, times: reads }, lost]);
        expect((await linkctl(words)).code).toBe(10);
        await wire.script([]);
        const resumed = await linkctl(words);
        expect(resumed).toMatchObject({
          code: reads === 2 ? 3 : 0,
          stderr: expect.stringContaining('resuming'),
        });
        expect((await undoLast(linkctl)).code).toBe(0);
        expect(await values(service)).toEqual(before);
      },
    );

    test('a hash that did not exist when it was read fails alone: exit 3', async ({ linkctl, service, wire }) => {
      await store(service, numbered(3));
      await wire.script([{ ...onDelete, apply: { first: 1 }, ...refused }]);
      const deleted = await linkctl(['delete', 'h0', 'none', 'h2', '--yes']);
      expect(deleted).toMatchObject({ code: 3, stdout: 'h0\nh2\n', stderr: expect.stringContaining('"none" [API 1306]') });
      expect((await undoLast(linkctl)).code).toBe(0);
      expect(Object.keys(await values(service)).sort()).toEqual(['h0', 'h1', 'h2']);
    });
  });

  describe('U2: undo leaves alone what the run reported as failed', () => {
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
