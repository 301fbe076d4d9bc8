import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { billOfMaterials } from './bill-of-materials.mjs';
import { makeDebianPackage } from './debian-package.mjs';
import { filesInside, makeExecutable } from './executable.mjs';
import { manifestOf } from './licenses.mjs';
import { manifests } from './manifests.mjs';
import { run, targets } from './node-binaries.mjs';

/**
 * `npm run package` makes all packages of this commit in `dist/packages`; nothing is published. `-- --from URL` is their future location,
 * for the manifests of Homebrew and Scoop.
 */
const top = join(import.meta.dirname, '..', '..');
const { from } = parseArgs({ options: { from: { type: 'string', default: 'https://releases.invalid' } } }).values;
const { version } = manifestOf(top);
const packages = join(top, 'dist', 'packages');
const work = join(top, 'dist', 'package-work');
const cache = join(top, 'node_modules', '.cache', 'node-binaries');
for (const folder of [packages, work]) rmSync(folder, { recursive: true, force: true });
for (const folder of [packages, work, cache]) mkdirSync(folder, { recursive: true });
/** Packages must not depend on the user and the time of the build. */
process.umask(0o022);
const git = (...argv) => run('git', '-C', top, ...argv).trim();
const [seconds, maintainer, date] = git('log', '-1', '--format=%ct%n%an <%ae>%n%cD').split('\n');
process.env.SOURCE_DATE_EPOCH = seconds;
if (git('status', '--porcelain') !== '') warn('the packages contain uncommitted changes');

// The npm package: the files listed in package.json, and a build whose folder always has the same name.
const stage = join(work, 'npm');
for (const name of ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'bin', 'completions']) {
  cpSync(join(top, name), join(stage, name), { recursive: true });
}
run(
  process.execPath,
  join(top, 'bin', 'build', 'bundle.mjs'),
  `--dist=${join(stage, 'dist')}`,
  '--name=program',
  `--packages=${join(work, 'packages')}`,
);
run('npm', 'pack', stage, '--ignore-scripts', '--pack-destination', packages);
const dist = join(stage, 'dist', 'program');

const files = join(work, 'files');
const driver = await filesInside({ top, dist, cache, folder: files });
for (const target of targets) {
  const path = join(packages, `linkctl-${version}-${target.name}${target.name.startsWith('win') ? '.exe' : ''}`);
  const isCompiled = makeExecutable(target, { files, work, cache, path });
  if (!isCompiled) warn(`${target.name} has no code cache and starts slower: its programs cannot be run here`);
  if (!target.debian) continue;
  const licenses = readFileSync(join(files, 'licenses.txt'));
  const deb = join(packages, `linkctl_${version}_${target.debian}.deb`);
  makeDebianPackage({ top, work, executable: path, architecture: target.debian, maintainer, date, licenses, path: deb });
}

const folders = [...JSON.parse(readFileSync(join(work, 'packages'), 'utf8')), ...driver].sort();
const lock = JSON.parse(readFileSync(join(top, 'package-lock.json'), 'utf8'));
const put = (name, text) => writeFileSync(join(packages, name), text);
put(`linkctl-${version}.cdx.json`, billOfMaterials({ top, folders, nodes: targets, lock, date: seconds * 1000 }));
const sums = Object.fromEntries(readdirSync(packages).map((name) => [name, sumOf(join(packages, name))]));
for (const [name, text] of Object.entries(manifests(top, sums, from))) {
  put(name, text);
  sums[name] = sumOf(join(packages, name));
}
put(
  'SHA256SUMS',
  Object.entries(sums)
    .map(([name, sum]) => `${sum}  ${name}\n`)
    .join(''),
);
rmSync(work, { recursive: true });
process.stdout.write(`${readdirSync(packages).join('\n')}\n`);

function warn(text) {
  process.stderr.write(`warning: ${text}\n`);
}

function sumOf(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
