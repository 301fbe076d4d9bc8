import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test as plainTest } from 'vitest';
import { qrFileName } from '../../src/commands/qr/qr-pictures.ts';
import { readCode, screenModules, svgModules } from '../output/qr-reading.ts';
import { sent, test } from '../support/linkctl.ts';

const screen = { terminal: { stdout: true, stderr: true }, columns: 80 } as const;

describe('--qr', () => {
  test('shorten --qr draws the short URL below its sentence', async ({ linkctl }) => {
    const { code, stdout } = await linkctl(['shorten', 'https://nodejs.org/', '--hash', 'node', '--qr'], screen);
    const [sentence, ...lines] = stdout.trimEnd().split('\n');
    expect(code).toBe(0);
    expect(sentence).toContain(' → https://nodejs.org/');
    expect(readCode(screenModules(lines, { coloured: true, halves: true }))).toMatch(/^http:\/\/localhost(:\d+)?\/node$/);
  });

  test('list <hash> --qr draws each, and one that is not there is reported as usual', async ({ linkctl }) => {
    await linkctl(['shorten', 'https://nodejs.org/', '--hash', 'node']);
    const ran = await linkctl(['list', 'node', 'gone', '--qr', '--no-color'], screen);
    const [sentence, ...lines] = ran.stdout.trimEnd().split('\n');
    expect(sentence).toMatch(/^http\S+\/node → https:\/\/nodejs\.org\/$/);
    expect(readCode(screenModules(lines, { coloured: false, halves: true }))).toMatch(/\/node$/);
    expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining('gone') });
  });

  test('B96: without UTF-8 it is drawn in ASCII', async ({ linkctl }) => {
    const args = ['shorten', 'https://nodejs.org/', '--hash', 'node', '--qr', '--no-color'];
    const { stdout } = await linkctl(args, { ...screen, env: { LC_ALL: 'C' } });
    const [, ...lines] = stdout.trimEnd().split('\n');
    expect(stdout).toMatch(/^[\x20-\x7e\n]*$/);
    expect(readCode(screenModules(lines, { coloured: false, halves: false }))).toMatch(/\/node$/);
  });

  test('B24: a terminal that is too narrow gets a note', async ({ linkctl }) => {
    const ran = await linkctl(['shorten', 'https://nodejs.org/', '--qr'], { ...screen, columns: 30 });
    expect(ran.stdout).toMatch(/ \S+ →\nhttps:\/\/nodejs\.org\/\n$/);
    expect(ran).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^the QR code needs \d+ columns;\nto write it to a file, use\n--qr-file/),
    });
  });

  test.for([
    [['shorten', 'https://nodejs.org/', '--qr'], {}],
    [['shorten', 'https://nodejs.org/', '--qr', '-o', 'json'], screen],
    [['shorten', 'https://nodejs.org/', '--qr', '--fields', 'hash'], screen],
    [['shorten', 'https://nodejs.org/', '--qr'], { ...screen, env: { LINKCTL_OUTPUT: 'csv' } }],
    [['list', '--qr'], screen],
    [['list', '--by-tags', 'a', '--qr'], screen],
  ] as const)('B11: %j where nothing can be drawn is exit 2, and nothing is sent', async ([argv, world], { linkctl, wire }) => {
    expect(await linkctl(argv, world)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--qr') });
    expect(await sent(wire)).toEqual([]);
  });
});

describe('--qr-file', () => {
  test('shorten --qr-file makes the folder and writes a file named by the hash; stdout is as without', async ({
    linkctl,
    folder,
  }) => {
    const codes = join(folder, 'a', 'codes');
    const { code, stdout } = await linkctl(['shorten', 'https://nodejs.org/', '--hash', 'node', '--qr-file', codes]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^http\S+\/node\n$/) });
    expect(readdirSync(codes)).toEqual(['node.svg']);
    expect(readCode(svgModules(readFileSync(join(codes, 'node.svg'), 'utf8')))).toBe(stdout.trim());
  });

  test('every row of a file gets one, and every URL of a listing', async ({ linkctl, folder }) => {
    const codes = join(folder, 'codes');
    await linkctl(['shorten', '-f', '-', '--qr-file', codes], { stdin: 'https://a.example/\nhttps://b.example/\n' });
    expect(readdirSync(codes)).toHaveLength(2);
    const listed = await linkctl(['list', '--all', '-o', 'json', '--qr-file', join(folder, 'listed')]);
    const files = JSON.parse(listed.stdout).urls.map(({ hash }: { hash: string }) => `${hash}.svg`);
    expect(readdirSync(join(folder, 'listed')).sort()).toEqual(files.sort());
  });

  test('a file that is there is kept: exit 9; --yes replaces it; one that says the same is no trouble', async ({
    linkctl,
    folder,
  }) => {
    const file = join(folder, 'node.svg');
    writeFileSync(file, 'mine');
    const refused = await linkctl(['shorten', 'https://nodejs.org/', '--hash', 'node', '--qr-file', folder]);
    expect(refused).toMatchObject({ code: 9, stdout: expect.stringMatching(/\/node\n$/) });
    expect(refused.stderr).toContain('error: 1 QR code was not written; the short URLs exist\n');
    expect(refused.stderr).toContain('node.svg already exists; to overwrite it, add --yes\n');
    expect(readFileSync(file, 'utf8')).toBe('mine');
    for (const flags of [['--yes'], []]) {
      expect(await linkctl(['list', 'node', '--qr-file', folder, ...flags])).toMatchObject({ code: 0, stderr: '' });
      expect(readFileSync(file, 'utf8')).toMatch(/^<svg /);
    }
  });

  test('F39: --yes replaces a symbolic link and does not write where it leads', async ({ linkctl, folder }) => {
    mkdirSync(join(folder, 'codes'));
    writeFileSync(join(folder, 'precious'), 'mine');
    symlinkSync(join(folder, 'precious'), join(folder, 'codes', 'node.svg'));
    await linkctl(['shorten', 'https://nodejs.org/', '--hash', 'node', '--yes', '--qr-file', join(folder, 'codes')]);
    expect(readFileSync(join(folder, 'precious'), 'utf8')).toBe('mine');
    expect(readFileSync(join(folder, 'codes', 'node.svg'), 'utf8')).toMatch(/^<svg /);
  });

  test('F39: a server that calls a short URL ../evil writes nothing outside the folder', async ({ linkctl, folder, wire }) => {
    const urls = ['../evil', '/etc/evil', '..', 'a/b', 'Ab', 'aB'].map((hash) => ({
      hash,
      short_url: `s.ex/${hash}`,
      long_url: 'https://a.example/',
      total_clicks: 0,
      unique_clicks: 0,
      tags: [],
    }));
    await wire.script([{ apply: false, answer: { body: { error: { code: 0, message: '' }, urls, page: { total_count: 6 } } } }]);
    const codes = join(folder, 'deep', 'codes');
    expect(await linkctl(['list', '--qr-file', codes])).toMatchObject({ code: 0 });
    expect(readdirSync(codes).sort()).toEqual([
      '%2E%2E%2Fevil.svg',
      '%2E%2E.svg',
      '%2Fetc%2Fevil.svg',
      'Ab.svg',
      'a%2Fb.svg',
      'aB~2.svg',
    ]);
    expect(readdirSync(join(folder, 'deep'))).toEqual(['codes']);
  });

  test('a folder that cannot be made is exit 9 before anything is sent', async ({ linkctl, folder, wire }) => {
    writeFileSync(join(folder, 'file'), '');
    const ran = await linkctl(['shorten', 'https://nodejs.org/', '--qr-file', join(folder, 'file', 'codes')]);
    expect(ran).toMatchObject({ code: 9, stdout: '', stderr: expect.stringContaining('cannot make ') });
    expect(await sent(wire)).toEqual([]);
  });

  test('B60: --dry-run writes nothing', async ({ linkctl, folder }) => {
    const codes = join(folder, 'codes');
    const dryRun = (...words: string[]) => linkctl([...words, '-n', '--qr-file', codes]);
    await linkctl(['shorten', 'https://nodejs.org/']);
    expect(await dryRun('shorten', 'https://nodejs.org/')).toMatchObject({ code: 0 });
    expect(await dryRun('list')).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(codes)).toBe(false);
    mkdirSync(codes);
    expect(await dryRun('list')).toMatchObject({ code: 0, stderr: '' });
    expect(readdirSync(codes)).toEqual([]);
  });
});

plainTest.each([
  ['abc', 'abc.svg'],
  ['A-b_9', 'A-b_9.svg'],
  ['.', '%2E.svg'],
  ['..', '%2E%2E.svg'],
  ['a.b', 'a%2Eb.svg'],
  ['-rf', '-rf.svg'],
  ['a\u0000b', 'a%00b.svg'],
  ['é', '%C3%A9.svg'],
  ['C:\\x', 'C%3A%5Cx.svg'],
  ['nul', '%6Eul.svg'],
  ['COM1', '%43OM1.svg'],
  ['', '%.svg'],
])('F39: the code of hash %j is in %s', (hash, name) => {
  expect(qrFileName(hash)).toBe(name);
});

plainTest('F39: a hash of any length has a name that a file system takes, and another hash another', () => {
  const [one, other] = [qrFileName(`${'é'.repeat(4000)}1`), qrFileName(`${'é'.repeat(4000)}2`)];
  expect(one.length).toBeLessThanOrEqual(255);
  expect(one).not.toBe(other);
});
