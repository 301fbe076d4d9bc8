import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { store, visit } from '../support/stored-links.ts';
import { record, test } from './history-world.ts';

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  test.for([
    [['stats', 'one', '--reset', '--yes', '--undo'], 'reset', 9],
    [['stats', '--hashes-from', '-', '--reset', '--yes'], 'reset', 9],
    [['stats', '--by-tags', 'promo', '--reset', '--yes', '--max-affected', '9'], 'reset', 9],
    [['stats', '--by-tags', 'promo', '--reset', '--yes', '--max-affected', '9', '--no-undo'], 'reset', 9],
    [['stats', 'one', '--reset', '--yes'], 'reset', 9],
  ] as const)('H2: %j is marked, and the clicks right before count', async ([words, event, clicks], { on, service, folder }) => {
    await store(service, [{ custom_hash: 'one', long_url: 'https://a.example/', tags: ['promo'] }]);
    await visit(service, 'one', 2);
    await on(0, ...record);
    await visit(service, 'one', 3);
    const list = join(folder, 'list.txt');
    writeFileSync(list, edition === 'a' ? 'localhost/one\n' : 'one\n');
    const typed = words.map((word) => (word === '-' ? list : word));
    expect(await on(0.5, ...typed)).toMatchObject({ code: 0 });
    // More clicks than before: nobody could see the reset in the counter.
    await visit(service, 'one', 6);
    await on(1, ...record);
    const json = JSON.parse((await on(1, 'stats', '--since', '1d', '-o', 'json')).stdout);
    expect(json.clicks).toMatchObject([{ hash: 'one', clicks, events: [event] }]);
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
