import { closeSync, constants, existsSync, fdatasync, fstatSync, ftruncateSync, openSync } from 'node:fs';
import type { LocalError } from '../../base/errors.ts';
import { cannot, fileError } from '../../files/file-error.ts';
import { writeWhole } from '../../files/whole-write.ts';
import { encodeLine, type JournalLine } from './lines.ts';

/** Tests replace it with a file that fails or stops at a chosen step. */
export interface JournalFile {
  append(bytes: Uint8Array): Promise<void>;
  /** Resolves when all appended bytes are on disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a journal for appending and truncates it to `size` bytes, which removes a torn line. */
export type OpenJournalFile = (path: string, size: number) => Promise<JournalFile>;

export interface Journal {
  /**
   * Resolves when the line is on disk. Rejects after any failed write, because the end of the file is then unknown. A line that is not
   * synced survives the end of this process, but perhaps not a power failure.
   */
  write(line: JournalLine, isSynced?: boolean): Promise<void>;
  /** In bytes, including queued lines: the offset of the next line. */
  readonly size: number;
  close(): Promise<void>;
}

/** Continues the journal at `path` after its `size` valid bytes; 0 starts a new one. */
export async function openJournal(path: string, size: number, openFile: OpenJournalFile = openJournalFile): Promise<Journal> {
  const file = await openFile(path, size).catch(cannot('write the journal', path));
  const queue = lineQueue(path, file);
  let end = size;
  let closing: Promise<void> | undefined;
  return {
    get size() {
      return end;
    },
    write(line, isSynced = true) {
      const failure = closing ? fileError('write the journal', path, new Error('it is closed')) : queue.failure();
      if (failure) return Promise.reject(failure);
      const bytes = encodeLine(line);
      end += bytes.length;
      return queue.add(bytes, isSynced);
    },
    // Nothing is written after closing: the descriptor may already belong to another file.
    close() {
      closing ??= queue
        .idle()
        .then(() => file.close())
        .catch(() => undefined);
      return closing;
    },
  };
}

/** Queues lines for the disk. Lines that arrive during a write are written together and share one fsync. */
function lineQueue(path: string, file: JournalFile) {
  let waiting: Buffer[] = [];
  let isToSync = false;
  let flushing: Promise<void> | undefined;
  let busy: Promise<void> = Promise.resolve();
  let broken: LocalError | undefined;

  async function flush(): Promise<void> {
    // Lines that other batches add in the same turn join this write.
    await Promise.resolve();
    const bytes = Buffer.concat(waiting);
    waiting = [];
    const syncs = isToSync;
    isToSync = false;
    await file.append(bytes);
    if (syncs) await file.sync();
  }

  return {
    failure: () => broken,
    idle: () => busy,
    /** Resolves when the line is written or, with `isSynced`, on disk. */
    add(bytes: Buffer, isSynced: boolean): Promise<void> {
      waiting.push(bytes);
      isToSync ||= isSynced;
      if (!flushing) {
        flushing = busy.then(() => {
          flushing = undefined;
          return broken ? Promise.reject(broken) : flush();
        });
        busy = flushing.catch((error: unknown) => {
          broken ??= fileError('write the journal', path, error);
        });
      }
      return flushing.catch((error: unknown) => {
        throw broken ?? fileError('write the journal', path, error);
      });
    },
  };
}

/** Avoids node:fs/promises and promisify, which a change of one link would load and compile only for this. */
function datasync(file: number): Promise<void> {
  return new Promise((resolve, reject) => fdatasync(file, (error) => (error ? reject(error) : resolve())));
}

async function openJournalFile(path: string, size: number): Promise<JournalFile> {
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT, 0o600);
  try {
    // Also sets the time of the last change, which tells an emptied record from one that was never written to.
    if (fstatSync(file).size !== size) ftruncateSync(file, size);
  } catch (error) {
    closeSync(file);
    throw error;
  }
  let position = size;
  return {
    async append(bytes) {
      // Writes to a deleted file succeed, but the data is lost.
      if (!existsSync(path)) throw new Error('it was removed during the run');
      writeWhole(file, bytes, position);
      position += bytes.length;
    },
    sync: () => datasync(file),
    close: async () => closeSync(file),
  };
}
