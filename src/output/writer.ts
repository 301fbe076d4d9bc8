import { fstatSync } from 'node:fs';
import { LocalError, messageOf } from '../base/errors.ts';
import type { OutputStream } from '../base/system.ts';
import { errorCode } from '../files/file-error.ts';
import { writeWhole } from '../files/whole-write.ts';

/** Whoever read our output closed the pipe: quiet for a read, a failure for a change (B40). */
export class ClosedPipe extends Error {
  constructor(cause: unknown) {
    super('output pipe closed', { cause });
    this.name = 'ClosedPipe';
  }
}

export interface WriterOptions {
  /** Errors of the stream are ignored: stderr, where they could not be shown anyway. */
  readonly lossy?: boolean;
  /** Runs before each chunk. */
  readonly beforeChunk?: () => void;
}

/** Characters; a pipe takes 64 KiB at a time. */
const chunkLength = 65_536;

/** The one way to a stream: in chunks, each waits until the previous chunk was accepted. */
export class Writer {
  readonly #stream: OutputStream;
  /** Where the stream leads to a file on disk. */
  readonly #file: number | undefined;
  readonly #options: WriterOptions;
  #pending = '';
  #sending: Promise<void> | undefined;
  #isScheduled = false;
  #failure: ClosedPipe | LocalError | undefined;

  constructor(stream: OutputStream, options: WriterOptions = {}) {
    this.#stream = stream;
    this.#file = regularFile(stream);
    this.#options = options;
    if (this.#file === undefined) stream.on('error', this.#fail);
  }

  /** What broke the stream, if anything did. */
  failure(): ClosedPipe | LocalError | undefined {
    return this.#failure;
  }

  /**
   * Takes text; await what it returns, so that a slow reader slows us down. What was taken is sent as soon as the program
   * waits for something else (B20), or sooner when a chunk is full. Throws `ClosedPipe` or `LocalError` once the stream failed.
   */
  write(text: string): Promise<void> | undefined {
    if (this.#failure) return this.#check();
    this.#pending += text;
    if (this.#pending.length >= chunkLength) return this.flush();
    if (!this.#isScheduled) this.#sendSoon();
    return undefined;
  }

  /** Resolves when the stream has everything; throws as `write` does. */
  async flush(): Promise<void> {
    while (this.#startSending()) await this.#sending;
    this.#check();
  }

  /** Sends what is left and detaches from the stream; never throws. */
  async release(): Promise<void> {
    await this.flush().catch(() => undefined);
    if (this.#file !== undefined) return;
    // A stream emits 'error' some ticks after its callback had it; without a listener that would be a crash (T8).
    await new Promise((resolve) => setImmediate(resolve));
    this.#stream.off('error', this.#fail);
  }

  readonly #fail = (error: unknown): void => {
    this.#failure ??= outputFailure(error);
  };

  #check(): undefined {
    if (this.#failure && !this.#options.lossy) throw this.#failure;
  }

  #sendSoon(): void {
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#startSending();
    });
  }

  #startSending(): Promise<void> | undefined {
    if (this.#pending !== '' && !this.#failure) this.#sending ??= this.#sendPending();
    return this.#sending;
  }

  async #sendPending(): Promise<void> {
    while (this.#pending !== '' && !this.#failure) {
      const chunk = this.#pending;
      this.#pending = '';
      this.#options.beforeChunk?.();
      const error = await this.#send(chunk);
      if (error) this.#fail(error);
    }
    this.#sending = undefined;
  }

  async #send(chunk: string): Promise<unknown> {
    if (this.#file === undefined) return await new Promise((resolve) => this.#stream.write(chunk, resolve));
    // Node ignores how much of a chunk a nearly full disk took, and reports success: what is missing would be lost in silence (B38).
    try {
      writeWhole(this.#file, Buffer.from(chunk));
    } catch (error) {
      return error;
    }
    return undefined;
  }
}

/**
 * Writes a few thousand characters without a stream, which takes Node three milliseconds to load. While a pipe is full nothing else
 * is done and no signal is handled, so this is for a process that has no handlers. Throws as a writer does.
 */
export function writeAtOnce(file: number, text: string): void {
  try {
    writeWhole(file, Buffer.from(text));
  } catch (error) {
    throw outputFailure(error);
  }
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

function outputFailure(error: unknown): ClosedPipe | LocalError {
  const code = errorCode(error) ?? '';
  if (goneCodes.includes(code)) return new ClosedPipe(error);
  return new LocalError(`cannot write output: ${causes[code] ?? messageOf(error)}`, { cause: error });
}
