import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { faults } from '../support/faulty-steps.ts';
import { sure, test } from '../support/linkctl.ts';
import { destinations, stored } from '../support/stored-links.ts';
import { runs, undoLast } from './undo-world.ts';

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  test('U2: a file whose run was undone is shortened anew', async ({ linkctl, folder, service }) => {
    const file = join(folder, 'links.csv');
    writeFileSync(file, 'long_url,custom_hash\nhttps://example.com/1,h1\nhttps://example.com/2,h2\n');
    expect((await linkctl(['shorten', '-f', file])).code).toBe(0);
    expect((await linkctl(['shorten', '-f', file])).code).toBe(2);
    expect((await undoLast(linkctl)).code).toBe(0);
    expect(await stored(service)).toHaveLength(0);
    expect(await linkctl(['shorten', '-f', file])).toMatchObject({ code: 0, stderr: expect.stringContaining('2 created') });
    expect(await stored(service)).toHaveLength(2);
  });

  /** A file of two links that stopped after the first, and was edited since. */
  const stopped = test.extend<{ words: string[]; run: string }>({
    words: async ({ folder }, use) => await use(['shorten', '-f', join(folder, 'in.txt'), '--batch-size', '1']),
    run: async ({ words, folder, linkctl, wire }, use) => {
      const file = join(folder, 'in.txt');
      writeFileSync(file, 'https://example.com/1\nhttps://example.com/2\n');
      const post = { only: { method: 'POST' } };
      await wire.script([post, { ...post, ...faults.refuse(1303) }]);
      expect((await linkctl(words)).code).toBe(7);
      writeFileSync(file, 'https://example.com/1\nhttps://example.com/3\n');
      await use((await runs(linkctl))[0]?.run ?? '');
    },
  });

  stopped(
    'U2, J8: a file that was edited since its run stopped names undo first; after that it makes no link twice',
    async ({ linkctl, service, words, run }) => {
      const refused = await linkctl(words);
      expect(refused).toMatchObject({ code: 9, stderr: expect.stringContaining(`changed since the unfinished run ${run}\n`) });
      expect(refused.stderr).toContain(
        `hint: restore the old file and run the command again; to undo the run: linkctl undo ${run}; to forget it and make second links for 1 of its rows: linkctl runs forget ${run} --yes\n`,
      );
      expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
      expect(await linkctl(words)).toMatchObject({ code: 0, stderr: expect.stringContaining('2 created') });
      expect(await destinations(service)).toEqual(['https://example.com/1', 'https://example.com/3']);
    },
  );

  test('D23: an unfinished run is not resumed where a later one, with --again, has edited links by other contents of its file', async ({
    linkctl,
    folder,
    service,
    wire,
  }) => {
    const file = join(folder, 'in.csv');
    const write = (first: string) =>
      writeFileSync(file, `custom_hash,long_url\nh1,https://example.com/${first}\nh2,https://example.com/2\n`);
    const words = ['shorten', '-f', file, '--batch-size', '1', '--on-conflict', 'update', '--again', ...sure];
    write('1');
    const post = { only: { method: 'POST' } };
    await wire.script([post, { ...post, ...faults.refuse(1303) }]);
    expect((await linkctl(words)).code).toBe(7);
    const [{ run } = { run: '' }] = await runs(linkctl);
    write('other');
    expect((await linkctl(words)).code).toBe(0);
    const [{ run: later } = { run: '' }] = await runs(linkctl);
    write('1');
    for (const line of [words, words.filter((word) => word !== '--again')]) {
      expect(await linkctl(line)).toMatchObject({
        code: 9,
        stderr: expect.stringContaining(`run ${later} has used ${file} with other contents since its unfinished run ${run}\n`),
      });
    }
    expect(await destinations(service)).toContain('https://example.com/other');
    expect((await linkctl(['runs', 'forget', run, '--yes'])).code).toBe(0);
    expect((await linkctl(words)).code).toBe(0);
    expect(await destinations(service)).toEqual(['https://example.com/1', 'https://example.com/2']);
  });

  stopped('D23: it is resumed where the later one only made links', async ({ linkctl, folder, service, words, run }) => {
    expect((await linkctl([...words, '--again'])).code).toBe(0);
    writeFileSync(join(folder, 'in.txt'), 'https://example.com/1\nhttps://example.com/2\n');
    const resumed = await linkctl([...words, '--again']);
    expect(resumed).toMatchObject({ code: 0, stderr: expect.stringContaining(`resuming run ${run}`) });
    expect((await destinations(service)).sort()).toEqual(['1', '1', '2', '3'].map((name) => `https://example.com/${name}`));
  });

  stopped('D23: --again beside an unfinished run of the file says what stays', async ({ linkctl, service, words, run }) => {
    const warning = `warning: run ${run} (shorten in.txt) stays unfinished (1 created); to undo the run: linkctl undo ${run}; `;
    for (const more of [['-n'], []]) {
      const ran = await linkctl([...words, '--again', ...more]);
      expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining(warning) });
      expect(ran.stderr.split('warning:')).toHaveLength(2);
    }
    expect(await destinations(service)).toHaveLength(3);
  });

  stopped(
    'U2: the printed command to forget the run works without a terminal, and the rows get second links',
    async ({ linkctl, service, words, run }) => {
      const [, printed = ''] = /: linkctl (runs forget .*)\n/.exec((await linkctl(words)).stderr) ?? [];
      expect(await linkctl(printed.split(' '))).toMatchObject({ code: 0, stdout: `${run}\n` });
      expect((await linkctl(words)).code).toBe(0);
      expect(await destinations(service)).toEqual(['https://example.com/1', 'https://example.com/1', 'https://example.com/3']);
    },
  );

  test('U2: forgetting a run whose rows have hashes keeps its changes', async ({ folder, linkctl, wire }) => {
    const file = join(folder, 'in.csv');
    writeFileSync(file, 'long_url,custom_hash\nhttps://example.com/1,one\nhttps://example.com/2,two\n');
    const post = { only: { method: 'POST' } };
    // The first call proves that the hash is a key, twice.
    await wire.script([post, post, { ...post, ...faults.refuse(1303) }]);
    expect((await linkctl(['shorten', '-f', file, '--batch-size', '1'])).code).toBe(7);
    writeFileSync(file, 'long_url,custom_hash\nhttps://example.com/1,one\nhttps://example.com/3,three\n');
    expect((await linkctl(['shorten', '-f', file])).stderr).toContain('to forget it and keep its changes: linkctl runs forget ');
  });

  test.for([[[]], [['--generate-hashes']]] as const)(
    'U2, J8: another stream beside an unfinished one is shortened, and what stays is said before: %o',
    async ([flags], { linkctl, service, wire }) => {
      const words = ['shorten', '-f', '-', '--batch-size', '1', '--concurrency', '1', ...flags];
      const lines = [1, 2, 3, 4].map((nth) => `https://example.com/${nth}\n`);
      const stdin = lines.slice(0, 3).join('');
      await wire.script([{ ...faults.refuse(1303), only: { method: 'POST' } }]);
      expect((await linkctl(words, { stdin })).code).toBe(7);
      await wire.script([]);
      // Nothing was sent, so there is nothing to say.
      const other = await linkctl(words, { stdin: 'https://example.com/0\n' });
      expect(other).toMatchObject({ code: 0, stderr: expect.not.stringContaining('warning') });
      await wire.script([{ only: { method: 'POST' } }, { ...faults.refuse(1303), only: { method: 'POST' } }]);
      expect((await linkctl(words, { stdin })).code).toBe(7);
      await wire.script([]);
      const [{ run = '' } = {}] = await runs(linkctl);
      const grown = await linkctl(words, { stdin: lines.join('') });
      expect(grown).toMatchObject({ code: 0, stderr: expect.stringContaining('4 created') });
      const warning = `warning: run ${run} (shorten stdin) stays unfinished (`;
      expect(grown.stderr).toContain(warning);
      expect(grown.stderr).toContain(
        `to undo the run: linkctl undo ${run}; to forget it and make second links for 1 of its rows: `,
      );
      expect(grown.stderr.indexOf('warning: ')).toBeLessThan(grown.stderr.indexOf('4 created'));
      expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
      const last = await linkctl(words, { stdin: 'https://example.com/5\n' });
      expect(last).toMatchObject({ code: 0, stderr: expect.not.stringContaining('warning') });
      expect(await destinations(service)).toEqual([0, 1, 2, 3, 4, 5].map((nth) => `https://example.com/${nth}`));
    },
  );

  stopped('R 1.4: runs forget says what stays, before and after', async ({ linkctl, run }) => {
    const watched = { terminal: { stdin: true, stdout: true, stderr: true }, stdin: 'n\n' };
    const asked = (await linkctl(['runs', 'forget', run], watched)).stderr.replace(/\s+/g, ' ');
    expect(asked).toContain(
      '1 row was not sent. Its changes stay: 1 created. The same command would start again from the first row and make second links for 1 of its rows.',
    );
    const forgotten = await linkctl(['runs', 'forget', run, '--yes']);
    expect(forgotten).toEqual({
      code: 0,
      stdout: `${run}\n`,
      stderr: `changes of run ${run} stay: 1 created; the same command would make second links for 1 of its rows\n`,
    });
  });
});
