import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { faults } from '../support/faulty-steps.ts';
import { test as base } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';

const test = base.extend({ edition: 'b' });
const count = 61;
const batches = ['--batch-size', '60'];

test('E14: 61 renames of which each needs the one before it are made in order over two batches, and taken back so', async ({
  linkctl,
  service,
  folder,
  wire,
}) => {
  await store(service, numbered(count));
  const before = (await stored(service)).map(({ hash, long_url }) => `${hash} ${long_url}`).sort();
  const file = join(folder, 'renames.csv');
  // The last gets a free hash, each other that of its neighbour.
  const rows = Array.from({ length: count }, (_, nth) => `h${count - 1 - nth},h${count - nth}`);
  writeFileSync(file, ['hash,custom_hash', ...rows].join('\n'));
  // The first batch is refused once: one that does not wait for it comes before it.
  await wire.script([{ only: { method: 'PATCH' }, ...faults.tooMany() }]);
  const ran = await linkctl(['edit', '-f', file, '--yes', ...batches], { random: () => 0.5 });
  expect(ran.code, ran.stderr.slice(-500)).toBe(0);
  const shifted = (await stored(service)).map(({ hash, long_url }) => `${hash} ${long_url}`).sort();
  expect(shifted).toEqual(Array.from({ length: count }, (_, nth) => `h${nth + 1} https://example.com/${nth}`).sort());
  const [name = ''] = (await linkctl(['runs', '--fields', 'run'])).stdout.split('\n');
  const back = await linkctl(['undo', name, '--yes', ...batches]);
  expect(back.code, back.stderr.slice(-500)).toBe(0);
  expect((await stored(service)).map(({ hash, long_url }) => `${hash} ${long_url}`).sort()).toEqual(before);
});
