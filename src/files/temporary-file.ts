import { closeSync, createWriteStream, openSync, read, readSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { LocalError } from '../base/errors.ts';
import type { System } from '../base/system.ts';
import { fileError } from './file-error.ts';
import { makeFolders } from './folders.ts';
import { writeWhole } from './whole-write.ts';

/** Bytes that are kept on the disk while they are needed. Throws a LocalError where the disk does not take them or give them back. */
export interface TemporaryFile {
  /** Adds all of the bytes at the end. */
  append(bytes: Uint8Array): void;
  readAt(offset: number, length: number): Buffer;
  /** All of it from the beginning, as often as needed. */
  stream(): AsyncGenerator<Buffer>;
  /** Writes all of it to a new file, 0600; resolves when that is on the disk. */
  copyTo(path: string): Promise<void>;
  close(): void;
}

const chunkBytes = 128 * 1024;

/**
 * The file has no name, so that nothing of it outlives the process, not even kill -9. `content` is what messages call it, and
 * `hint` what to do where the folder takes no file.
 */
export function openTemporaryFile(
  folder: string,
  content: string,
  hint: string,
  { randomBytes }: Pick<System, 'randomBytes'>,
): TemporaryFile {
  const notKept = (error: unknown): LocalError => fileError(`keep ${content} in`, folder, error, hint);
  const notRead = (error: unknown): LocalError => fileError(`read ${content} back from`, folder, error);
  const name = `temporary-${Buffer.from(randomBytes(8)).toString('hex')}`;
  const file = attempt(() => openUnnamed(folder, name), notKept);
  async function* stream(): AsyncGenerator<Buffer> {
    for (let offset = 0; ; ) {
      const chunk = await nextChunk(file, offset).catch((error) => {
        throw notRead(error);
      });
      if (chunk.length === 0) return;
      yield chunk;
      offset += chunk.length;
    }
  }
  return {
    append: (bytes) => attempt(() => writeWhole(file, bytes), notKept),
    readAt: (offset, length) => attempt(() => bytesAt(file, offset, length), notRead),
    stream,
    async copyTo(path) {
      await pipeline(stream, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })).catch((error) => {
        throw fileError(`keep ${content} as`, path, error, hint);
      });
    },
    close: () => closeSync(file),
  };
}

function attempt<Result>(step: () => Result, failure: (error: unknown) => LocalError): Result {
  try {
    return step();
  } catch (error) {
    throw failure(error);
  }
}

function openUnnamed(folder: string, name: string): number {
  const path = join(folder, name);
  makeFolders(folder);
  const file = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return file;
}

const readFrom = promisify(read);

/** Does not block the program, as `readAt` does: signals are handled meanwhile. */
async function nextChunk(file: number, offset: number): Promise<Buffer> {
  const { bytesRead, buffer } = await readFrom(file, Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, offset);
  return buffer.subarray(0, bytesRead);
}

function bytesAt(file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  for (let done = 0; done < length; ) {
    const count = readSync(file, bytes, done, length - done, offset + done);
    if (count === 0) throw new Error('a part of it is missing');
    done += count;
  }
  return bytes;
}
