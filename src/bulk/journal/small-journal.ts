import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { System } from '../../base/system.ts';
import { fileWork } from '../../files/file-error.ts';
import { makePrivateFolder, syncFoldersUpFrom } from '../../files/folders.ts';
import { removeFile } from '../../files/remove-file.ts';
import { type Journal, type OpenJournalFile, openJournal } from './journal.ts';
import { changedStatuses, type JournalLine, letterOf, mayHaveCreated } from './lines.ts';

export interface SmallJournal extends Journal {
  /** Closes the journal and deletes its file, because nothing was changed. */
  drop(): Promise<void>;
}

/**
 * The journal of links given as arguments, in a single file. The begin line and before-images are buffered and share one fsync with the
 * intent. The end line is not synced because the results imply it. A run that changed nothing leaves no file.
 */
export function smallJournal(path: string, system: Pick<System, 'platform'>, openFile?: OpenJournalFile): SmallJournal {
  const waiting: JournalLine[] = [];
  let journal: Journal | undefined;
  let mayHaveChanged = false;
  /** Batches with an intent and without a result. */
  const open = new Set<number>();

  async function write(...lines: readonly JournalLine[]): Promise<void> {
    const isNew = !journal;
    const isFirst = isNew && !existsSync(dirname(path));
    if (isFirst) makePrivateFolder(dirname(path));
    journal ??= await openJournal(path, 0, openFile);
    const opened = journal;
    try {
      await Promise.all(lines.map((line) => opened.write(line)));
    } catch (error) {
      // Nothing is sent then, and what is left would look like the damaged record of a change.
      if (isNew) await drop();
      throw error;
    }
    // A file is durable only if its parent folders are.
    if (isFirst) syncFoldersUpFrom(dirname(path), system);
  }

  async function drop(): Promise<void> {
    await journal?.close();
    if (journal) fileWork('delete', path, () => removeFile(path));
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
        await journal?.write(line, false);
      } else if (line.type === 'intent' || (journal && line.type !== 'before')) {
        await write(...waiting.splice(0), line);
      } else {
        waiting.push(line);
      }
    },
    close: async () => await journal?.close(),
  };
}

/** Returns true if the line shows a change or a possible change. A failed row may have been partly applied. */
function saysChange(line: JournalLine): boolean {
  if (line.type === 'ambiguous' || line.type === 'unknown') return true;
  // Calls without rows are recorded only if they may change something.
  if (line.type === 'intent') return line.rows.length === 0;
  if (line.type !== 'result') return false;
  return changedStatuses.some((status) => line.states.includes(letterOf[status])) || mayHaveCreated(line);
}
