import { expect, test } from 'vitest';
import { runUndoSeries, undoFaults } from './undo-series.ts';

/** `npm run trials:undo` has more, and programs that are to be found out. */
test('U2, U5, U6, U7: a sample of stories of changes, undone and redone, with waits, other writers and signals', async () => {
  const all = await runUndoSeries({ seed: 1, runs: 2, jobs: 2 });
  expect(undoFaults(all)).toBe('');
  expect(all.map(({ deeds }) => deeds > 0)).toEqual([true, true]);
});
