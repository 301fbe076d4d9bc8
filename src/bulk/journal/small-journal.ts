import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { System } from '../../base/system.ts';
import { makePrivateFolder, syncFoldersUpFrom } from '../../files/folders.ts';
import { type Journal, type OpenJournalFile, openJournal } from './journal.ts';
import { changedStatuses, type JournalLine, letterOf } from './lines.ts';

export interface SmallJournal extends Journal {
  /** Nothing was changed: nothing is left of it. */
  drop(): Promise<void>;
}

/**
 * The journal of links that were typed, in a file of its own. Lines are buffered until the first intent, so one sync covers them. The end line
 * is not synced: it can be inferred from the results. Nothing is left of a run that changed nothing.
 */
export function smallJournal(path: string, system: Pick<System, 'platform'>, openFile?: OpenJournalFile): SmallJournal {
  const waiting: JournalLine[] = [];
  let journal: Journal | undefined;
  let mayHaveChanged = false;
  /** Batches that were sent, as far as this journal knows, and have no result. */
  const open = new Set<number>();

  async function write(...lines: readonly JournalLine[]): Promise<void> {
    const isFirst = !journal && !existsSync(dirname(path));
    if (isFirst) makePrivateFolder(dirname(path));
    journal ??= await openJournal(path, 0, openFile);
    const opened = journal;
    await Promise.all(lines.map((line) => opened.write(line)));
    // A file is on the disk only if the folders above it are.
    if (isFirst) syncFoldersUpFrom(dirname(path), system);
  }

  async function drop(): Promise<void> {
    await journal?.close();
    if (journal) rmSync(path, { force: true });
  }

  return {
    drop,
    get size() {
      return journal?.size ?? 0;
    },
    async write(line) {
      mayHaveChanged ||= saysChange(line);
      if (line.type === 'intent') open.add(line.batch);
      if (line.type === 'result') open.delete(line.batch);
      if (line.type === 'end' && !mayHaveChanged && open.size === 0) await drop();
      else if (line.type === 'end') {
        await write(...waiting.splice(0));
        await journal?.note(line);
      } else if (line.type === 'intent' || (journal && line.type !== 'before')) {
        await write(...waiting.splice(0), line);
      } else {
        waiting.push(line);
      }
    },
    note: async (line) => await journal?.note(line),
    close: async () => await journal?.close(),
  };
}

/** True of a line by which something was changed, or may have been: a row that failed may have been changed in part. */
function saysChange(line: JournalLine): boolean {
  if (line.type === 'ambiguous' || line.type === 'unknown') return true;
  // A call without rows is recorded because it changes something.
  if (line.type === 'intent') return line.rows.length === 0;
  if (line.type !== 'result') return false;
  return (
    changedStatuses.some((status) => line.states.includes(letterOf[status])) ||
    (line.errors ?? []).some(([, , , taken]) => taken !== undefined)
  );
}
