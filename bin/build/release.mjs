import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** `npm run release -- 0.2.0` sets the version and the date of the release, regenerates files and runs all tests. */
export function releasedManifest(manifest, version) {
  const { version: before } = JSON.parse(manifest);
  const isOne = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version ?? '');
  if (!isOne) throw new Error(`expected the version to release, like 0.2.0, got ${version ?? 'nothing'}`);
  return manifest.replace(`"version": "${before}"`, `"version": "${version}"`);
}

/** Gives the unreleased section this version and date. */
export function releasedChangelog(changelog, version, day) {
  const heading = /^## .+ - unreleased$/m;
  if (!heading.test(changelog))
    throw new Error('CHANGELOG.md: expected a heading like "## 0.2.0 - unreleased" above the new entries');
  return changelog.replace(heading, `## ${version} - ${day}`);
}

function release(version) {
  const top = join(import.meta.dirname, '..', '..');
  const change = (name, edit) => {
    const path = join(top, name);
    writeFileSync(path, edit(readFileSync(path, 'utf8')));
  };
  const npm = (...argv) => execFileSync('npm', argv, { cwd: top, stdio: 'inherit' });
  change('package.json', (text) => releasedManifest(text, version));
  npm('install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund');
  change('CHANGELOG.md', (text) => releasedChangelog(text, version, new Date().toISOString().slice(0, 10)));
  npm('run', 'generate');
  npm('run', 'check');
  npm('test');
  process.stdout.write(`${version} is ready: commit it, then npm run package\n`);
}

if (import.meta.filename === process.argv[1]) release(process.argv[2]);
