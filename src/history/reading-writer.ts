import { fsyncSync, ftruncateSync, readSync, rmSync, writeSync } from 'node:fs';
import type { System } from '../base/system.ts';
import { acquireClaim, type Claim } from '../files/claim-lock.ts';
import { fileError } from '../files/file-error.ts';
import { makePrivateFolder, syncFoldersUpFrom } from '../files/folders.ts';
import {
  accountBlock,
  foldReadings,
  type HistoryAccount,
  type HistoryPaths,
  historyPaths,
  openOrMakeReadings,
  type ReadingsFile,
} from './history-folder.ts';
import { loadKnown, saveKnown } from './known-file.ts';
import { KnownLinks } from './known-links.ts';

/**
 * Takes the lock of a history and opens it for one more reading; what an unfinished one left is cut off. Throws a `LocalError` where another
 * recorder does not end within 10 seconds, and for a damaged history.
 */
export async function openToRecord(account: HistoryAccount, system: System): Promise<ReadingWriter> {
  const paths = historyPaths(account, system);
  makePrivateFolder(paths.folder);
  const claim = await acquireClaim({ folder: paths.lock, guards: `the history of ${account.username}` }, system);
  try {
    const writer = new ReadingWriter(paths, openOrMakeReadings(account, system), claim, system);
    writer.begin(account);
    return writer;
  } catch (error) {
    claim.release();
    throw error;
  }
}

/** Writes the blocks of one reading behind the others. Until `commit` the history is as it was, and again after an error. */
export class ReadingWriter {
  readonly paths: HistoryPaths;
  readonly #readings: ReadingsFile;
  readonly #claim: Claim;
  readonly #system: System;
  #position: number;
  #isClosed = false;

  constructor(paths: HistoryPaths, readings: ReadingsFile, claim: Claim, system: System) {
    this.paths = paths;
    this.#readings = readings;
    this.#claim = claim;
    this.#system = system;
    this.#position = readings.end;
  }

  /** Bytes of an unfinished reading that were cut off. */
  get cut(): number {
    return this.#readings.torn;
  }

  begin(account: HistoryAccount): void {
    this.#work((file) => ftruncateSync(file, this.#readings.end));
    if (this.#readings.end === 0) this.write(accountBlock(account));
  }

  /** What the readings so far say of every link. */
  known(): KnownLinks {
    const { file, end } = this.#readings;
    const kept = loadKnown(this.paths.known, { end, lastBytes: lastBytes(file, end) });
    if (kept) return kept;
    const known = new KnownLinks();
    foldReadings(this.#readings, known);
    return known;
  }

  /** Throws a `LocalError`. */
  write(bytes: Buffer): void {
    this.#work((file) => {
      for (let done = 0; done < bytes.length; ) {
        const count = writeSync(file, bytes, done, bytes.length - done, this.#position);
        if (count === 0) throw new Error('the disk is full');
        done += count;
        this.#position += count;
      }
    });
  }

  /** Nothing may be missing before the last block: so the others are synced before it is written. `known`: with this reading. */
  commit(last: Buffer, known: KnownLinks): void {
    this.#work(fsyncSync);
    this.write(last);
    this.#work((file) => {
      fsyncSync(file);
      if (this.#readings.end === 0) syncFoldersUpFrom(this.paths.folder, this.#system);
    });
    const end = this.#position;
    saveKnown(this.paths.known, known, { end, lastBytes: lastBytes(this.#readings.file, end) });
    this.#close();
  }

  /** Harmless after `commit`. */
  discard(): void {
    if (this.#isClosed) return;
    try {
      ftruncateSync(this.#readings.file, this.#readings.end);
      if (this.#readings.end === 0) rmSync(this.paths.readings, { force: true });
    } finally {
      this.#close();
    }
  }

  #close(): void {
    this.#isClosed = true;
    this.#readings.close();
    this.#claim.release();
  }

  #work(step: (file: number) => void): void {
    try {
      step(this.#readings.file);
    } catch (error) {
      this.discard();
      throw fileError('write', this.paths.readings, error);
    }
  }
}

/** Enough to hold a checksum or when a reading was made. */
function lastBytes(file: number, end: number): string {
  const length = Math.min(end, 64);
  const bytes = Buffer.alloc(length);
  readSync(file, bytes, 0, length, end - length);
  return bytes.toString('base64');
}
