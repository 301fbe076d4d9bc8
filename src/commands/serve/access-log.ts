import { type FileHandle, open } from 'node:fs/promises';
import { isoTime } from '../../base/times.ts';
import { cannot, fileError } from '../../files/file-error.ts';
import { type Exchange, header } from '../../service/message.ts';

/** Milliseconds. */
const collectionTime = 100;

/** Characters that may wait for a slow disk; further lines are lost. */
const waitingBound = 4_000_000;

interface AccessLogOptions {
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called once when lines begin to be lost; the service continues. */
  readonly warn: (text: string) => void;
}

export type AccessLog = Awaited<ReturnType<typeof openAccessLog>>;

/** Writes requests in combined log format, one write at a time. Throws `LocalError` for a file that cannot be written. */
export async function openAccessLog({ path, now, warn }: AccessLogOptions) {
  let file: FileHandle | undefined = await openToAppend(path).catch(cannot('write', path));
  let waiting = '';
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let isFailing = false;
  const fail = (reason: string): void => {
    if (!isFailing) warn(`${reason}; requests are missing in the access log`);
    isFailing = true;
  };
  const closeFile = async (): Promise<void> => {
    const open = file;
    file = undefined;
    await open?.close().catch(() => undefined);
  };
  const write = async (): Promise<void> => {
    const lines = Buffer.from(waiting, 'latin1');
    waiting = '';
    let written = 0;
    try {
      file ??= await openToAppend(path);
      while (written < lines.length) written += (await file.write(lines, written)).bytesWritten;
      if (written > 0) isFailing = false;
    } catch (error) {
      fail(fileError('write', path, error).message);
      // The path may name another file by now.
      await closeFile();
    }
  };
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(write);
  };
  return {
    add(exchange: Exchange): void {
      if (waiting.length < waitingBound) waiting += combinedLine(exchange, now());
      else fail('the disk is too slow');
      timer ??= setTimeout(flush, collectionTime);
    },
    /** Resolves when all lines so far are written, or lost. A later line opens the file again, or a new one if log rotation has moved it away. */
    async close(): Promise<void> {
      flush();
      writing = writing.then(closeFile);
      await writing;
    },
  };
}

/** Mode 0600, because it contains addresses of visitors. */
function openToAppend(path: string): Promise<FileHandle> {
  return open(path, 'a', 0o600);
}

/** `192.0.2.1 - - [15/May/2024:12:00:00 +0000] "GET /abc HTTP/1.1" 303 - "https://from.example/" "Mozilla/5.0"` */
function combinedLine({ request, response }: Exchange, now: number): string {
  const { address, method, target, httpVersion } = request;
  const bytes = method === 'HEAD' ? 0 : Buffer.byteLength(response.body);
  const line = quoted(method === '-' ? '-' : `${method} ${target} HTTP/${httpVersion}`);
  const [referrer, agent] = ['referer', 'user-agent'].map((name) => quoted(header(request, name) || '-'));
  return `${address || '-'} - - [${logTime(now)}] ${line} ${response.status} ${bytes || '-'} ${referrer} ${agent}\n`;
}

/** Escapes quotes and control characters as Apache does, so that visitors cannot forge lines. */
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

/** Example: `12:00:00Z 303 GET /abc 0.4 ms`. Leaves out the query, which can be long. */
export function requestLine({ request, response, milliseconds }: Exchange, now: number): string {
  const time = isoTime(now).slice(11, 19);
  const [path = ''] = request.target.split('?');
  return `${time}Z ${response.status} ${request.method} ${path} ${milliseconds.toFixed(1)} ms`;
}
