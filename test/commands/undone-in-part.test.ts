import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { RunningService } from '../../src/service/service.ts';
import { faults } from '../support/faulty-steps.ts';
import { test as base, type Linkctl } from '../support/linkctl.ts';
import { destinations, stored } from '../support/stored-links.ts';
import { changes, foreign, killed, runs } from './undo-world.ts';

const url = (nth: number): string => `https://a.example/${nth}`;
const urls = [1, 2, 3, 4, 5, 6].map(url);

/** A file that was shortened, whose run is then undone in part. */
const test = base.extend<{ file: string; words: string[]; run: string }>({
  file: async ({ folder }, use) => await use(join(folder, 'urls.txt')),
  words: async ({ file }, use) => await use(['shorten', '-f', file, '--batch-size', '2']),
  run: async ({ file, words, linkctl }, use) => {
    writeFileSync(file, urls.join('\n'));
    expect((await linkctl(words)).code).toBe(0);
    await use((await runs(linkctl))[0]?.run ?? '');
  },
});

const haste = { haste: 100 };
const inTwos = ['--yes', '--batch-size', '2', '--concurrency', '1'];

/** Somebody has changed the oldest link, so that undo leaves it alone. */
async function undoneButOne(run: string, { linkctl, service }: { linkctl: Linkctl; service: RunningService }): Promise<void> {
  const [{ hash = '' } = {}] = await stored(service);
  await foreign(service, 'PATCH', `/urls/${hash}`, { note: 'theirs' });
  expect((await linkctl(['undo', run, '--yes'])).code).toBe(3);
}

const refusal = (run: string, links: number, scope: string): string =>
  `error: run ${run} was undone, but ${links} of its rows may still have links\n` +
  `hint: to undo the rest: linkctl undo ${run}, and with --force what that leaves unchanged; to keep the links of rows that have some, add --dedupe ${scope}; to make second ones, add --again\n`;

describe.each([
  ['a', 'domain'],
  ['b', 'account'],
] as const)('edition %s', (edition, scope) => {
  test.override({ edition });

  test('U2, R 1.2: after an undo that was killed, the file is not shortened again until the rest is undone', async ({
    linkctl,
    service,
    wire,
    env,
    words,
    run,
  }) => {
    const deletion = { only: { method: 'DELETE' } };
    await killed(['undo', run, ...inTwos], { ...deletion, ...faults.silentBefore }, { wire, env }, [deletion]);
    const from = (await wire.requests()).length;
    expect(await linkctl(words)).toEqual({ code: 9, stdout: '', stderr: refusal(run, 4, scope) });
    expect(await changes(wire, from)).toEqual([]);
    expect((await linkctl(['undo', run, '--yes'], haste)).code).toBe(0);
    expect(await stored(service)).toEqual([]);
    expect((await linkctl(words)).code).toBe(0);
    expect(await destinations(service)).toEqual(urls);
  });

  test('U2, R 1.2: links that undo left alone, as somebody had changed them, get no second ones', async ({
    linkctl,
    service,
    file,
    words,
    run,
  }) => {
    await undoneButOne(run, { linkctl, service });
    for (const more of [[], ['--generate-hashes'], ['-n']]) {
      const refused = await linkctl([...words, ...more]);
      const without = more[0] === '--generate-hashes' ? ' instead of --generate-hashes' : '';
      expect(refused).toMatchObject({ code: 9, stderr: refusal(run, 1, scope + without) });
    }
    writeFileSync(file, urls.slice(0, 3).join('\n'));
    expect(await linkctl(words)).toMatchObject({ code: 9, stderr: refusal(run, 1, scope) });
    expect((await linkctl([...words, '--dedupe', scope])).stderr).toContain('3 rows: 2 created, 1 existing');
    expect(await destinations(service)).toEqual(urls.slice(0, 3));
  });

  test('U2, J8: with --again the file gets second links and a warning; another file of its name is no longer refused', async ({
    linkctl,
    service,
    file,
    words,
    run,
  }) => {
    await undoneButOne(run, { linkctl, service });
    writeFileSync(file, urls.slice(0, 2).join('\n'));
    const again = await linkctl([...words, '--again']);
    expect(again.code).toBe(0);
    expect(again.stderr).toContain(`warning: run ${run} was undone, but 1 of its rows may still have links\n`);
    writeFileSync(file, urls.slice(2).join('\n'));
    expect(await linkctl(words)).toMatchObject({ code: 0, stderr: expect.not.stringContaining('was undone') });
    expect(await destinations(service)).toEqual([url(1), ...urls]);
  });

  test('U2, U6: rows of a redo that was killed do not count once an undo has not found their links', async ({
    linkctl,
    service,
    wire,
    env,
    words,
    run,
  }) => {
    expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
    const creation = { only: { method: 'POST' } };
    await killed(['redo', run, ...inTwos], { ...creation, ...faults.silentBefore }, { wire, env }, [creation]);
    await linkctl(['undo', run, '--yes'], haste);
    expect(await stored(service)).toEqual([]);
    expect((await linkctl(words)).code).toBe(0);
    expect(await destinations(service)).toEqual(urls);
  });

  test('U2: where the record of an undo is gone, undo looks at the links once more before they are made again', async ({
    linkctl,
    service,
    words,
    run,
  }) => {
    expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
    const [{ run: undo = '' } = {}] = await runs(linkctl);
    expect((await linkctl(['runs', 'forget', undo, '--yes'])).code).toBe(0);
    expect((await linkctl(words)).code).toBe(9);
    expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
    expect((await linkctl(words)).code).toBe(0);
    expect(await destinations(service)).toEqual(urls);
  });

  test('U2: a link that was changed before a killed undo was resumed is left, and gets no second one', async ({
    linkctl,
    service,
    wire,
    env,
    words,
    run,
  }) => {
    const deletion = { only: { method: 'DELETE' } };
    await killed(['undo', run, '--yes'], { ...deletion, ...faults.silentBefore }, { wire, env });
    const [{ hash = '' } = {}] = await stored(service);
    await foreign(service, 'PATCH', `/urls/${hash}`, { note: 'theirs' });
    expect((await linkctl(['undo', run, '--yes'], haste)).code).toBe(3);
    expect(await linkctl(words)).toEqual({ code: 9, stdout: '', stderr: refusal(run, 1, scope) });
    expect(await stored(service)).toHaveLength(1);
  });

  test('U2, D23: after one way out and then the other, the refusal of the file names the one that makes no second links', async ({
    linkctl,
    service,
    words,
    run,
  }) => {
    await undoneButOne(run, { linkctl, service });
    expect((await linkctl([...words, '--dedupe', scope])).stderr).toContain('5 created, 1 existing');
    expect((await linkctl(['undo', run, '--yes', '--force'])).code).toBe(0);
    expect(await destinations(service)).toEqual(urls.slice(1));
    const keep = `hint: to keep the links of rows that have some, add --again --dedupe ${scope}; to make second ones, add --again; `;
    expect(await linkctl(words)).toMatchObject({ code: 2, stderr: expect.stringContaining(keep) });
    const again = await linkctl([...words, '--dedupe', scope]);
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('hint: to run it again, add --again; ') });
    expect((await linkctl([...words, '--again', '--dedupe', scope])).stderr).toContain('1 created, 5 existing');
    expect((await destinations(service)).toSorted()).toEqual(urls);
  });

  test('U2, U6: after the rest was undone by force, or a redo was undone, the file is shortened again', async ({
    linkctl,
    service,
    words,
    run,
  }) => {
    await undoneButOne(run, { linkctl, service });
    expect((await linkctl(['undo', run, '--yes', '--force'])).code).toBe(0);
    // It was undone in two parts, which are reverted one at a time.
    for (const command of ['redo', 'undo']) {
      expect((await linkctl([command, run, '--yes'])).code).toBe(3);
      expect((await linkctl(words)).code).not.toBe(0);
      expect((await linkctl([command, run, '--yes'])).code).toBe(0);
    }
    expect(await stored(service)).toEqual([]);
    expect((await linkctl(words)).code).toBe(0);
    expect(await destinations(service)).toEqual(urls);
  });
});
