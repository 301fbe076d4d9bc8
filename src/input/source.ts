import { createHash } from 'node:crypto';
import { type BigIntStats, createReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { getSystemErrorMap } from 'node:util';
import { type CliError, LocalError, messageOf, UsageError } from '../base/errors.ts';
import type { System } from '../base/system.ts';
import { errorCode, fileError } from '../files/file-error.ts';
import { inputStatus } from '../files/input-status.ts';
import { TemporaryFile } from '../files/temporary-file.ts';
import { assertEncoding, utf8Text } from './encoding.ts';

/** An input that can be read several times with the same content. */
export interface Source {
  /** The path as typed, or `stdin`; used in messages. */
  readonly name: string;
  /** Only for a pipe: writes its content to a new file, synced, with mode 0600. */
  readonly copyTo?: (path: string) => Promise<void>;
  /** Of a pipe or a terminal: it is the listing of no links if it is empty. The null device says only that nothing is connected. */
  readonly mayBeEmpty?: boolean;
  /** The text from the beginning, as UTF-8. Throws a LocalError if the file has changed. */
  text(): AsyncGenerator<Buffer>;
  /** The digest in hex, available once `text` was read to its end. */
  sha256(): string;
  /** Only for a file: its bytes, available once `text` was read. */
  readonly size?: () => number;
  /** Only for a file: the digest in hex of so many of its first bytes. */
  readonly sha256OfFirst?: (bytes: number) => Promise<string>;
  /** Returns an error if the file has changed since it was read. */
  changeError(): Promise<LocalError | undefined>;
  /** Releases the copy of a pipe; keeps a file. */
  discard(): void;
}

interface SourceOptions {
  readonly system: Pick<System, 'stdin' | 'randomBytes'>;
  /** The folder for the copy of a pipe; created if missing. */
  readonly folder: string;
  /** The encoding if it is not UTF-8, such as `windows-1252`. */
  readonly encoding?: string | undefined;
  /** Called before reading from a terminal. */
  readonly onTerminal?: (() => void) | undefined;
}

/**
 * Opens a path, or stdin for the operand `-`. A pipe is copied first because rows may be read more than once: to validate them, to find
 * duplicate hashes, and for a dry run.
 */
export async function openSource(operand: string, options: SourceOptions): Promise<Source> {
  const { system, onTerminal } = options;
  if (options.encoding !== undefined) assertEncoding(options.encoding);
  if (operand === '-') {
    const { stdin } = system;
    const status = inputStatus(stdin);
    // Node reads a directory as if it were empty.
    if (status?.isDirectory()) throw new UsageError('stdin is a directory');
    if (stdin.isTTY) onTerminal?.();
    const isPipe = !status || status.isFIFO() || status.isSocket();
    return pipeSource(stdin, 'stdin', options, stdin.isTTY || isPipe);
  }
  const status = await stat(operand).catch((error) => {
    throw unreadable(operand, error);
  });
  if (status.isFile()) return fileSource(operand, options);
  const isPipe = status.isFIFO();
  if (isPipe || status.isCharacterDevice()) return pipeSource(createReadStream(operand), operand, options, isPipe);
  throw new UsageError(`${operand} is ${status.isDirectory() ? 'a directory' : 'not a file'}`);
}

const chunkBytes = 128 * 1024;

function fileSource(name: string, { encoding }: SourceOptions): Source {
  let known: Identity | undefined;
  let digest: string | undefined;
  async function* bytes(): AsyncGenerator<Buffer> {
    const handle = await open(name).catch((error) => {
      throw unreadable(name, error);
    });
    try {
      const hash = createHash('sha256');
      known ??= await handle.stat({ bigint: true });
      for (;;) {
        const chunk = await nextChunk(handle, name);
        if (!same(known, await handle.stat({ bigint: true }))) throw changed(name);
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
    text: () => utf8Text(bytes(), name, encoding),
    sha256() {
      if (!digest) throw new Error('sha256 requested before the source was read to its end');
      return digest;
    },
    size: () => Number(known?.size),
    async sha256OfFirst(bytes) {
      const hash = createHash('sha256');
      try {
        for await (const chunk of createReadStream(name, { end: bytes - 1 })) hash.update(chunk);
      } catch (error) {
        throw unreadable(name, error);
      }
      return hash.digest('hex');
    },
    async changeError() {
      const found = await stat(name, { bigint: true }).catch(() => undefined);
      return known && !(found && same(known, found)) ? changedSince(name) : undefined;
    },
    discard: () => {},
  };
}

async function nextChunk(handle: FileHandle, name: string): Promise<Buffer> {
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, null);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw unreadable(name, error);
  }
}

/** A difference means that the file was changed or replaced. */
type Identity = Pick<BigIntStats, 'dev' | 'ino' | 'size' | 'mtimeNs'>;

function same(one: Identity, other: Identity): boolean {
  return one.dev === other.dev && one.ino === other.ino && one.size === other.size && one.mtimeNs === other.mtimeNs;
}

function changedSince(name: string): LocalError {
  return new LocalError(`${name} changed after it was checked: the rest was not sent`, {
    hint: 'restore the old file and run the same command again',
  });
}

function changed(name: string): LocalError {
  return new LocalError(`${name} changed while it was read: run the command again when the file is complete`);
}

/** Validates the text while copying, so that an endless stream of anything else does not fill the disk. */
async function pipeSource(stream: Readable, name: string, options: SourceOptions, mayBeEmpty: boolean): Promise<Source> {
  const { folder, system, encoding } = options;
  const alternative = 'for --dry-run or a listing, you can use a file instead of a pipe';
  const copy = new TemporaryFile(folder, `a copy of ${name}`, system, alternative);
  const hash = createHash('sha256');
  async function* copied(): AsyncGenerator<Buffer> {
    for await (const chunk of wholeStream(stream, name)) {
      copy.append(chunk);
      hash.update(chunk);
      yield chunk;
    }
  }
  try {
    for await (const _ of utf8Text(copied(), name, encoding));
  } catch (error) {
    copy.close();
    throw error;
  }
  const digest = hash.digest('hex');
  return {
    name,
    mayBeEmpty,
    copyTo: (path) => copy.copyTo(path),
    text: () => utf8Text(copy.stream(), name, encoding),
    sha256: () => digest,
    changeError: async () => undefined,
    discard: () => copy.close(),
  };
}

/** A broken pipe is not the end of the input. */
async function* wholeStream(stream: Readable, name: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream) yield Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
  } catch (error) {
    throw new UsageError(`${name} ended early, nothing was sent: ${reasonOf(error)}`, { cause: error });
  }
}

/** A wrong name is a usage error (exit 2); a file that cannot be read is a local problem (exit 9). */
export function unreadable(name: string, error: unknown): CliError {
  const failure = fileError('read', name || '""', error);
  const isWrongName = wrongNames.includes(errorCode(error) ?? '');
  return isWrongName ? new UsageError(failure.message, { cause: error }) : failure;
}

const wrongNames = ['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'];

function reasonOf(error: unknown): string {
  const number = error instanceof Error && 'errno' in error && typeof error.errno === 'number' ? error.errno : 0;
  return getSystemErrorMap().get(number)?.[1] ?? messageOf(error);
}
