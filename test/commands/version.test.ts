import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runProgram } from '../support/built-program.ts';
import { test } from '../support/linkctl.ts';

const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'));

test('Q2: version --licenses prints our own license and those of all packages in the program', async ({ homeEnv }) => {
  const { code, stdout } = await runProgram(['version', '--licenses'], homeEnv);
  expect(code).toBe(0);
  expect(stdout).toContain(`linkctl ${manifest.version} (MIT)`);
  for (const [name, version] of Object.entries(manifest.dependencies)) expect(stdout).toContain(`\n${name} ${version} (`);
  expect(stdout.match(/^Permission (is hereby granted|to use)/gm)?.length).toBeGreaterThan(20);
});

test('B32: version -o json is JSON, with the licenses if they are asked for', async ({ linkctl, homeEnv }) => {
  for (const format of ['json', 'jsonl']) {
    const ran = await linkctl(['version', '-o', format]);
    expect(ran).toEqual({ code: 0, stdout: `{"version":"${manifest.version}"}\n`, stderr: '' });
  }
  for (const words of [['version'], ['version', '-o', 'tsv'], ['--version']]) {
    expect((await linkctl(words)).stdout).toBe(`linkctl ${manifest.version}\n`);
  }
  const { stdout } = await runProgram(['version', '--licenses', '-o', 'json'], homeEnv);
  expect(JSON.parse(stdout)).toEqual({ version: manifest.version, licenses: expect.stringContaining(' (MIT)\n') });
});

test('B18: version takes its field, and no other', async ({ linkctl }) => {
  expect((await linkctl(['version', '--fields', 'version'])).stdout).toBe(`version\t${manifest.version}\n`);
  expect(await linkctl(['version', '--fields', 'nosuch'])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('fields: version\n'),
  });
});

test('Q2: without a build, as in a checkout, the licenses are not there: exit 9 says what to do', async ({ linkctl }) => {
  expect(await linkctl(['version', '--licenses'])).toMatchObject({
    code: 9,
    stderr: expect.stringContaining('npm ci builds it'),
  });
});
