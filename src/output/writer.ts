import { fstatSync } from 'node:fs';
import { LocalError } from '../base/errors.ts';
import type { OutputStream } from '../base/system.ts';
import { writeWhole } from '../files/whole-write.ts';

/** Whoever read our output went away: quiet for a read, a failure for a change (B40). */
export class ClosedPipe extends Error {
  constructor(cause: unknown) {
    super('the reader of the output went away', { cause });
    this.name = 'ClosedPipe';
  }
}

/** The one way to a stream: in chunks, each waiting until the one before it was taken. */
export interface Writer {
  /**
   * Takes text; await what it answers, so that a slow reader slows us down. What was taken is sent as soon as the program
   * waits for something else (B20), or sooner when a chunk is full. Throws `ClosedPipe` or `LocalError` once the stream failed.
   */
  write(text: string): Promise<void> | undefined;
  /** Resolves when the stream has everything; throws as `write` does. */
  flush(): Promise<void>;
  /** Lets go of the stream after its last word; never throws. */
  release(): Promise<void>;
  /** What broke the stream, if anything did. */
  failure(): ClosedPipe | LocalError | undefined;
}

export interface WriterOptions {
  /** Errors of the stream are nobody's business: stderr, where they could not be told anyway. */
  readonly lossy?: boolean;
  /** Runs before each chunk. */
  readonly beforeChunk?: () => void;
}

/** Characters; a pipe takes 64 KiB at a time. */
const chunkLength = 65_536;

export function createWriter(stream: OutputStream, { lossy = false, beforeChunk }: WriterOptions = {}): Writer {
  const file = regularFile(stream);
  const send = file === undefined ? streamSender(stream) : fileSender(file);
  let pending = '';
  let sending: Promise<void> | undefined;
  let scheduled = false;
  let failure: ClosedPipe | LocalError | undefined;

  const onError = (error: Error): void => {
    failure ??= outputFailure(error);
  };
  if (file === undefined) stream.on('error', onError);

  const check = (): void => {
    if (failure && !lossy) throw failure;
  };
  const sendPending = async (): Promise<void> => {
    while (pending !== '' && !failure) {
      const chunk = pending;
      pending = '';
      beforeChunk?.();
      const error = await send(chunk);
      if (error) onError(error);
    }
    sending = undefined;
  };
  const start = (): Promise<void> | undefined => {
    if (pending !== '' && !failure) sending ??= sendPending();
    return sending;
  };
  const flush = async (): Promise<void> => {
    while (start()) await sending;
    check();
  };

  return {
    failure: () => failure,
    flush,
    write(text) {
      check();
      if (failure) return undefined;
      pending += text;
      if (pending.length >= chunkLength) return flush();
      if (!scheduled) {
        scheduled = true;
        setImmediate(() => {
          scheduled = false;
          start();
        });
      }
      return undefined;
    },
    async release() {
      await flush().catch(() => undefined);
      if (file !== undefined) return;
      // A stream emits 'error' some ticks after it told the callback; without a listener that would be a crash (T8).
      await new Promise((resolve) => setImmediate(resolve));
      stream.off('error', onError);
    },
  };
}

/**
 * Writes a few thousand characters without a stream, which takes Node three milliseconds to load. While a pipe is full nothing else
 * is done and no listener hears a signal, so this is for a process that has none. Throws as a writer does.
 */
export function writeAtOnce(file: number, text: string): void {
  try {
    writeWhole(file, Buffer.from(text));
  } catch (error) {
    throw outputFailure(error as NodeJS.ErrnoException);
  }
}

type Send = (chunk: string) => Promise<Error | null | undefined>;

function streamSender(stream: OutputStream): Send {
  return (chunk) => new Promise((resolve) => stream.write(chunk, resolve));
}

/** Node ignores how much of a chunk a nearly full disk took, and reports success: what is missing would be lost in silence (B38). */
function fileSender(file: number): Send {
  return async (chunk) => {
    try {
      writeWhole(file, Buffer.from(chunk));
      return undefined;
    } catch (error) {
      return error as Error;
    }
  };
}

function regularFile({ fd }: OutputStream): number | undefined {
  try {
    return fd !== undefined && fstatSync(fd).isFile() ? fd : undefined;
  } catch {
    return undefined;
  }
}

const goneCodes = ['EPIPE', 'ECONNRESET', 'EOF', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END'];

const causes: { readonly [code: string]: string } = {
  ENOSPC: 'no space left on device',
  EDQUOT: 'disk quota exceeded',
  EFBIG: 'file too large',
  EIO: 'input/output error',
  EBADF: 'the stream is not open',
};

function outputFailure(error: NodeJS.ErrnoException): ClosedPipe | LocalError {
  const code = error.code ?? '';
  if (goneCodes.includes(code)) return new ClosedPipe(error);
  return new LocalError(`cannot write output: ${causes[code] ?? error.message}`, { cause: error });
}
