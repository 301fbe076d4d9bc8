import { closeSync, createWriteStream, openSync, read, readSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { System } from '../base/system.ts';
import { cannot, fileError, fileWork } from './file-error.ts';
import { makeFolders } from './folders.ts';
import { writeWhole } from './whole-write.ts';

const chunkBytes = 128 * 1024;

/**
 * The file has no name, so that nothing of it outlives the process, not even after kill -9. Throws a LocalError if the disk cannot store
 * the bytes or return them.
 */
export class TemporaryFile {
  readonly #folder: string;
  readonly #content: string;
  readonly #hint: string;
  readonly #file: number;

  /** `content` names the data in messages, `alternative` is another way if the folder accepts no file. */
  constructor(folder: string, content: string, { randomBytes }: Pick<System, 'randomBytes'>, alternative?: string) {
    this.#folder = folder;
    this.#content = content;
    const remedy = writableRemedy(folder);
    this.#hint = alternative === undefined ? remedy : `${remedy}; ${alternative}`;
    const name = `temporary-${Buffer.from(randomBytes(8)).toString('hex')}`;
    this.#file = this.#keep(() => openUnnamed(folder, name));
  }

  append(bytes: Uint8Array): void {
    this.#keep(() => writeWhole(this.#file, bytes));
  }

  readAt(offset: number, length: number): Buffer {
    return fileWork(this.#reading, this.#folder, () => bytesAt(this.#file, offset, length));
  }

  /** Reads from the beginning, as often as needed. */
  async *stream(): AsyncGenerator<Buffer> {
    for (let offset = 0; ; ) {
      const chunk = await nextChunk(this.#file, offset).catch(cannot(this.#reading, this.#folder));
      if (chunk.length === 0) return;
      yield chunk;
      offset += chunk.length;
    }
  }

  /** Writes the bytes, or `content` derived from them, to a new file with mode 0600; resolves when it is synced. */
  async copyTo(path: string, content: Iterable<string> | AsyncIterable<Buffer> = this.stream()): Promise<void> {
    await pipeline(content, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })).catch((error) => {
      throw fileError(`store ${this.#content} as`, path, error, this.#hint);
    });
  }

  close(): void {
    closeSync(this.#file);
  }

  #keep<Result>(step: () => Result): Result {
    try {
      return step();
    } catch (error) {
      throw fileError(`store ${this.#content} in`, this.#folder, error, this.#hint);
    }
  }

  get #reading(): string {
    return `read ${this.#content} from`;
  }
}

/** Not another folder: it would have no record of the run that the same command resumes or undoes. */
export function writableRemedy(folder: string): string {
  return `free space in ${folder} or make it writable, then run the same command again`;
}

function openUnnamed(folder: string, name: string): number {
  const path = join(folder, name);
  makeFolders(folder);
  const file = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return file;
}

const readFrom = promisify(read);

/** Asynchronous, unlike `readAt`, so that signals are handled meanwhile. */
async function nextChunk(file: number, offset: number): Promise<Buffer> {
  const { bytesRead, buffer } = await readFrom(file, Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, offset);
  return buffer.subarray(0, bytesRead);
}

function bytesAt(file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  for (let done = 0; done < length; ) {
    const count = readSync(file, bytes, done, length - done, offset + done);
    if (count === 0) throw new Error('it is incomplete');
    done += count;
  }
  return bytes;
}
