import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openHistory } from '../../src/history/history-database.ts';
import { changeNotes, changesBetween, takeChanges } from '../../src/history/noted-changes.ts';
import { createTestSystem } from '../support/test-system.ts';

const account = { server: 'https://api.example/api/3', username: 'ann' };

test('H2: a row that a resumed run notes once more counts once, and each change is taken in by one reading', async () => {
  const home = mkdtempSync(join(tmpdir(), 'linkctl-changes-'));
  try {
    const system = createTestSystem({ env: { HOME: home } });
    const notes = changeNotes(account, system);
    const note = (run: string, ...rows: number[]) =>
      notes.add({ at: 7, run, changes: rows.map((row) => ({ kind: 'reset', row, hash: `h${row}ü` })) });
    await note('none', 1);
    expect(await changesBetween({ since: 0, until: 99 }, account, system)).toEqual([]);
    const history = await openHistory(account, system);
    const take = (reading: number) =>
      history.work('write', (connection) => takeChanges(connection, reading).map(({ hash }) => hash));
    await note('one', 0, 1);
    expect(take(1)).toEqual(['h0ü', 'h1ü']);
    await note('one', 1, 2);
    await note('two', 1);
    expect(take(2)).toEqual(['h2ü', 'h1ü']);
    expect(take(3)).toEqual([]);
    history.close();
    await notes.close();
    expect((await changesBetween({ since: 7, until: 8 }, account, system)).map(({ hash }) => hash)).toEqual([
      'h0ü',
      'h1ü',
      'h2ü',
      'h1ü',
    ]);
    expect(await changesBetween({ since: 8, until: 9 }, account, system)).toEqual([]);
  } finally {
    rmSync(home, { recursive: true });
  }
});
