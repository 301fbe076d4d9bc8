import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { getSystemErrorMap } from 'node:util';
import { CliError, LocalError, UsageError } from '../errors.ts';
import type { System } from '../system.ts';
import { utf8Text } from './encoding.ts';

/** Something to read that is the same at every reading. */
export interface Source {
  /** What messages call it: the path as typed, or `stdin`. */
  readonly name: string;
  /** The file that is read, which for a pipe is the copy of what came through it. */
  readonly path: string;
  /** Whether `path` is such a copy, 0600 and fsynced. */
  readonly spooled: boolean;
  /** The text from the beginning, in UTF-8. Throws a LocalError when the file is not what it was (F65). */
  text(): AsyncGenerator<Buffer>;
  /** Of the bytes as they are, in hex; known once `text` was read to its end. */
  sha256(): string;
  /** Throws a LocalError when the file is not what it was when it was read (F65). */
  assertUnchanged(): Promise<void>;
  /** Deletes the copy of a pipe; a file stays. */
  discard(): Promise<void>;
}

export interface SourceOptions {
  readonly system: Pick<System, 'stdin' | 'randomBytes'>;
  /** Where the copy of a pipe is kept; made when it is missing. */
  readonly spoolFolder: string;
  /** Called before a terminal is read (B42). */
  readonly onTerminal?: (() => void) | undefined;
}

/**
 * Opens a path, or stdin where the operand is `-` and only there (B39). A pipe is copied whole before anything else, because
 * the rows are read twice: once to check them, once to send them.
 */
export async function openSource(operand: string, { system, spoolFolder, onTerminal }: SourceOptions): Promise<Source> {
  const spool = join(spoolFolder, `input-${Buffer.from(system.randomBytes(8)).toString('hex')}`);
  if (operand === '-') {
    if (system.stdin.isTTY) onTerminal?.();
    return spooled(system.stdin, 'stdin', spool);
  }
  const status = await stat(operand).catch((error) => {
    throw unreadable(operand, error);
  });
  if (status.isFile()) return fileSource(operand, operand);
  if (status.isFIFO() || status.isCharacterDevice()) return spooled(createReadStream(operand), operand, spool);
  throw new UsageError(`${operand} is ${status.isDirectory() ? 'a directory' : 'not a file'}`);
}

const chunkBytes = 128 * 1024;

function fileSource(path: string, name: string): Source {
  let known: Identity | undefined;
  let digest: string | undefined;

  async function* bytes(): AsyncGenerator<Buffer> {
    const handle = await open(path).catch((error) => {
      throw unreadable(name, error);
    });
    try {
      const hash = createHash('sha256');
      known ??= await identityOf(handle);
      for (;;) {
        const chunk = await nextChunk(handle, name);
        if (!same(known, await identityOf(handle))) throw changed(name);
        if (chunk.length === 0) break;
        hash.update(chunk);
        yield chunk;
      }
      const found = hash.digest('hex');
      digest ??= found;
      if (digest !== found) throw changed(name);
    } finally {
      await handle.close();
    }
  }

  return {
    name,
    path,
    spooled: false,
    text: () => utf8Text(bytes(), name),
    sha256: () => {
      if (!digest) throw new Error('sha256 asked for before the source was read to its end');
      return digest;
    },
    async assertUnchanged() {
      const found = await stat(path, { bigint: true }).catch(() => undefined);
      if (known && !(found && same(known, found))) throw changed(name);
    },
    discard: async () => {},
  };
}

/** Copies a stream, whose text is checked on the way so that an endless stream of anything else does not fill the disk. */
async function spooled(stream: AsyncIterable<unknown>, name: string, path: string): Promise<Source> {
  const discard = () => rm(path, { force: true });
  const copy = await createSpool(path);
  try {
    for await (const _ of utf8Text(copying(stream, copy, name), name));
    await copy.sync();
  } catch (error) {
    await discard();
    throw error instanceof CliError ? error : notWritten(error);
  } finally {
    await copy.close();
  }
  return { ...fileSource(path, name), spooled: true, discard };
}

async function createSpool(path: string): Promise<FileHandle> {
  try {
    await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
    return await open(path, 'wx', 0o600);
  } catch (error) {
    throw notWritten(error);
  }
}

async function* copying(stream: AsyncIterable<unknown>, copy: FileHandle, name: string): AsyncGenerator<Buffer> {
  const chunks = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      // C20: a pipe that breaks is not the end of the input.
      const { value, done } = await chunks.next().catch((error) => {
        throw new UsageError(`${name} broke off, nothing was sent: ${reasonOf(error)}`, { cause: error });
      });
      if (done) return;
      const chunk = Buffer.isBuffer(value) ? value : Buffer.from(value as string);
      await copy.writeFile(chunk);
      yield chunk;
    }
  } finally {
    await chunks.return?.();
  }
}

async function nextChunk(handle: FileHandle, name: string): Promise<Buffer> {
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, null);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw unreadable(name, error);
  }
}

/** What tells that a file was written to or replaced. */
interface Identity {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
}

async function identityOf(handle: FileHandle): Promise<Identity> {
  return await handle.stat({ bigint: true });
}

function same(one: Identity, other: Identity): boolean {
  return one.dev === other.dev && one.ino === other.ino && one.size === other.size && one.mtimeNs === other.mtimeNs;
}

function changed(name: string): LocalError {
  return new LocalError(`${name} changed while it was read: run the command again when nothing writes to it`);
}

/** A name that leads nowhere is the command line's fault; a file that cannot be read is this machine's. */
function unreadable(name: string, error: unknown): CliError {
  const message = `cannot read ${name || '""'}: ${reasonOf(error)}`;
  const wrongName = ['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'].includes(
    (error as NodeJS.ErrnoException).code ?? '',
  );
  return wrongName ? new UsageError(message, { cause: error }) : new LocalError(message, { cause: error });
}

function notWritten(error: unknown): LocalError {
  return new LocalError(`cannot keep a copy of the input: ${reasonOf(error)}`, { cause: error });
}

function reasonOf(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException;
  return getSystemErrorMap().get(errno ?? 0)?.[1] ?? message;
}
