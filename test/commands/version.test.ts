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

test('Q2: without a build, as in a checkout, the licenses are not there: exit 9 says what to do', async ({ linkctl }) => {
  expect(await linkctl(['version', '--licenses'])).toMatchObject({
    code: 9,
    stderr: expect.stringContaining('npm ci builds it'),
  });
});
