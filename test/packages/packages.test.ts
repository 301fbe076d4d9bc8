import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

/** What `npm run package` writes itself; what it makes with the tools of others is for `npm run trials:package`. */
const top = join(import.meta.dirname, '..', '..');
const bin = (name: string) => import(join(top, 'bin', 'build', name));
const { manifests } = await bin('manifests.mjs');
const { billOfMaterials } = await bin('bill-of-materials.mjs');
const { releasedChangelog, releasedManifest } = await bin('release.mjs');
const { stripped } = await bin('stripped.mjs');
const { targets } = await bin('node-binaries.mjs');
const manifest = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8'));
const lock = JSON.parse(readFileSync(join(top, 'package-lock.json'), 'utf8'));

test('Q1: package.json names no address, and nothing can be imported from a program', () => {
  const { homepage, repository, bugs, exports } = manifest;
  expect([homepage, repository, bugs]).toEqual([undefined, undefined, undefined]);
  expect(Object.keys(exports)).toEqual(['./package.json']);
  expect(JSON.stringify(manifest)).not.toContain('://');
});

describe('Q4: what other package managers read', () => {
  const { version } = manifest;
  const names = [
    `linkctl-${version}.tgz`,
    `linkctl-${version}-win-x64.exe`,
    `linkctl_${version}_amd64.deb`,
    `linkctl_${version}_arm64.deb`,
  ];
  const sums = Object.fromEntries(names.map((name, nth) => [name, String(nth).repeat(64)]));
  const texts = manifests(top, sums, 'https://example.com/packages');

  test('Q4: names the files of this version with their checksums', () => {
    expect(texts['linkctl.rb']).toContain(`url "https://example.com/packages/${names[0]}"\n  sha256 "${'0'.repeat(64)}"`);
    expect(JSON.parse(texts['linkctl.json'])).toMatchObject({
      version,
      architecture: { '64bit': { url: `https://example.com/packages/${names[1]}#/linkctl.exe`, hash: '1'.repeat(64) } },
    });
    for (const nth of [2, 3]) expect(texts.Containerfile).toContain(`${String(nth).repeat(64)} ${names[nth]} `);
  });

  test('Q4: no checksum is missing', () => {
    expect(JSON.stringify(texts)).not.toContain('undefined');
  });
});

test('Q5: the bill of materials names each package with its version, license and checksum, and is always the same', () => {
  const folders = ['node_modules/commander', 'node_modules/@fastify/busboy'];
  const made = () => billOfMaterials({ top, folders, nodes: targets, lock, date: 0 });
  const bill = JSON.parse(made());
  expect(made()).toBe(made());
  expect(bill).toMatchObject({
    bomFormat: 'CycloneDX',
    serialNumber: expect.stringMatching(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/),
    metadata: { timestamp: '1970-01-01T00:00:00.000Z', component: { name: 'linkctl', version: manifest.version } },
  });
  expect(bill.components[1]).toMatchObject({
    name: '@fastify/busboy',
    purl: `pkg:npm/%40fastify/busboy@${lock.packages[folders[1] as string].version}`,
    licenses: [{ license: { id: 'MIT' } }],
    hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
  });
  expect(bill.components).toHaveLength(folders.length + targets.length);
});

test('Q2: a program without the names of its functions is smaller, and everything that is loaded is where it was', () => {
  const program = readFileSync(process.execPath);
  if (program.readUInt32BE(0) !== 0x7f454c46) return;
  const small = stripped(program);
  expect(small.length).toBeLessThanOrEqual(program.length);
  const header = (elf: Buffer) => elf.subarray(0, 0x28).toString('hex');
  expect(header(small)).toBe(header(program));
  const count = small.readUInt16LE(0x3c);
  expect(Number(small.readBigUInt64LE(0x28)) + count * small.readUInt16LE(0x3a)).toBe(small.length);
  expect(stripped(small).equals(small)).toBe(true);
});

describe('Q7: a release', () => {
  test('Q7: has its version in one place, and its day in the changes', () => {
    expect(JSON.parse(releasedManifest('{\n  "version": "0.1.0"\n}', '0.2.0'))).toEqual({ version: '0.2.0' });
    expect(
      releasedChangelog('# Changelog\n\n## 0.2.0 - unreleased\n\nA.\n\n## 0.1.0 - 2026-01-01\n', '0.2.0', '2026-02-03'),
    ).toBe('# Changelog\n\n## 0.2.0 - 2026-02-03\n\nA.\n\n## 0.1.0 - 2026-01-01\n');
  });

  test('Q7: without a version, or without changes, there is none', () => {
    for (const version of [undefined, 'next', '1.2', '1.2.3 '])
      expect(() => releasedManifest('{}', version)).toThrow('like 0.2.0');
    expect(() => releasedChangelog('## 0.1.0 - 2026-01-01\n', '0.2.0', '2026-02-03')).toThrow('unreleased');
  });
});
