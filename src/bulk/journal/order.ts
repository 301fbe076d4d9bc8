import { closeSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, fileError } from '../../files/file-error.ts';
import { makePrivateFolder } from '../../files/folders.ts';

/**
 * The next number of a folder that holds the last one given out, as the name of an empty file. It only grows, whatever clocks say and however
 * many records are deleted, and two processes never get the same one. `floor` is asked where there is no number yet.
 */
export function nextOrder(folder: string, floor: () => number): number {
  makePrivateFolder(folder);
  try {
    for (;;) {
      const given = numbersIn(folder);
      const next = (given.length > 0 ? Math.max(...given) : floor()) + 1;
      if (!isMade(join(folder, String(next)))) continue;
      const now = numbersIn(folder);
      const isHighest = now.every((other) => other <= next);
      // Whoever was quicker has deleted what stood here: a number below the highest may have been given out before.
      for (const other of now)
        if (isHighest ? other < next : other === next) rmSync(join(folder, String(other)), { force: true });
      if (isHighest) return next;
    }
  } catch (error) {
    throw fileError('number the record in', folder, error);
  }
}

function numbersIn(folder: string): number[] {
  return readdirSync(folder)
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function isMade(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', 0o600));
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}
