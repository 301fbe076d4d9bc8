import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { buildChild, type ChildProgram, ended } from '../support/child-program.ts';
import { inBothEditions, test } from './running-service.ts';

/** What only the engine that keeps its data in files has. */

let program: ChildProgram;

beforeAll(async () => {
  program = await buildChild(join(import.meta.dirname, 'service-child.ts'));
});

afterAll(() => program.remove());

inBothEditions((test) => {
  test('nobody but the owner can read the data', async ({ start, folder }) => {
    const directory = join(folder, 'data');
    const client = await start({ data: directory });
    await client.shorten({ long_url: 'https://example.com/' });
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    for (const name of await readdir(directory)) expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600);
  });
});

test('a directory that cannot be used, and a file that is no store, are refused at the start', async ({ start, folder }) => {
  await writeFile(join(folder, 'file'), '');
  await expect(start({ data: join(folder, 'file') })).rejects.toThrow();
  await mkdir(join(folder, 'bad'));
  await writeFile(join(folder, 'bad', 'links-a.db'), 'this is not a store, and long enough to be seen as none'.repeat(100));
  await expect(start({ data: join(folder, 'bad') })).rejects.toThrow('not a database');
});

test('without a storage engine the start says in one sentence what to do', async ({ folder }) => {
  const bundle = await readFile(program.file, 'utf8');
  const crippled = join(folder, 'crippled.mjs');
  await writeFile(
    crippled,
    bundle.replaceAll('node:sqlite', 'node:none').replaceAll(/file:[^"']*@photostructure[^"']*/g, 'file:///none.mjs'),
  );
  const { code, stderr } = await ended(spawn(process.execPath, [crippled, folder], { stdio: ['ignore', 'pipe', 'pipe'] }));
  expect(code).toBe(1);
  expect(stderr).toContain('use Node 22.13 or later, or install the optional package @photostructure/sqlite');
});
