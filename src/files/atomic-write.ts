import { closeSync, fstatSync, fsyncSync, lstatSync, openSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { LocalError } from '../base/errors.ts';
import type { System } from '../base/system.ts';
import { fileError, fileWork } from './file-error.ts';
import { syncFolder } from './folders.ts';
import { refuseForeign } from './ownership.ts';
import { isAlive, type MarkSystem, newMark, parseMark } from './process-mark.ts';
import { removeFile } from './remove-file.ts';
import { rename } from './rename.ts';
import { writeWhole } from './whole-write.ts';

export type WriteSystem = MarkSystem & Pick<System, 'userId'>;

/** Readers always find the whole old or the whole new content, even after a crash or on a full disk. Throws `LocalError`. */
export function atomicWrite(path: string, content: string | Uint8Array, system: WriteSystem): void {
  const replacement = startReplacement(path, system);
  replacement.write(content);
  replacement.commit();
}

/** Like `atomicWrite`, in pieces, for content that does not fit into memory. The folder must exist; the file gets mode 0600. */
export function startReplacement(path: string, system: WriteSystem): Replacement {
  return fileWork('write', path, () => {
    const target = targetOf(path, system);
    removeDeadTemporaries(target, system);
    const temporary = `${target}.${newMark(system)}.tmp`;
    return new Replacement(path, target, temporary, system);
  });
}

/** Replaces a file on `commit`. Until then the old content stays, and after an error no part of the new content does. */
export class Replacement {
  readonly #path: string;
  readonly #target: string;
  readonly #temporary: string;
  readonly #system: WriteSystem;
  #file: number | undefined;
  #size = 0;

  constructor(path: string, target: string, temporary: string, system: WriteSystem) {
    this.#path = path;
    this.#target = target;
    this.#temporary = temporary;
    this.#system = system;
    this.#file = openSync(temporary, 'wx', 0o600);
  }

  write(chunk: string | Uint8Array): void {
    const bytes = Buffer.from(chunk);
    this.#work((file) => writeWhole(file, bytes));
    this.#size += bytes.length;
  }

  /** Returns when the file is complete, synced and renamed. */
  commit(): void {
    this.#work((file) => {
      fsyncSync(file);
      if (fstatSync(file).size !== this.#size) throw new Error('only a part was written');
      this.#close();
      rename(this.#temporary, this.#target, this.#system);
      // Syncs the new name, too.
      syncFolder(dirname(this.#target), this.#system);
    });
  }

  discard(): void {
    try {
      this.#close();
    } finally {
      removeFile(this.#temporary);
    }
  }

  #work(step: (file: number) => void): void {
    try {
      if (this.#file === undefined) throw new Error('it is already closed');
      step(this.#file);
    } catch (error) {
      this.discard();
      throw fileError('write', this.#path, error);
    }
  }

  #close(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) closeSync(file);
  }
}

/** Resolves a symbolic link, so its target is replaced and the link stays. Throws for what cannot be replaced. */
export function targetOf(path: string, system: Pick<WriteSystem, 'userId'>): string {
  if (!lstatSync(path, { throwIfNoEntry: false })) return path;
  const stats = statSync(path);
  if (!stats.isFile()) throw new LocalError(`cannot write ${path}: it is not a regular file`);
  refuseForeign(path, stats, system);
  return realpathSync(path);
}

/** A killed writer may have left secrets behind. */
function removeDeadTemporaries(target: string, system: WriteSystem): void {
  const folder = dirname(target);
  const prefix = `${basename(target)}.`;
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(prefix) || !name.endsWith('.tmp')) continue;
    const mark = parseMark(name.slice(prefix.length, -'.tmp'.length));
    if (mark && !isAlive(mark, system)) removeFile(join(folder, name));
  }
}
