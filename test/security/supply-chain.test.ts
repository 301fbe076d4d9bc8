import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'vitest';
import { copyBuilds } from '../support/built-program.ts';
import { test } from '../support/linkctl.ts';

const root = join(import.meta.dirname, '..', '..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));

interface Locked {
  readonly version: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  /** Optional, and also needed for development. */
  readonly devOptional?: boolean;
  readonly hasInstallScript?: boolean;
}

const locked = Object.entries<Locked>(lock.packages).filter(([path]) => path !== '');
const production = locked.filter(([, { dev }]) => !dev);

test('R-55: every version is exact, and the lock file holds it with its digest', () => {
  const wanted = { ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.devDependencies };
  for (const [name, version] of Object.entries(wanted)) {
    expect(version, name).toMatch(/^\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/);
    expect(lock.packages[`node_modules/${name}`]?.version, name).toBe(version);
  }
  expect(locked.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path)).toEqual([]);
});

test('R-55: few packages reach users, and none of them needs a script to be installed', () => {
  const needed = production.filter(([, { optional, devOptional }]) => !optional && !devOptional);
  expect(needed.length).toBeLessThanOrEqual(40);
  // Only `serve` needs the others, for its stores.
  expect(production.length - needed.length).toBeLessThanOrEqual(20);
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

test('R-55: what is packed runs as it is unpacked, and holds nothing that lies beside it', async ({ folder, homeEnv }) => {
  const checkout = join(folder, 'checkout');
  mkdirSync(join(checkout, 'src', 'cli'), { recursive: true });
  for (const name of ['package.json', 'bin', 'completions', 'README.md', 'LICENSE', 'CHANGELOG.md']) {
    cpSync(join(root, name), join(checkout, name), { recursive: true });
  }
  copyBuilds(join(checkout, 'dist'));
  for (const name of ['.env', 'api-key', 'config.json', 'src/cli/main.ts', 'links.csv', '.npmrc'])
    writeFileSync(join(checkout, name), 'x');
  const run = (...command: [string, ...string[]]): string =>
    execFileSync(command[0], command.slice(1), { cwd: checkout, env: homeEnv, stdio: ['ignore', 'pipe', 'ignore'] }).toString();
  run('npm', 'pack', '--ignore-scripts', '--pack-destination', folder);
  run('tar', '-xzf', join(folder, `linkctl-${manifest.version}.tgz`), '-C', folder);
  const unpacked = join(folder, 'package');
  const paths = readdirSync(unpacked, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'));
  const allowed = /^(bin|dist|completions)(\/|$)|^(package\.json|README\.md|LICENSE|CHANGELOG\.md)$/;
  expect(paths.filter((path) => !allowed.test(path))).toEqual([]);
  for (const shell of [
    'linkctl.bash',
    '_linkctl',
    'linkctl.fish',
    'linkctl.ps1',
    ...manifest.man.map((path: string) => basename(path)),
  ])
    expect(paths).toContain(`completions/${shell}`);
  symlinkSync(join(root, 'node_modules'), join(unpacked, 'node_modules'));
  const linkctl = join(unpacked, 'bin', 'linkctl.js');
  expect(run(process.execPath, linkctl, '--version')).toBe(`linkctl ${manifest.version}\n`);
  expect(run(process.execPath, linkctl, '-p', 'sandbox', 'shorten', 'https://nodejs.org/')).toMatch(/^http\S+\n$/);
});

test('the installation of the README brings the manual page', ({ folder, homeEnv }) => {
  const checkout = join(folder, 'checkout');
  for (const name of ['package.json', 'bin', 'completions']) cpSync(join(root, name), join(checkout, name), { recursive: true });
  const [install = ''] = /npm install --global --ignore-scripts \./.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
  const prefix = join(folder, 'installed');
  execFileSync('npm', [...install.split(' ').slice(1), '--offline'], {
    cwd: checkout,
    env: { ...homeEnv, npm_config_prefix: prefix },
    stdio: 'ignore',
  });
  expect(readFileSync(join(prefix, 'share', 'man', 'man1', 'linkctl.1'), 'utf8')).toMatch(/^\.TH /m);
});
