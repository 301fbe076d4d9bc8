import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { historyPaths } from '../../src/history/history-folder.ts';
import { changesFrom, noteChanges } from '../../src/history/noted-changes.ts';
import { createTestSystem } from '../support/test-system.ts';

const account = { server: 'https://api.example/api/3', username: 'ann' };

test('H2: a row that a resumed run notes once more counts once, and a torn line loses no other', () => {
  const home = mkdtempSync(join(tmpdir(), 'linkctl-changes-'));
  try {
    const system = createTestSystem({ env: { HOME: home } });
    const { folder, readings, changes } = historyPaths(account, system);
    mkdirSync(folder, { recursive: true });
    writeFileSync(readings, '');
    const note = (run: string, ...rows: number[]) =>
      noteChanges({ at: 7, run, changes: rows.map((row) => ({ kind: 'reset', row, hash: `h${row}ü` })) }, account, system);
    const read = (offset: number) => changesFrom(offset, changes).changes.map(({ hash }) => hash);
    note('one', 0, 1);
    const { end } = changesFrom(0, changes);
    note('one', 1, 2);
    // Killed while it wrote.
    appendFileSync(changes, readFileSync(changes).subarray(0, 30));
    note('two', 1);
    expect(read(0)).toEqual(['h0ü', 'h1ü', 'h2ü', 'h1ü']);
    expect(read(end)).toEqual(['h2ü', 'h1ü']);
    expect(read(1e9)).toEqual(read(0));
  } finally {
    rmSync(home, { recursive: true });
  }
});
