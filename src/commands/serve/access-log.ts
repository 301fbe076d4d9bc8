import { type FileHandle, open } from 'node:fs/promises';
import { fileError } from '../../files/file-error.ts';
import { type Exchange, header } from '../../service/message.ts';

/** Milliseconds for which lines are collected. */
const collectionTime = 100;

/** Characters that wait for a slow disk; beyond these, lines are lost. */
const waitingBound = 4_000_000;

interface AccessLogOptions {
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called with a sentence when lines begin to be lost; that never stops the service. */
  readonly warn: (text: string) => void;
}

/** `--access-log` (V6): requests in combined log format, added to a file by one writer. */
export class AccessLog {
  readonly #options: AccessLogOptions;
  #file: FileHandle | undefined;
  #waiting = '';
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isFailing = false;

  /** Throws `LocalError` for a file that cannot be written. */
  static async open(options: AccessLogOptions): Promise<AccessLog> {
    try {
      return new AccessLog(options, await openToAppend(options.path));
    } catch (error) {
      throw fileError('write', options.path, error);
    }
  }

  private constructor(options: AccessLogOptions, file: FileHandle) {
    this.#options = options;
    this.#file = file;
  }

  add(exchange: Exchange): void {
    if (this.#waiting.length < waitingBound) this.#waiting += combinedLine(exchange, this.#options.now());
    else this.#fail('the disk is too slow');
    this.#timer ??= setTimeout(() => void this.flush(), collectionTime);
  }

  /** Resolves when what was added so far is written, or lost. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  /** From now on lines go to the file that has the name now: logs are rotated by moving them away. */
  async reopen(): Promise<void> {
    await this.close();
  }

  /** Writes what is left. What is added later opens the file again. */
  async close(): Promise<void> {
    void this.flush();
    this.#writing = this.#writing.then(() => this.#closeFile());
    await this.#writing;
  }

  async #write(): Promise<void> {
    const lines = Buffer.from(this.#waiting, 'latin1');
    this.#waiting = '';
    let written = 0;
    try {
      this.#file ??= await openToAppend(this.#options.path);
      while (written < lines.length) written += (await this.#file.write(lines, written)).bytesWritten;
      if (written > 0) this.#isFailing = false;
    } catch (error) {
      this.#fail(fileError('write', this.#options.path, error).message);
      // Perhaps another file has the name by now.
      await this.#closeFile();
    }
  }

  #fail(reason: string): void {
    if (!this.#isFailing) this.#options.warn(`${reason}; requests are missing in the access log`);
    this.#isFailing = true;
  }

  async #closeFile(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close().catch(() => undefined);
  }
}

/** 0600, as all that holds what visitors do. */
function openToAppend(path: string): Promise<FileHandle> {
  return open(path, 'a', 0o600);
}

/** `192.0.2.1 - - [15/May/2024:12:00:00 +0000] "GET /abc HTTP/1.1" 303 - "https://from.example/" "Mozilla/5.0"` */
function combinedLine({ request, response }: Exchange, now: number): string {
  const { address, method, target, httpVersion } = request;
  const bytes = method === 'HEAD' ? 0 : Buffer.byteLength(response.body);
  const line = quoted(`${method} ${target} HTTP/${httpVersion}`);
  const [referrer, agent] = ['referer', 'user-agent'].map((name) => quoted(header(request, name) || '-'));
  return `${address || '-'} - - [${logTime(now)}] ${line} ${response.status} ${bytes || '-'} ${referrer} ${agent}\n`;
}

/** What ends a text or a line is escaped, as Apache does: visitors cannot add lines of their own. */
function quoted(text: string): string {
  const escaped = text.replace(/["\\]|[^ -~]/g, (sign) => {
    if (sign === '"' || sign === '\\') return `\\${sign}`;
    return `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
  return `"${escaped}"`;
}

/** `15/May/2024:12:00:00 +0000`, UTC. */
function logTime(now: number): string {
  const [, day, month, year, time] = new Date(now).toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
}
