import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect } from 'vitest';
import { programFolder, programPath } from '../support/built-program.ts';
import { test } from '../support/linkctl.ts';

const root = join(import.meta.dirname, '..', '..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));

interface Locked {
  readonly version: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
}

const locked = Object.entries<Locked>(lock.packages).filter(([path]) => path !== '');
const production = locked.filter(([, { dev }]) => !dev);

test('R-55: every version is exact, and the lock file holds it with its digest', () => {
  const wanted = { ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.devDependencies };
  for (const [name, version] of Object.entries(wanted)) {
    expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
    expect(lock.packages[`node_modules/${name}`]?.version, name).toBe(version);
  }
  expect(locked.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path)).toEqual([]);
});

test('R-55: few packages reach users, and none of them needs a script to be installed', () => {
  expect(production.length).toBeLessThanOrEqual(40);
  const scripted = production.filter(([, { hasInstallScript, optional }]) => hasInstallScript && !optional);
  expect(scripted.map(([path]) => path)).toEqual([]);
});

test('R-55: whoever installs from the sources has a say on every script that packages run, and none is unnamed', () => {
  const scripted = locked
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.replace('node_modules/', ''));
  expect(Object.keys(manifest.allowScripts).sort()).toEqual(scripted.sort());
});

test('R-55: nothing of ours runs at a user’s installation', () => {
  const lifecycle = ['preinstall', 'install', 'postinstall', 'preprepare', 'postprepare', 'prepublish', 'dependencies'];
  expect(Object.keys(manifest.scripts).filter((name) => lifecycle.includes(name))).toEqual([]);
  expect(manifest.scripts.prepare).toBe(manifest.scripts.build);
});

test('R-55: undici is one without the holes that are known', () => {
  const [major = 0, minor = 0] = manifest.dependencies.undici.split('.').map(Number);
  expect(major).toBe(7);
  expect(minor).toBeGreaterThanOrEqual(24);
});

test('R-55: a package holds what the program needs and nothing that lies beside it', ({ folder }) => {
  const checkout = join(folder, 'checkout');
  mkdirSync(join(checkout, 'src', 'cli'), { recursive: true });
  for (const name of ['package.json', 'bin', 'completions', 'README.md', 'LICENSE', 'CHANGELOG.md']) {
    cpSync(join(root, name), join(checkout, name), { recursive: true });
  }
  cpSync(join(dirname(programPath), '..', 'dist'), join(checkout, 'dist'), { recursive: true });
  for (const name of ['.env', 'api-key', 'config.json', 'src/cli/main.ts', 'links.csv', '.npmrc'])
    writeFileSync(join(checkout, name), 'x');
  const packed = execFileSync('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], {
    cwd: checkout,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const paths: string[] = JSON.parse(packed.toString())[0].files.map(({ path }: { path: string }) => path);
  expect(paths).toEqual(
    expect.arrayContaining(['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'bin/linkctl.js', manifest.man]),
  );
  for (const shell of ['linkctl.bash', '_linkctl', 'linkctl.fish', 'linkctl.ps1'])
    expect(paths).toContain(`completions/${shell}`);
  expect(paths).toContain('dist/current');
  expect(paths).toContain(`dist/${basename(programFolder)}/main.cjs`);
  const allowed = /^(bin|dist|completions)\/|^(package\.json|README\.md|LICENSE|CHANGELOG\.md)$/;
  expect(paths.filter((path) => !allowed.test(path))).toEqual([]);
  expect(paths.filter((path) => path.startsWith('bin/')).sort()).toEqual(['bin/linkctl.js', 'bin/package.json']);
});
