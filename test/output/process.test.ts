import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildChild, type ChildProgram } from '../support/child-program.ts';
import { needs } from '../support/tools.ts';

let program: ChildProgram;
let folder: string;

beforeAll(async () => {
  program = await buildChild(new URL('child.ts', import.meta.url).pathname);
  folder = await mkdtemp(join(tmpdir(), 'linkctl-output-'));
});

afterAll(async () => {
  program.remove();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a line of bash in which `$LIST <rows>` prints rows. */
function bash(line: string, env: Record<string, string> = {}): Promise<{ code: number; stdout: string; stderr: string }> {
  needs('bash');
  const LIST = `${process.execPath} ${program.file}`;
  return new Promise((resolve) => {
    execFile(
      'bash',
      ['--norc', '-o', 'pipefail', '-c', line],
      { env: { PATH: process.env.PATH, LIST, ...env }, cwd: folder, maxBuffer: 1e8 },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

// One that is written row by row, and one that is laid out by pages.
test.each(['json', 'table'])('B37: %s reaches a slow reader whole', async (format) => {
  const options = `'{"format":"${format}"}'`;
  const file = `whole.${format}`;
  await bash(`$LIST 3000 ${options} > ${file}`);
  const { stdout, code } = await bash(`$LIST 3000 ${options} | (sleep 0.3; wc -c)`);
  expect(code).toBe(0);
  expect(statSync(join(folder, file)).size).toBeGreaterThan(2 * 65_536);
  expect(Number(stdout)).toBe(statSync(join(folder, file)).size);
});

test.each(['json', 'table'])('B40, T8: a reader of the first line of %s is no failure', async (format) => {
  const { code, stderr } = await bash(`$LIST 100000 '{"format":"${format}"}' | head -1 > /dev/null`);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('B20: whoever reads the head of a long listing is not kept waiting for its pages', async () => {
  const { stdout, stderr } = await bash(`$LIST 1000000 '{"format":"jsonl"}' | head -3`, { PEAK: '1' });
  expect(stdout.split('\n').length).toBe(4);
  expect(Number(stderr.split(' ')[0])).toBeLessThan(3000);
});

test('B38: a full device is reported in words', async () => {
  const { code, stderr } = await bash('$LIST 1000 > /dev/full');
  expect({ code, stderr }).toEqual({ code: 9, stderr: 'error: cannot write output: no space left on device\n' });
});

test('B38: a file that takes only a part is reported, where Node itself reports success', async () => {
  const { code, stderr } = await bash("trap '' XFSZ; ulimit -f 16; $LIST 1000 > part.tsv");
  expect((await readFile(join(folder, 'part.tsv'))).length).toBe(16 * 1024);
  expect({ code, stderr }).toEqual({ code: 9, stderr: 'error: cannot write output: file too large\n' });
});

test('R-19: a closed stderr changes nothing', async () => {
  const { code, stdout } = await bash('$LIST 1000 2>&- | wc -l');
  expect(code).toBe(0);
  expect(Number(stdout)).toBe(1000);
});

test('T3: words on the command line that look like colour flags colour nothing in a pipe', async () => {
  const { stdout } = await bash(`$LIST 1000 '{"format":"table","colour":"never"}' --color never list | cat`);
  expect(stdout).toMatch(/^HASH /);
  expect(stdout).not.toContain('\u001b');
});

test('B36: NO_COLOR together with FORCE_COLOR draws no warning from Node', async () => {
  const { stdout, stderr } = await bash(`$LIST 1000 '{"format":"table"}'`, { NO_COLOR: '1', FORCE_COLOR: '1' });
  expect(stdout).not.toContain('\u001b');
  expect(stderr).toBe('');
});

test.each(['json', 'csv'])('memory does not grow with the rows of %s', async (format) => {
  const peak = async (rows: number): Promise<number> => {
    const { stderr } = await bash(`$LIST ${rows} '{"format":"${format}"}' | cat > /dev/null`, { PEAK: '1' });
    return Number(stderr.split(' ')[1]);
  };
  const [few, many] = [await peak(20_000), await peak(200_000)];
  expect(many / few).toBeLessThan(1.5);
});
