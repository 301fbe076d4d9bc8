import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { manifestOf } from './licenses.mjs';

/**
 * A CycloneDX bill of materials. `folders`: packages in node_modules; `nodes`: targets of `node-binaries.mjs`; `lock`: package-lock.json.
 */
export function billOfMaterials({ top, folders, nodes, lock, date }) {
  const components = [
    ...folders.map((folder) => ({ manifest: manifestOf(join(top, folder)), integrity: lock.packages[folder]?.integrity })),
    ...nodes.map(({ package: name, integrity }) => {
      const [package_, version] = name.split('@');
      return { manifest: { name: package_, version, license: 'MIT', description: 'Node.js, in the executable' }, integrity };
    }),
  ].map(({ manifest, integrity }) => component('library', manifest, integrity));
  const program = component('application', manifestOf(top));
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { timestamp: new Date(date).toISOString(), component: program },
    components,
    dependencies: [{ ref: program['bom-ref'], dependsOn: components.map((each) => each['bom-ref']) }],
  };
  const sum = createHash('sha256').update(JSON.stringify(bill)).digest('hex');
  // The serial number is a UUID made from a checksum, so that equal bills have equal numbers.
  const [, ...parts] = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(sum);
  const serialNumber = `urn:uuid:${parts[0]}-${parts[1]}-8${parts[2]}-a${parts[3]}-${parts[4]}`;
  return `${JSON.stringify({ ...bill, serialNumber }, undefined, 2)}\n`;
}

function component(type, { name, version, license, description, author }, integrity) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const [algorithm, sum] = integrity?.split('-') ?? [];
  return {
    type,
    'bom-ref': purl,
    name,
    version,
    ...(description ? { description } : {}),
    ...(typeof author === 'string' ? { authors: [{ name: author.replace(/ *[<(].*/, '') }] } : {}),
    ...(algorithm
      ? { hashes: [{ alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(sum, 'base64').toString('hex') }] }
      : {}),
    licenses: [{ license: { id: license } }],
    purl,
  };
}
