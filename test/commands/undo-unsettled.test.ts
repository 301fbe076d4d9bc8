import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { startProgram } from '../support/built-program.ts';
import { faults } from '../support/faulty-steps.ts';
import { arrived, test as base } from '../support/linkctl.ts';
import { destinations, stored } from '../support/stored-links.ts';
import { changes, killed, runs } from './undo-world.ts';

const haste = { haste: 100 };
const url = (nth: number): string => `https://a.example/${nth}`;
const lines = (numbers: readonly number[]): string => numbers.map((nth) => `${url(nth)}\n`).join('');

/** A file without hashes, shortened in twos, whose process was killed before the answer to the second batch: rows 3 and 4. */
const test = base.extend<{ file: string; flags: string[]; words: string[]; run: string }>({
  file: async ({ folder }, use) => await use(join(folder, 'urls.txt')),
  flags: [],
  words: async ({ file, flags }, use) => await use(['shorten', '-f', file, '--batch-size', '2', ...flags]),
  run: async ({ file, words, env, wire, linkctl }, use) => {
    writeFileSync(file, lines([1, 2, 3, 4, 5, 6]));
    const post = { only: { method: 'POST' } };
    await wire.script([post, { ...post, ...faults.silentAfter }]);
    const { process: child, ended } = startProgram(words, env);
    await arrived(wire, 2, 'POST');
    child.kill('SIGKILL');
    await ended;
    await wire.script([]);
    await use((await runs(linkctl))[0]?.run ?? '');
  },
});

describe.each([
  ['a', 'domain'],
  ['b', 'account'],
] as const)('edition %s', (edition, scope) => {
  test.override({ edition });

  const ways = `to keep the links of rows that have some, add --again --dedupe ${scope}; to make second ones, add --again`;

  test('U2, E16: rows in doubt that only the command of the run can settle come first: undo is refused and says so', async ({
    linkctl,
    service,
    wire,
    words,
    run,
  }) => {
    const from = (await wire.requests()).length;
    for (const flags of [['--yes'], ['-n']]) {
      const refused = await linkctl(['undo', run, ...flags]);
      expect(refused).toMatchObject({ code: 10, stdout: '' });
      expect(refused.stderr).toBe(
        `error: outcome unknown for 2 rows of run ${run}: undo would not find their links; nothing was changed\n` +
          `hint: repeat the command of the run (shorten urls.txt), then: linkctl undo ${run}; to undo the other rows now and give these up: linkctl undo ${run} --force\n`,
      );
    }
    expect(await changes(wire, from)).toEqual([]);
    expect(await linkctl(words, haste)).toMatchObject({ code: 0, stderr: expect.stringContaining(`resuming run ${run}`) });
    expect(await destinations(service)).toEqual([1, 2, 3, 4, 5, 6].map(url));
    expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
    expect(await stored(service)).toEqual([]);
  });

  test('U2, J4: a run in progress with rows in doubt is not undone, and nothing advises to repeat its command: exit 9', async ({
    linkctl,
    wire,
    env,
    file,
    words,
  }) => {
    writeFileSync(file, lines([1, 2, 3, 4, 5, 6]));
    const post = { only: { method: 'POST' } };
    await wire.script([post, { ...post, ...faults.silentAfter }]);
    const { process: child, ended } = startProgram(words, env);
    try {
      await arrived(wire, 2, 'POST');
      const [{ run = '' } = {}] = await runs(linkctl);
      for (const flags of [[], ['--force']]) {
        const refused = await linkctl(['undo', run, '--yes', ...flags]);
        expect(refused).toMatchObject({ code: 9, stdout: '', stderr: expect.stringContaining('is in use by another linkctl') });
        expect(refused.stderr).not.toContain('repeat the command');
      }
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
  });

  test('R 1.2: after an undo by force, the same file is shortened anew only with --again, because links of it may exist', async ({
    linkctl,
    service,
    words,
    run,
  }) => {
    const forced = await linkctl(['undo', run, '--yes', '--force']);
    expect(forced.code).toBe(10);
    expect(forced.stderr).toContain('warning: links of 2 rows whose outcome is unknown are left unchanged\n');
    expect(forced.stderr).toContain(
      `; check with: linkctl list; the command of the run (shorten urls.txt) names their destinations: ${ways}\n`,
    );
    expect(await destinations(service)).toEqual([3, 4].map(url));
    const message = `run ${run} was undone, but 2 of its rows may have links`;
    const refused = await linkctl(words);
    expect(refused).toMatchObject({ code: 10, stdout: '' });
    expect(refused.stderr).toMatch(
      new RegExp(
        `^error: ${message}\\n${url(3)}\\n${url(4)}\\n` +
          `hint: check with: linkctl list( --domain localhost)? --search https://a.example/ --all; ${ways}\\n$`,
      ),
    );
    const again = await linkctl([...words, '--again']);
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining(`warning: ${message}\n`) });
    expect(await destinations(service)).toEqual([1, 2, 3, 3, 4, 4, 5, 6].map(url));
  });

  test('U2, R 1.2: links that an undo left are named beside the rows in doubt, and the first ways out make no second links', async ({
    linkctl,
    service,
    wire,
    env,
    words,
    run,
  }) => {
    const deletion = { only: { method: 'DELETE' }, ...faults.silentBefore };
    await killed(['undo', run, '--yes', '--force'], deletion, { wire, env });
    const left = `run ${run} was undone, but 2 of its rows may still have links, and 2 more may have some`;
    const rest = `to undo the rest: linkctl undo ${run}, and with --force what that leaves unchanged; check with: linkctl list`;
    for (const [more, again] of [
      [[], ways],
      [['--dedupe', scope], 'to run it again, add --again'],
    ] as const) {
      const { code, stderr } = await linkctl([...words, ...more]);
      expect({ code, stderr }).toEqual({
        code: 10,
        stderr: expect.stringContaining(`error: ${left}\n${url(3)}\n${url(4)}\nhint: ${rest} `),
      });
      expect(stderr.endsWith(`; ${again}\n`)).toBe(true);
    }
    const kept = await linkctl([...words, '--again', '--dedupe', scope]);
    expect(kept).toMatchObject({ code: 0, stderr: expect.stringContaining(`warning: ${left}\n`) });
    expect((await destinations(service)).toSorted()).toEqual([1, 2, 3, 4, 5, 6].map(url));
  });

  test('R 1.2, J8: another file of the same name is told from the old one, and no longer refused once one was shortened', async ({
    linkctl,
    service,
    file,
    words,
    run,
  }) => {
    expect((await linkctl(['undo', run, '--yes', '--force'])).code).toBe(10);
    writeFileSync(file, lines([1, 2, 3, 4]));
    const refused = await linkctl(words);
    expect(refused).toMatchObject({ code: 10, stdout: '' });
    const message = `run ${run} was undone, but 2 of its rows may have links`;
    expect(refused.stderr).toMatch(
      new RegExp(
        `^error: ${message}\\n${file} changed since: whether it has these rows is not known\\n` +
          `hint: check with: linkctl list.* --all; ${ways}; to forget the run: linkctl runs forget ${run}\\n$`,
      ),
    );
    expect(await destinations(service)).toEqual([3, 4].map(url));
    writeFileSync(file, lines([7]));
    const again = await linkctl([...words, '--again']);
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining(`warning: ${message}\n`) });
    for (const more of [[], ['--again']]) {
      writeFileSync(file, lines([8, more.length]));
      const next = await linkctl([...words, ...more]);
      expect(next).toMatchObject({ code: 0, stderr: expect.not.stringContaining('may have links') });
    }
    // The rows in doubt themselves are still refused.
    writeFileSync(file, lines([1, 2, 3, 4, 5, 6]));
    expect(await linkctl(words)).toMatchObject({ code: 10, stderr: expect.stringContaining(`error: ${message}\n${url(3)}\n`) });
  });

  test('R 1.2: a run of the file from before the undo decides nothing about its rows in doubt', async ({
    linkctl,
    file,
    words,
    run,
  }) => {
    writeFileSync(file, lines([7]));
    expect((await linkctl([...words, '--again'])).code).toBe(0);
    expect((await linkctl(['undo', run, '--yes', '--force'])).code).toBe(10);
    writeFileSync(file, lines([3]));
    expect(await linkctl(words)).toMatchObject({ code: 10, stderr: expect.stringContaining(`runs forget ${run}\n`) });
    expect((await linkctl(['runs', 'forget', run, '--yes'])).code).toBe(0);
    expect((await linkctl(words)).code).toBe(0);
  });

  test.for([
    ['stopped there', 1],
    ['went on to its end', 2],
  ] as const)(
    'R 1.2: rows that a run gave up as unknown are not made again after its undo: it %s',
    async ([, times], { linkctl, service, wire, words, run }) => {
      // A listing that does not show the latest links proves nothing.
      await wire.script([
        { only: { method: 'GET', path: '/urls' }, answer: { body: { error: { code: 0, message: '' }, urls: [] } }, times: 'all' },
      ]);
      for (let nth = 0; nth < times; nth += 1) {
        expect((await linkctl(words, haste)).code).toBe(10);
        await wire.script([]);
      }
      for (let nth = 0; nth < 2; nth += 1) {
        const undone = await linkctl(['undo', run, '--yes']);
        expect(undone).toMatchObject({ code: 10, stderr: expect.stringContaining(`names their destinations: ${ways}\n`) });
      }
      expect(await linkctl(words)).toMatchObject({ code: 10, stderr: expect.stringContaining('2 of its rows may have links') });
      expect(await destinations(service)).toEqual([3, 4].map(url));
    },
  );

  test('J8: the hint for a file that was edited since does not lead around its rows in doubt', async ({
    linkctl,
    service,
    file,
    words,
    run,
  }) => {
    writeFileSync(file, lines([1, 2, 3, 4]));
    const refused = await linkctl(words);
    expect(refused).toMatchObject({ code: 9 });
    expect(refused.stderr).toContain(
      `hint: restore the old file and run the command again; to undo the run, after its command has settled its unknown rows: linkctl undo ${run}; `,
    );
    expect((await linkctl(['undo', run, '--yes'])).code).toBe(10);
    writeFileSync(file, lines([1, 2, 3, 4, 5, 6]));
    expect((await linkctl(words, haste)).code).toBe(0);
    expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
    writeFileSync(file, lines([1, 2, 3, 4]));
    expect((await linkctl(words)).code).toBe(0);
    expect(await destinations(service)).toEqual([1, 2, 3, 4].map(url));
  });

  describe.each([
    ['without hashes', [], 4],
    ['with hashes made here', ['--generate-hashes'], 1],
  ] as const)('%s', (_, flags, most) => {
    test.override({ flags: [...flags] });

    test('R 1.2: who forgets a run is told that its rows in doubt may get second links, too', async ({
      linkctl,
      file,
      words,
      run,
    }) => {
      writeFileSync(file, lines([1, 2, 3, 4]));
      const consequence = `make second links for up to ${most} of its rows`;
      expect((await linkctl(words)).stderr).toContain(`; to forget it and ${consequence}: linkctl runs forget ${run} --yes\n`);
      const watched = { terminal: { stdin: true, stdout: true, stderr: true }, stdin: 'n\n' };
      const asked = (await linkctl(['runs', 'forget', run], watched)).stderr.replace(/\s+/g, ' ');
      expect(asked).toContain(` The same command would start again from the first row and ${consequence}. `);
      const forgotten = await linkctl(['runs', 'forget', run, '--yes']);
      expect(forgotten.stderr).toMatch(
        new RegExp(`^changes of run ${run} stay: .*\\d unknown; the same command would ${consequence}\n$`),
      );
    });
  });
});
