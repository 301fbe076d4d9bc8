import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { sent, test } from '../support/linkctl.ts';
import { stored } from '../support/stored-links.ts';
import { undoLast } from './undo-world.ts';

const [first, appended] = ['long_url\nhttps://e.com/1\nhttps://e.com/2\nhttps://e.com/3\n', 'https://e.com/4\nhttps://e.com/5\n'];

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
          /links\.csv has grown since run \S+ shortened its first 3 rows\nhint: .* --dedupe account.*; .* --again\n$/,
        ),
      });
    }
    expect((await sent(wire)).filter(({ call }) => call.startsWith('POST'))).toEqual(before);
  });

  test('D23: gets links for its new rows alone with --dedupe account, and second ones with --again', async ({
    folder,
    linkctl,
    service,
  }) => {
    const path = join(folder, 'links.csv');
    expect(await linkctl(['shorten', '-f', path, '--dedupe', 'account'])).toMatchObject({ code: 0 });
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

test.for([
  ['whose rows were replaced', first, `${first.replace('/1', '/9')}${appended}`],
  ['that became shorter', `${first}${appended}`, first],
  [
    'whose rows have hashes',
    'long_url,custom_hash\nhttps://e.com/1,one\n',
    'long_url,custom_hash\nhttps://e.com/1,one\nhttps://e.com/2,\n',
  ],
] as const)('D23: a file %s is another input', async ([, before, after], { folder, linkctl }) => {
  const path = join(folder, 'links.csv');
  writeFileSync(path, before);
  await linkctl(['shorten', '-f', path]);
  writeFileSync(path, after);
  const { code, stderr } = await linkctl(['shorten', '-f', path]);
  expect([0, 3]).toContain(code);
  expect(stderr).not.toContain('grown');
});
