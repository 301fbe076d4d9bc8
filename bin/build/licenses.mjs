import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Packages of `node_modules` of which something is in a bundle, by esbuild's account of it: folders, in order. */
export function packagesIn({ inputs }) {
  const folders = Object.keys(inputs).map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path.replaceAll('\\', '/'))?.[0]);
  return [...new Set(folders.filter((folder) => folder !== undefined))]
    .map((folder) => folder.replace(/^.*?:(?=node_modules)/, ''))
    .sort();
}

/** What a package says of itself. */
export function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** Our own license and those of all packages in the bundle, as `version --licenses` prints them. */
export function licensesOf(top, metafile) {
  return licenseOf(top) + licenseSections(top, packagesIn(metafile));
}

export function licenseSections(top, folders) {
  return folders.map((folder) => licenseOf(join(top, folder))).join('');
}

function licenseOf(folder) {
  const { name, version, license, author } = manifestOf(folder);
  const file = readdirSync(folder).find((entry) => /^licen[sc]e/i.test(entry));
  const text = file ? readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim() : `By ${author?.name ?? author}.`;
  return section(`${name} ${version} (${license})`, text);
}

export function section(title, text) {
  return `${'='.repeat(80)}\n${title}\n${'='.repeat(80)}\n\n${text}\n\n`;
}
