import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { faults } from '../support/faulty-steps.ts';
import { sent, test } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';

test.for([1303, 1300, 1217, 1301])(
  'R-12, D9: where links are read before they are changed, no batch begins its change once another one met %i',
  async (code, { folder, linkctl, service, wire }) => {
    await store(service, numbered(40));
    const file = join(folder, 'hashes.txt');
    writeFileSync(
      file,
      `${numbered(40)
        .map(({ custom_hash }) => custom_hash)
        .join('\n')}\n`,
    );
    const reading = { method: 'GET', path: 'hashes=' };
    // The first batch is alone; of those that follow the first hears that it is over, while the others still read.
    await wire.script([
      { only: reading },
      { ...faults.refuse(code), only: reading },
      { only: reading, delay: 200, times: 'all' },
    ]);
    const flags = ['--batch-size', '6', '--concurrency', '4', '--results', join(folder, 'results.csv')];
    const ran = await linkctl(['delete', '--yes', '--hashes-from', file, ...flags]);
    expect(ran.stderr).toContain(`[API ${code}]`);
    const deletions = (await sent(wire)).filter(({ call }) => call.startsWith('DELETE')).length;
    // The first one too, if it still waited for the disk.
    expect(deletions).toBeLessThanOrEqual(1);
    expect(await stored(service)).toHaveLength(40 - deletions * 6);
    expect(ran.stderr).toContain(deletions === 1 ? '40 rows: 6 deleted, 34 not sent' : '40 rows: 40 not sent');
  },
);

test('R-X9: a run that resumes and is refused before its first row reports every row, in its results too', async ({
  folder,
  linkctl,
  service,
  wire,
}) => {
  await store(service, numbered(10));
  const [file, results] = [join(folder, 'hashes.txt'), join(folder, 'results.csv')];
  writeFileSync(
    file,
    numbered(10)
      .map(({ custom_hash }) => custom_hash)
      .join('\n'),
  );
  const words = ['delete', '--yes', '--hashes-from', file, '--batch-size', '4', '--concurrency', '1'];
  const refused = { ...faults.refuse(1303), only: { method: 'DELETE' } };
  await wire.script([{ only: { method: 'DELETE' } }, refused]);
  expect((await linkctl(words)).code).toBe(7);
  await wire.script([{ ...faults.refuse(1303), only: { path: '/account' } }]);
  const ran = await linkctl([...words, '--results', results]);
  expect(ran).toMatchObject({ code: 7, stderr: expect.stringContaining('10 rows: 4 deleted, 6 not sent') });
  const statuses = readFileSync(results, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',')[1]);
  expect(statuses).toEqual([...Array(4).fill('deleted'), ...Array(6).fill('not_sent')]);
  expect((await linkctl(words)).code).toBe(0);
  expect(await stored(service)).toEqual([]);
});
