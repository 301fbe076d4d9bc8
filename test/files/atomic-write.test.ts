import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { processSystem } from '../../src/base/system.ts';
import { atomicWrite, startReplacement } from '../../src/files/atomic-write.ts';
import { newMark } from '../../src/files/process-mark.ts';
import { buildChild, type ChildProgram, ended } from '../support/child-program.ts';

let child: ChildProgram;
let folder: string;
let path: string;
const system = processSystem();

beforeAll(async () => {
  child = await buildChild(join(import.meta.dirname, 'write-child.ts'));
});
afterAll(() => child.remove());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'linkctl-files-'));
  path = join(folder, 'links.csv');
});
afterEach(() => rmSync(folder, { recursive: true }));

test('R-23: a file is replaced whole, 0600, and nothing else is left in the folder', () => {
  writeFileSync(path, 'old', { mode: 0o644 });
  atomicWrite(path, 'new é\n', system);
  expect(readFileSync(path, 'utf8')).toBe('new é\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['links.csv']);
});

test('R-23: the old content is kept until a replacement in pieces is committed', () => {
  writeFileSync(path, 'old');
  const replacement = startReplacement(path, system);
  replacement.write('one,');
  replacement.write(Buffer.from('two'));
  expect(readFileSync(path, 'utf8')).toBe('old');
  replacement.commit();
  expect(readFileSync(path, 'utf8')).toBe('one,two');
});

test('R-23: a discarded replacement leaves the old content and no temporary', () => {
  writeFileSync(path, 'old');
  const replacement = startReplacement(path, system);
  replacement.write('new');
  replacement.discard();
  expect(readFileSync(path, 'utf8')).toBe('old');
  expect(readdirSync(folder)).toEqual(['links.csv']);
  expect(() => replacement.write('more')).toThrow('already closed');
});

test('R-24: temporaries of dead writers go at the next write, those of live writers and strange files stay', () => {
  const dead = `${path}.${newMark(system).replace(/^(\d+)\.\d+/, '$1.1')}.tmp`;
  const alive = `${path}.${newMark(system)}.tmp`;
  const strange = `${path}.backup.tmp`;
  for (const name of [dead, alive, strange]) writeFileSync(name, 'secret');
  atomicWrite(path, 'new', system);
  expect([dead, alive, strange].map((name) => existsSync(name))).toEqual([false, true, true]);
});

test('a symbolic link stays a link, and what it points to gets the content', () => {
  const target = join(folder, 'elsewhere.json');
  writeFileSync(target, 'old');
  symlinkSync(target, path);
  atomicWrite(path, 'new', system);
  expect(lstatSync(path).isSymbolicLink()).toBe(true);
  expect(readFileSync(target, 'utf8')).toBe('new');
});

test('R-24: a file of another user is not overwritten', () => {
  writeFileSync(path, 'theirs');
  // Root's files are everybody's, so the owner is changed where we may and we are another user where we may not.
  if (system.userId === 0) execFileSync('chown', ['54321', path]);
  expect(() => atomicWrite(path, 'ours', { ...system, userId: 4321 })).toThrow('belongs to another user');
  expect(readFileSync(path, 'utf8')).toBe('theirs');
});

test.each([
  ['a folder', () => mkdirSync(path), 'not a regular file'],
  ['a link in a circle', () => symlinkSync(path, path), 'symbolic links form a loop'],
  ['a link to nothing', () => symlinkSync(join(folder, 'nothing'), path), 'no such file'],
])('exit 9: %s in the place of the file is named', (_what, make, reason) => {
  make();
  expect(() => atomicWrite(path, 'new', system)).toThrow(expect.objectContaining({ exitCode: 9 }));
  expect(() => atomicWrite(path, 'new', system)).toThrow(reason);
  expect(() => atomicWrite(path, 'new', system)).toThrow(path);
});

test('exit 9: a folder that does not exist is named', () => {
  expect(() => atomicWrite(join(folder, 'no', 'x'), '', system)).toThrow(`cannot write ${join(folder, 'no', 'x')}: no such file`);
});

test('R-23: where the disk takes only a part, the old content is kept and no temporary is left', async () => {
  writeFileSync(path, 'old');
  // 8 blocks are 4 or 8 KiB, depending on the shell.
  const limited = 'ulimit -f 8; exec "$0" "$@"';
  expect(() =>
    execFileSync('sh', ['-c', limited, process.execPath, child.file, path, '100000', '1'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    }),
  ).toThrow('exceed the size limit');
  expect(readFileSync(path, 'utf8')).toBe('old');
  expect(readdirSync(folder)).toEqual(['links.csv']);
});

test('R-23: whenever a writer is killed, the file is one whole version', async () => {
  const size = 200_000;
  for (let kill = 0; kill < 12; kill++) {
    const writer = child.start([path, String(size), '1000000']);
    const end = ended(writer);
    await new Promise((resolve) => writer.stdout?.once('data', resolve));
    await delay(Math.random() * 40);
    writer.kill('SIGKILL');
    expect(await end).toMatchObject({ signal: 'SIGKILL', stderr: '' });
    expect(readFileSync(path, 'latin1')).toMatch(new RegExp(`^([a-z])\\1{${size - 1}}\n$`));
  }
  atomicWrite(path, 'end', system);
  expect(readdirSync(folder)).toEqual(['links.csv']);
});
