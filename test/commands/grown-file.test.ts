import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { startProgram } from '../support/built-program.ts';
import { type Linkctl, sent, test } from '../support/linkctl.ts';
import { stored } from '../support/stored-links.ts';
import { until } from '../support/until.ts';
import { undoLast } from './undo-world.ts';

const [first, appended] = ['long_url\nhttps://e.com/1\nhttps://e.com/2\nhttps://e.com/3\n', 'https://e.com/4\nhttps://e.com/5\n'];
const keyed = 'long_url,custom_hash\nhttps://e.com/1,one\n';

describe('a file that has grown since it was shortened', () => {
  test.beforeEach(async ({ folder, linkctl }) => {
    writeFileSync(join(folder, 'links.csv'), first);
    expect(await linkctl(['shorten', '-f', join(folder, 'links.csv')])).toMatchObject({ code: 0 });
    appendFileSync(join(folder, 'links.csv'), appended);
  });

  test('D23: is refused before anything is sent: its first rows would get second links', async ({ folder, linkctl, wire }) => {
    const before = (await sent(wire)).filter(({ call }) => call.startsWith('POST'));
    for (const more of [[], ['--dry-run'], ['--note', 'x'], ['--generate-hashes']]) {
      const { code, stderr } = await linkctl(['shorten', '-f', join(folder, 'links.csv'), ...more]);
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringMatching(
          /links\.csv has grown since run \S+ shortened its first 3 rows\nhint: .* --dedupe domain.*; .* --again\n$/,
        ),
      });
    }
    expect((await sent(wire)).filter(({ call }) => call.startsWith('POST'))).toEqual(before);
  });

  test('D23: gets links for its new rows alone with the printed flag, and second ones with --again', async ({
    folder,
    linkctl,
    service,
  }) => {
    const path = join(folder, 'links.csv');
    expect(await linkctl(['shorten', '-f', path, ...(await printedFlag(linkctl, path))])).toMatchObject({ code: 0 });
    expect(await stored(service)).toHaveLength(5);
    appendFileSync(path, 'https://e.com/6\n');
    expect((await linkctl(['shorten', '-f', path])).stderr).toContain('shortened its first 5 rows');
    expect(await linkctl(['shorten', '-f', path, '--again'])).toMatchObject({ code: 0 });
    expect(await stored(service)).toHaveLength(11);
  });

  test('D23: is shortened after an undo of that run', async ({ folder, linkctl }) => {
    await undoLast(linkctl);
    expect(await linkctl(['shorten', '-f', join(folder, 'links.csv')])).toMatchObject({ code: 0 });
  });
});

test('D23: while another process still shortens the file, a refusal says so, and advises nobody to discard its run', async ({
  env,
  folder,
  linkctl,
  wire,
}) => {
  const path = join(folder, 'links.csv');
  writeFileSync(path, keyed);
  await wire.script([{ only: { method: 'POST' }, times: 'all', end: 'silent' }]);
  const { process: child, ended } = startProgram(['shorten', '-f', path], env);
  try {
    await until(async () => (await sent(wire)).some(({ call }) => call.startsWith('POST')), 'a POST is sent');
    const inUse = {
      code: 9,
      stderr: expect.stringMatching(
        new RegExp(
          `^error: run \\S+ is in use by another linkctl \\(process ${child.pid}\\).*\\nhint: if no such process .*\\n$`,
        ),
      ),
    };
    expect(await linkctl(['shorten', '-f', path, '--note', 'x'])).toMatchObject(inUse);
    appendFileSync(path, 'https://e.com/2,two\n');
    for (const more of [[], ['--dry-run']]) expect(await linkctl(['shorten', '-f', path, ...more])).toMatchObject(inUse);
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
  const left = await linkctl(['shorten', '-f', path]);
  expect(left).toMatchObject({ code: 9, stderr: expect.stringContaining('links.csv changed since the unfinished run ') });
});

describe('a file that has grown, on an account of several domains', () => {
  test.override({ domains: [{ name: 'a.example' }, { name: 'b.example' }] });

  test('D23: gets no links of another domain with the printed flag', async ({ folder, linkctl }) => {
    const path = join(folder, 'links.csv');
    await linkctl(['shorten', 'https://e.com/1', 'https://e.com/4', '--domain', 'b.example']);
    writeFileSync(path, first);
    const made = await linkctl(['shorten', '-f', path]);
    appendFileSync(path, appended);
    const grown = await linkctl(['shorten', '-f', path, ...(await printedFlag(linkctl, path))]);
    expect(grown).toMatchObject({ code: 0, stdout: expect.stringMatching(/^(http:\/\/a\.example\/\S+\n){5}$/) });
    expect(grown.stdout.startsWith(made.stdout)).toBe(true);
  });
});

describe('a file that has grown, on edition B', () => {
  test.override({ edition: 'b' });

  test('D23: keeps its links with the printed flag', async ({ folder, linkctl, service }) => {
    const path = join(folder, 'links.csv');
    writeFileSync(path, first);
    await linkctl(['shorten', '-f', path]);
    appendFileSync(path, appended);
    expect((await linkctl(['shorten', '-f', path, ...(await printedFlag(linkctl, path))])).code).toBe(0);
    expect(await stored(service)).toHaveLength(5);
  });
});

test('D23: a file of hashes that has grown by a row without one is refused, and keeps its links with the printed flag', async ({
  folder,
  linkctl,
  service,
}) => {
  const path = join(folder, 'links.csv');
  writeFileSync(path, keyed);
  await linkctl(['shorten', '-f', path]);
  appendFileSync(path, 'https://e.com/2,\n');
  const { code, stderr } = await linkctl(['shorten', '-f', path]);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(
      /has grown since run \S+ shortened its first row\nhint: to keep the links of rows that have some, add --dedupe domain\n$/,
    ),
  });
  expect((await linkctl(['shorten', '-f', path, ...(await printedFlag(linkctl, path))])).code).toBe(0);
  expect((await stored(service)).map(({ long_url }) => long_url)).toEqual(['https://e.com/1', 'https://e.com/2']);
});

/** What the refusal says to add, to keep the links of the first rows. */
async function printedFlag(linkctl: Linkctl, path: string): Promise<string[]> {
  const [, flag = ''] = / add (--dedupe \w+)/.exec((await linkctl(['shorten', '-f', path])).stderr) ?? [];
  return flag.split(' ');
}

test.for([
  ['whose rows were replaced', first, `${first.replace('/1', '/9')}${appended}`],
  ['that became shorter', `${first}${appended}`, first],
  ['whose rows all have hashes', keyed, `${keyed}https://e.com/2,two\n`],
] as const)('D23: a file %s is another input', async ([, before, after], { folder, linkctl }) => {
  const path = join(folder, 'links.csv');
  writeFileSync(path, before);
  await linkctl(['shorten', '-f', path]);
  writeFileSync(path, after);
  const { code, stderr } = await linkctl(['shorten', '-f', path]);
  expect(code).toBe(0);
  expect(stderr).not.toContain('grown');
});
