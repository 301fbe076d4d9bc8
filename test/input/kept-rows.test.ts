import { randomBytes } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { KeptRows } from '../../src/input/source.ts';
import { failure, test, written } from './fixtures.ts';

describe('rows that were checked', () => {
  test('come back in the batches in which they were kept, as often as asked', ({ folder }) => {
    const kept = new KeptRows(folder, { randomBytes });
    const batches = [
      [{ line: 2, item: { note: 'é\ud83d\ude00\n', tags: ['a', 'b'], expiration_date: null } }],
      [],
      [{ line: 3 }],
    ];
    for (const batch of batches) kept.add(batch);
    expect([...kept.read()]).toEqual(batches);
    expect([...kept.read()]).toEqual(batches);
    kept.close();
  });

  test('are for nobody else’s eyes, and no file of them is left, whatever ends the program', async ({ folder }) => {
    const place = join(folder, 'state');
    const kept = new KeptRows(place, { randomBytes });
    kept.add([{ line: 2 }]);
    expect(await readdir(place)).toEqual([]);
    expect((await stat(place)).mode & 0o777).toBe(0o700);
    kept.close();
  });

  test('are refused by a place that takes no file: exit 9, and the place is named', async ({ folder }) => {
    const place = await written(folder, 'state', 'a file where the folder should be');
    const { exitCode, text } = await failure((async () => new KeptRows(place, { randomBytes }))());
    expect(exitCode).toBe(9);
    expect(text).toBe(`cannot store the checked rows in ${place}: a file with this name already exists`);
  });
});
