import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The sorted folders of the packages of `node_modules` in a bundle, according to esbuild's metafile. */
export function packagesIn({ inputs }) {
  const folders = Object.keys(inputs).map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path.replaceAll('\\', '/'))?.[0]);
  return [...new Set(folders.filter((folder) => folder !== undefined))]
    .map((folder) => folder.replace(/^.*?:(?=node_modules)/, ''))
    .sort();
}

export function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** The output of `version --licenses`: the license of linkctl and those of all bundled packages. */
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
