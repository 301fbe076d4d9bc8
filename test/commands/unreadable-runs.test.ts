import { chmodSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { test as base, type Linkctl } from '../support/linkctl.ts';
import { asSomebody } from '../support/somebody.ts';

const test = base.extend<{
  /** The folder of the records, with one of a link that was typed. */
  runs: string;
  /** Runs `linkctl` as somebody who may use all folders of the test but not what is given. */
  without: (path: string, argv: readonly string[]) => ReturnType<Linkctl>;
}>({
  runs: async ({ linkctl, folder }, use) => {
    await linkctl(['shorten', 'https://example.com/']);
    await use(join(folder, '.local', 'state', 'linkctl', 'runs'));
  },
  without: async ({ linkctl, folder }, use) => {
    await use(async (path, argv) => {
      const folders = readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ parentPath, name }) => join(parentPath, name));
      chmodSync(path, 0);
      const own = [folder, ...folders].filter((one) => one !== path);
      return await asSomebody(own, () => linkctl(argv)).finally(() => chmodSync(path, 0o700));
    });
  },
});

test('U4: the record of a run that may not be read is named as that, not as damaged, also for a profile', async ({
  runs,
  without,
}) => {
  const [record = ''] = readdirSync(runs);
  const run = record.replace('.log', '');
  const path = join(runs, record);
  expect(await without(path, ['runs', '--fields', 'run,state'])).toMatchObject({ code: 0, stdout: `${run}\tunreadable\n` });
  expect(await without(path, ['runs', '-p', 'sandbox', '--fields', 'run,state'])).toMatchObject({
    code: 0,
    stdout: `${run}\tunreadable\n`,
  });
});

test('U2: the record of the last change may not be read: exit 9, which file it is, and no advice to delete it', async ({
  runs,
  without,
}) => {
  const path = join(runs, readdirSync(runs)[0] ?? '');
  const { code, stderr } = await without(path, ['undo', '--dry-run']);
  expect({ code, stderr }).toEqual({
    code: 9,
    stderr: [
      `error: cannot read ${path}: permission denied`,
      `hint: it may be the record of the last change: make it readable (ls -ln ${path}), or name the run to undo (linkctl runs)`,
      '',
    ].join('\n'),
  });
});

test.for([
  ['runs', ''],
  ['runs', '..'],
  ['undo --dry-run', ''],
  ['undo --dry-run', '..'],
  ['shorten https://example.com/2', ''],
] as const)(
  'U4: %s: a folder of records that may not be read is not an empty one: exit 9 (%s)',
  async ([words, place], { runs, without }) => {
    expect(await without(join(runs, place), words.split(' '))).toEqual({
      code: 9,
      stdout: '',
      stderr: `error: cannot read the folder ${runs}: permission denied\n`,
    });
  },
);

test('U4: a file in the place of the records is exit 9', async ({ linkctl, runs }) => {
  renameSync(runs, `${runs}.old`);
  writeFileSync(runs, '');
  expect(await linkctl(['runs'])).toEqual({
    code: 9,
    stdout: '',
    stderr: `error: cannot read the folder ${runs}: a part of the path is not a folder\n`,
  });
});

test('U2, U4: a folder in the place of a journal is a damaged record', async ({ linkctl, runs }) => {
  mkdirSync(join(runs, '29991129-224200-498133b7', 'journal.log'), { recursive: true });
  const { stdout } = await linkctl(['runs', '--fields', 'run,state']);
  expect(stdout).toContain('29991129-224200-498133b7\tdamaged\n');
  expect(await linkctl(['undo', '--dry-run'])).toMatchObject({ code: 9, stderr: expect.stringContaining('is damaged') });
});
