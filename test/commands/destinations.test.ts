import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect } from 'vitest';
import { faults } from '../support/faulty-steps.ts';
import { test as base, sent } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';

const inUse = 300;

const test = base.extend<{ hashes: string; results: string; rows: () => string[][] }>({
  hashes: async ({ folder }, use) => {
    const file = join(folder, 'hashes.txt');
    writeFileSync(file, [...Array.from({ length: 30 }, (_, nth) => `h${nth}`), 'none'].join('\n'));
    await use(file);
  },
  results: async ({ folder }, use) => await use(join(folder, 'results.csv')),
  rows: async ({ results, written }, use) => {
    await use(() =>
      written(results)
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => line.split(',')),
    );
  },
});

describe.each(['a', 'b'] as const)('D28, U4: results of a deletion on an account in use, edition %s', (edition) => {
  test.override({ edition });
  beforeEach<{ service: { baseUrl: string } }>(async ({ service }) => await store(service, numbered(inUse)));

  test('hold where the links led', async ({ linkctl, hashes, results, rows, service }) => {
    const ran = await linkctl(['delete', '--hashes-from', hashes, '--yes', '--results', results, '--batch-size', '10']);
    expect(ran.code).toBe(3);
    expect(rows().slice(0, 30)).toEqual(
      Array.from({ length: 30 }, (_, nth) => [
        `${nth + 1}`,
        'deleted',
        `h${nth}`,
        `http://localhost/h${nth}`,
        '',
        `https://example.com/${nth}`,
        '0',
        '',
        `${nth + 1}`,
      ]),
    );
    expect(rows()[30]?.slice(1, 3)).toEqual(['failed', 'none']);
    expect(await stored(service)).toHaveLength(inUse - 30);
  });

  test('hold it after a stop, too', async ({ linkctl, hashes, results, rows, wire }) => {
    await wire.script([{ only: { method: 'DELETE' } }, { only: { method: 'DELETE' }, ...faults.refuse(1303) }]);
    const words = ['delete', '--hashes-from', hashes, '--yes', '--results', results, '--batch-size', '10', '--concurrency', '1'];
    expect((await linkctl(words)).code).toBe(7);
    await wire.script([]);
    expect((await linkctl(words)).code).toBe(3);
    expect(
      rows()
        .map((row) => row[5])
        .slice(0, 30),
    ).toEqual(Array.from({ length: 30 }, (_, nth) => `https://example.com/${nth}`));
  });

  test('cost a call for each batch, which counts into the budget; what cannot be read is deleted all the same', async ({
    linkctl,
    hashes,
    results,
    rows,
    wire,
    service,
  }) => {
    const words = ['delete', '--hashes-from', hashes, '--yes', '--no-undo', '--batch-size', '10', '--retries', '0'];
    const least = edition === 'a' ? 4 : 3;
    const tooFew = await linkctl([...words, '--results', results, '--budget', `${least - 1}`, '--concurrency', '1']);
    expect(tooFew).toMatchObject({ code: 2, stderr: expect.stringContaining(`use at least --budget ${least}`) });
    const before = (await sent(wire)).length;
    expect((await linkctl([...words, '--results', results, '--budget', `${least}`, '--concurrency', '1'])).code).toBe(7);
    expect((await sent(wire)).length - before).toBe(least);
    expect(await stored(service)).toHaveLength(inUse - 10);
    await wire.script([{ only: { method: 'GET', path: 'hashes=' }, times: 'all', ...faults.htmlBefore }]);
    await linkctl([...words, '--results', results]);
    expect(await stored(service)).toHaveLength(inUse - 30);
    expect(rows()).toHaveLength(31);
  });

  test.for([
    ['edit --hashes-from', ['edit', '--hashes-from', 'hashes.txt', '--note', 'new']],
    ['edit -f', ['edit', '-f', 'edits.csv']],
  ] as const)(
    'W3: rows of %s that would change nothing are unchanged: counted, not sent, not reported as changed',
    async ([, words], { linkctl, folder, results, rows, wire, service }) => {
      await store(
        service,
        numbered(10, { note: 'new' }).map((link, nth) => ({ ...link, custom_hash: `n${nth}` })),
      );
      const hashes = [...Array.from({ length: 10 }, (_, nth) => `n${nth}`), 'h1', 'h2'];
      writeFileSync(join(folder, 'hashes.txt'), hashes.join('\n'));
      writeFileSync(join(folder, 'edits.csv'), ['hash,note', ...hashes.map((hash) => `${hash},new`)].join('\n'));
      const inFolder = words.map((word) => (word.includes('.') ? join(folder, word) : word));
      const ran = await linkctl([...inFolder, '--results', results, '--batch-size', '8', '--concurrency', '1', '--yes']);
      expect(ran).toMatchObject({ code: 0, stderr: expect.stringMatching(/^12 rows: 2 changed, 10 unchanged \(/m) });
      expect(ran.stdout.replaceAll(/^.*\//gm, '')).toBe('h1\nh2\n');
      expect(rows().map((row) => row[1])).toEqual([...Array.from({ length: 10 }, () => 'unchanged'), 'changed', 'changed']);
      expect(rows()[0]?.[4]).toBe('https://example.com/0');
      const patches = (await sent(wire)).filter(({ call }) => call.startsWith('PATCH'));
      expect(patches).toHaveLength(1);
      expect(JSON.stringify(patches)).not.toContain('n9');
      const again = await linkctl([...inFolder, '--results', results, '--yes']);
      expect(again.stderr).toMatch(/^12 rows: 12 unchanged \(/m);
    },
  );
});
