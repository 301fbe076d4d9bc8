import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { foreign } from '../commands/undo-world.ts';
import type { Habits } from '../support/habits.ts';
import { numbered, store, visit } from '../support/stored-links.ts';
import { record, test } from './history-world.ts';

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  test.for([
    ['one'],
    ['--hashes-from', '-'],
    ['--by-tags', 'promo', '--max-affected', '9'],
    ['--by-tags', 'promo', '--max-affected', '9', '--no-undo'],
  ])('H2: stats --reset %j is marked, and the clicks right before count', async (words, { on, service, folder }) => {
    await store(service, [{ custom_hash: 'one', long_url: 'https://a.example/', tags: ['promo'] }]);
    await visit(service, 'one', 2);
    await on(0, ...record);
    await visit(service, 'one', 3);
    const list = join(folder, 'list.txt');
    writeFileSync(list, edition === 'a' ? 'localhost/one\n' : 'one\n');
    const typed = words.map((word) => (word === '-' ? list : word));
    expect(await on(0.5, 'stats', '--reset', '--yes', ...typed)).toMatchObject({ code: 0 });
    // More clicks than before: nobody could see the reset in the counter.
    await visit(service, 'one', 6);
    await on(1, ...record);
    const json = JSON.parse((await on(1, 'stats', '--since', '1d', '-o', 'json')).stdout);
    expect(json.clicks).toMatchObject([{ hash: 'one', clicks: 9, events: ['reset'] }]);
  });

  test('H2: a link that this tool deleted and made again is counted from zero', async ({ on, service }) => {
    await store(service, [{ custom_hash: 'one', long_url: 'https://a.example/' }]);
    await visit(service, 'one', 4);
    await on(0, ...record);
    await visit(service, 'one', 2);
    await on(0.2, 'delete', 'one', '--yes', '--undo');
    await on(0.4, 'shorten', 'https://b.example/', '--hash', 'one');
    await visit(service, 'one', 5);
    await on(1, ...record);
    const { clicks } = JSON.parse((await on(1, 'stats', '--since', '1d', '-o', 'json')).stdout);
    expect(clicks).toMatchObject([{ hash: 'one', long_url: 'https://b.example/', clicks: 7, events: ['deleted'] }]);
  });

  test('H2: a link that this tool renamed keeps its clicks', async ({ on, service }) => {
    await store(service, [
      { custom_hash: 'one', long_url: 'https://a.example/' },
      { custom_hash: 'two', long_url: 'https://b.example/' },
    ]);
    await visit(service, 'one', 4);
    await on(0, ...record);
    await visit(service, 'one', 2);
    await on(0.1, 'edit', 'one', '--new-hash', 'uno');
    await on(0.2, 'edit', 'two', '--new-hash', 'one');
    await visit(service, 'uno', 1);
    await visit(service, 'one', 5);
    await on(1, ...record);
    expect((await on(1, 'stats', '--since', '1d')).stdout).toBe('one\t5\t\t\t1\trenamed\nuno\t3\t\t\t0\trenamed\n');
  });

  test.for([1, 2, 3])(
    'H1, H2: changes made while a reading waits for page %d of 3 count each click once, in this reading or the next',
    async (page, { on, service, wire }) => {
      const truth = new Map<string, number>();
      const click = async (hash: string, times: number, name = hash): Promise<void> => {
        await visit(service, hash, times);
        truth.set(name, (truth.get(name) ?? 0) + times);
      };
      // The newest links are on the first page.
      for (const nth of [3, 2, 1]) {
        const names = ['reset', 'deleted', 'again', 'renamed', 'swapped'].map((kind) => `${kind}${nth}`);
        await store(
          service,
          names.map((custom_hash) => ({ custom_hash, long_url: `https://a.example/${custom_hash}` })),
        );
        for (const name of names) await visit(service, name, 4);
        if (nth > 1) await store(service, numbered(edition === 'a' ? 996 : 496, { custom_hash: undefined }));
      }
      await on(0, ...record);
      const nths = [1, 2, 3];
      // A name of the first page that comes again later makes a listing that is not whole, which is not recorded.
      const reuses = page > 1;
      const nameOf = { reset: 'reset', deleted: 'deleted', again: 'again', renamed: 'new' };
      for (const nth of nths) {
        for (const [before, after] of Object.entries(nameOf)) await click(`${before}${nth}`, 2, `${after}${nth}`);
        await click(`swapped${nth}`, 2, `swapped${reuses ? (nth % 3) + 1 : nth}`);
      }
      const offset = (page - 1) * (edition === 'a' ? 1000 : 500);
      await wire.script([{ only: { method: 'GET', path: page === 1 ? '/urls' : `offset=${offset}` }, held: true }]);
      const reading = on(1, ...record);
      await wire.held();
      for (const nth of nths) {
        await click(`reset${nth}`, 1);
        await click(`deleted${nth}`, 1);
        expect((await on(1, 'edit', `renamed${nth}`, '--new-hash', `new${nth}`)).code).toBe(0);
      }
      const hashes = (kind: string) => nths.map((nth) => `${kind}${nth}`);
      expect((await on(1, 'stats', ...hashes('reset'), '--reset', '--yes')).code).toBe(0);
      expect((await on(1, 'delete', ...hashes('deleted'), ...hashes('again'), '--yes')).code).toBe(0);
      for (const nth of nths) {
        if (reuses) {
          expect((await on(1, 'shorten', 'https://b.example/', '--hash', `again${nth}`)).code).toBe(0);
          await click(`again${nth}`, 1);
        }
        await click(`reset${nth}`, 1);
        await click(`new${nth}`, 1);
      }
      const renames = [
        ['swapped3', 'other'],
        ['swapped2', 'swapped3'],
        ['swapped1', 'swapped2'],
        ['other', 'swapped1'],
      ] as const;
      for (const [from, to] of reuses ? renames : []) expect((await on(1, 'edit', from, '--new-hash', to)).code).toBe(0);
      await wire.release();
      expect(await reading).toMatchObject({ code: 0, stderr: '' });
      const counted = async (days: number) => {
        const { code, stdout } = await on(days, 'stats', '--since', `${days}d`, '-o', 'json');
        expect(code).toBe(0);
        return JSON.parse(stdout) as { clicks: { hash: string; clicks: number; events: string[] }[] };
      };
      for (const { hash, clicks, events } of (await counted(1)).clicks) {
        expect(clicks, hash).toBeLessThanOrEqual(truth.get(hash) ?? 0);
        expect(events).not.toContain('gone');
        expect(events).not.toContain('fell');
      }
      for (const name of [...hashes('reset'), ...(reuses ? hashes('again') : []), ...hashes('new'), ...hashes('swapped')])
        await click(name, 1);
      for (const days of [2, 3]) {
        await on(days, ...record);
        const { clicks } = await counted(days);
        expect(new Map(clicks.map(({ hash, clicks }) => [hash, clicks]))).toEqual(truth);
        expect(clicks.flatMap(({ events }) => events)).not.toContain('gone');
        expect(clicks.flatMap(({ events }) => events)).not.toContain('fell');
      }
    },
  );

  test('H1, H2: changes made during the first reading leave their links with a beginning', async ({ on, service, wire }) => {
    await store(service, numbered(4));
    for (const hash of ['h0', 'h1', 'h2', 'h3']) await visit(service, hash, 5);
    await wire.script([{ only: { method: 'GET', path: '/urls' }, held: true }]);
    const reading = on(0, ...record);
    await wire.held();
    await on(0, 'stats', 'h0', '--reset', '--yes');
    await on(0, 'edit', 'h1', '--new-hash', 'new');
    await on(0, 'delete', 'h2', '--yes');
    await wire.release();
    expect(await reading).toMatchObject({ code: 0 });
    for (const hash of ['h0', 'h3']) await visit(service, hash, 2);
    await on(1, ...record);
    await visit(service, 'new', 3);
    await on(2, ...record);
    expect((await on(2, 'stats', '--since', '2d', '--fields', 'hash,clicks,events')).stdout).toBe('new\t3\t\nh0\t2\t\nh3\t2\t\n');
  });

  test('H1, H2: a reset soon after a reading that saw one by somebody else loses no clicks', async ({ on, service }) => {
    await store(service, numbered(1));
    await visit(service, 'h0', 9);
    await on(0, ...record);
    await foreign(service, 'DELETE', '/stats/h0');
    await visit(service, 'h0', 3);
    await on(1, ...record);
    await visit(service, 'h0', 4);
    expect((await on(1 - 1 / 2880, 'stats', 'h0', '--reset', '--yes')).code).toBe(0);
    await visit(service, 'h0', 5);
    await on(2, ...record);
    expect((await on(2, 'stats', '--since', '2d', '--fields', 'hash,clicks,events')).stdout).toBe('h0\t12\tfell,reset\n');
  });

  test('H1, H2: a link that is deleted without a record of it, and made again, during a reading counts no click twice', async ({
    on,
    service,
    wire,
  }) => {
    await store(service, numbered(1));
    await visit(service, 'h0', 9);
    await on(0, ...record);
    // Requested before the change, and read after it.
    await wire.script([{ only: { method: 'GET', path: '/urls' }, delay: 0, apply: false, held: true, answer: { status: 503 } }]);
    const reading = on(1, ...record);
    await wire.held();
    await on(1, 'delete', 'h0', '--no-undo', '--yes');
    await on(1, 'shorten', 'https://b.example/', '--hash', 'h0');
    await visit(service, 'h0', 12);
    await wire.release();
    await reading;
    await on(2, ...record);
    await on(3, ...record);
    expect((await on(3, 'stats', '--since', '3d', '--fields', 'hash,clicks')).stdout).toBe('h0\t12\n');
  });

  test('H1, H2: a change during the reading of a selection makes no other link a part of it', async ({ on, service, wire }) => {
    await store(service, [{ custom_hash: 'other', long_url: 'https://b.example/' }]);
    await store(service, numbered(1, { tags: ['t'] }));
    const selected = [...record, '--by-tags', 't'];
    await on(0, ...selected);
    await on(0, ...record);
    await visit(service, 'other', 9);
    await wire.script([{ only: { method: 'GET', path: '/urls' }, held: true }]);
    const reading = on(1, ...selected);
    await wire.held();
    await on(1, 'edit', 'other', '--new-hash', 'another');
    await wire.release();
    expect(await reading).toMatchObject({ code: 0 });
    await on(1.5, 'edit', 'another', '--add-tag', 't');
    await on(2, ...selected);
    expect((await on(2, 'stats', '--since', '1d', '--by-tags', 't', '--fields', 'hash,clicks')).stdout).not.toContain('\t9');
  });

  test('H2: the clicks of a link that was made and deleted between two readings count, on its name', async ({ on, service }) => {
    await store(service, numbered(1));
    await on(0, ...record);
    await on(0.1, 'shorten', 'https://b.example/', '--hash', 'short');
    await visit(service, 'short', 5);
    await on(0.2, 'stats', 'short', '--reset', '--yes');
    await visit(service, 'short', 2);
    await on(0.3, 'edit', 'short', '--new-hash', 'brief', '--yes');
    await on(0.4, 'delete', 'brief', '--yes');
    await on(0.5, 'shorten', 'https://b.example/', '--hash', 'again');
    await visit(service, 'again', 3);
    await on(0.6, 'delete', 'again', '--yes');
    await on(0.7, 'shorten', 'https://c.example/', '--hash', 'again');
    await visit(service, 'again', 1);
    await on(1, ...record);
    await visit(service, 'again', 1);
    await on(2, ...record);
    const fields = ['--fields', 'hash,clicks,events'];
    const brief = 'brief\t7\tnew,reset,renamed,deleted\n';
    expect((await on(1, 'stats', '--since', '1d', ...fields)).stdout).toBe(`${brief}again\t4\tnew,deleted\n`);
    expect((await on(2, 'stats', '--since', '2d', ...fields)).stdout).toBe(`${brief}again\t5\tnew,deleted\n`);
    expect((await on(2, 'stats', 'brief', '--since', '2d', ...fields)).stdout).toBe(brief);
  });

  test('H2, B43: a named link that is not there, and was not in that time, is said; one that was deleted has its event', async ({
    on,
    service,
  }) => {
    await store(service, [
      { custom_hash: 'one', long_url: 'https://a.example/' },
      { custom_hash: 'two', long_url: 'https://b.example/' },
      { custom_hash: 'gone', long_url: 'https://c.example/' },
    ]);
    await on(0, ...record);
    await visit(service, 'one', 2);
    await on(0.1, 'edit', 'two', '--new-hash', 'dos');
    await on(0.2, 'delete', 'gone', '--yes');
    await on(1, ...record);
    const none = await on(1, 'stats', 'two', '--since', '1d');
    expect(none).toMatchObject({ code: 5, stdout: '', stderr: expect.stringContaining('no short URL "two"') });
    expect((await on(1, 'stats', 'two', 'never', '--since', '1d', '--by', 'day')).code).toBe(5);
    const some = await on(1, 'stats', 'one', 'two', 'gone', '--since', '1d');
    expect(some).toMatchObject({ code: 3, stdout: expect.stringMatching(/^one\t2\t.*\ngone\t0\t.*deleted\n$/) });
    expect(some.stderr).toMatch(/1 of 3 links does not exist\n.*no short URL "two"/);
    expect((await on(1, 'stats', 'one', 'gone', '--since', '1d')).code).toBe(0);
  });

  test("H2, H4: links that were deleted or reset are said where the server's days lack them", async ({ linkctl, service }) => {
    await store(service, [
      { custom_hash: 'one', long_url: 'https://a.example/' },
      { custom_hash: 'two', long_url: 'https://b.example/' },
      { custom_hash: 'gone', long_url: 'https://c.example/' },
    ]);
    await linkctl(record);
    for (const hash of ['one', 'two', 'gone']) await visit(service, hash, 2);
    await linkctl(['delete', 'gone', '--yes']);
    await linkctl(['stats', 'two', '--reset', '--yes']);
    const { code, stderr } = await linkctl(['stats', '--since', '2d']);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('the clicks of 2 links that linkctl deleted or reset in this period'),
    ]);
    expect((await linkctl(['stats', 'one', '--since', '2d'])).stderr).not.toContain('deleted or reset');
  });

  test('H2: a mark that cannot be written is a warning, and the change is made', async ({ on, service, history }) => {
    await store(service, [{ custom_hash: 'one', long_url: 'https://a.example/' }]);
    await on(0, ...record);
    rmSync(history());
    mkdirSync(history());
    expect(await on(1, 'delete', 'one', '--yes')).toEqual({
      code: 0,
      stdout: 'one\n',
      stderr: expect.stringContaining('warning: the history of clicks lacks this change: cannot open '),
    });
  });

  test('H2: an account without a history gets none from a change', async ({ on, service, folder }) => {
    await store(service, [{ custom_hash: 'one', long_url: 'https://a.example/' }]);
    await on(1, 'delete', 'one', '--yes');
    expect(() => readFileSync(join(folder, '.local', 'share', 'linkctl', 'history'))).toThrow('ENOENT');
  });
});

describe('a server that ignores the case of hashes', () => {
  const folded: Habits = {
    stored: ({ url, body, ...rest }) => ({ ...rest, url: url.toLowerCase(), body: Buffer.from(body.toString().toLowerCase()) }),
    shown: (answer) => answer,
    plain: (printed) => printed,
  };
  test.override({ habits: folded });

  test('H2, F38: a change of a hash in another case belongs to the link as it is listed', async ({ on, service }) => {
    await store(service, numbered(3));
    for (const hash of ['h0', 'h1', 'h2']) await visit(service, hash, 9);
    await on(0, ...record);
    await on(0.5, 'delete', 'H0', '--yes');
    await on(0.5, 'stats', 'H1', '--reset', '--yes');
    await on(0.5, 'edit', 'H2', '--new-hash', 'other');
    for (const hash of ['h1', 'other']) await visit(service, hash, 2);
    await on(1, ...record);
    const { stdout } = await on(1, 'stats', '--since', '1d', '--fields', 'hash,clicks,events');
    expect(stdout.split('\n').toSorted()).toEqual(['', 'h0\t0\tdeleted', 'h1\t2\treset', 'other\t2\trenamed']);
  });
});
