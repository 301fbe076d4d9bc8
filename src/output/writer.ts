import { fstatSync } from 'node:fs';
import { CliError, LocalError, messageOf } from '../base/errors.ts';
import type { OutputStream } from '../base/system.ts';
import { errorCode } from '../files/file-error.ts';
import { writeWhole } from '../files/whole-write.ts';

/** The reader of the output closed the pipe: no failure for reads, a failure for changes. */
export class ClosedPipe extends Error {
  constructor(cause: unknown) {
    super('output pipe closed', { cause });
    this.name = 'ClosedPipe';
  }
}

interface WriterOptions {
  /** Ignores errors of the stream: for stderr, where they could not be shown. */
  readonly lossy?: boolean;
  /** Runs before each chunk. */
  readonly beforeChunk?: () => void;
}

/** Characters; a pipe accepts 64 KiB at a time. */
const chunkLength = 65_536;

/** Writes in chunks; each chunk waits until the previous one was accepted. */
export class Writer {
  readonly #stream: OutputStream;
  /** Set if what is written goes there without the stream. */
  readonly #file: number | undefined;
  readonly #options: WriterOptions;
  #pending = '';
  #sending: Promise<void> | undefined;
  #isScheduled = false;
  #failure: ClosedPipe | CliError | undefined;
  /** Ends the wait for the current chunk. */
  #taken: ((error?: unknown) => void) | undefined;
  #limit: (() => Promise<CliError>) | undefined;

  constructor(stream: OutputStream, options: WriterOptions = {}) {
    this.#stream = stream;
    this.#file = directFile(stream, options);
    this.#options = options;
    if (this.#file === undefined) stream.on('error', this.#fail);
  }

  failure(): ClosedPipe | CliError | undefined {
    return this.#failure;
  }

  /** Limits how long each chunk, from the current one on, waits for the reader. The stream then fails with what `limit` resolves to. */
  hurry(limit: () => Promise<CliError>): void {
    this.#limit = limit;
    if (this.#sending) void limit().then(this.#taken);
  }

  /**
   * Await the returned promise, so that a slow reader slows us down. Text is sent when the program waits for something else, or when a chunk
   * is full. Throws `ClosedPipe` or `CliError` after the stream failed.
   */
  write(text: string): Promise<void> | undefined {
    if (this.#failure) return this.#check();
    this.#pending += text;
    if (this.#pending.length >= chunkLength) return this.flush();
    if (!this.#isScheduled) this.#sendSoon();
    return undefined;
  }

  /** Resolves when everything is written; throws like `write`. */
  async flush(): Promise<void> {
    while (this.#startSending()) await this.#sending;
    this.#check();
  }

  /** Flushes and detaches from the stream; never throws. */
  async release(): Promise<void> {
    await this.flush().catch(() => undefined);
    if (this.#file !== undefined) return;
    // A stream emits 'error' some ticks after its callback; without a listener the process would crash.
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
    if (this.#file === undefined) {
      return await new Promise((resolve) => {
        this.#taken = resolve;
        this.#stream.write(chunk, resolve);
        void this.#limit?.().then(resolve);
      });
    }
    // Node ignores a partial write on a full disk and reports success, so files are written here.
    try {
      writeWhole(this.#file, Buffer.from(chunk));
    } catch (error) {
      return error;
    }
    return undefined;
  }
}

/**
 * Writes a short text without a stream, which takes Node three milliseconds to load. Blocks while a pipe is full and handles no signals,
 * so it is only for processes without handlers. Throws like a writer.
 */
export function writeAtOnce(file: number, text: string): void {
  try {
    writeWhole(file, Buffer.from(text));
  } catch (error) {
    throw outputFailure(error);
  }
}

/**
 * A regular file, whose errors Node hides, and for messages the null device, which needs no stream. A pipe needs one: its reader may be
 * blocked.
 */
function directFile(stream: OutputStream, { lossy }: WriterOptions): number | undefined {
  const { fd } = stream;
  if (fd === undefined) return undefined;
  try {
    const file = fstatSync(fd);
    return file.isFile() || (lossy && file.isCharacterDevice() && !stream.isTTY) ? fd : undefined;
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

function outputFailure(error: unknown): ClosedPipe | CliError {
  if (error instanceof CliError) return error;
  const code = errorCode(error) ?? '';
  if (goneCodes.includes(code)) return new ClosedPipe(error);
  return new LocalError(`cannot write output: ${causes[code] ?? messageOf(error)}`, { cause: error });
}
