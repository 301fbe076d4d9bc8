import { open } from 'node:fs/promises';
import { basename, parse } from 'node:path';
import { LocalError } from '../../base/errors.ts';
import { cannot, errorCode } from '../../files/file-error.ts';
import { decodeLine, type JournalLine, type LineType } from './lines.ts';

export interface LineLocation {
  readonly offset: number;
  readonly length: number;
}

interface LocatedLine extends LineLocation {
  readonly line: JournalLine;
}

/** Most journals are read whole by the first. A megabyte for each of those made the garbage collector run as often as it could. */
const firstChunkBytes = 64 * 1024;
const chunkBytes = 1024 * 1024;
const newline = 0x0a;

/** Skips a torn line at the end. Throws `LocalError` if a valid line follows an invalid one, which no interrupted write can cause. */
export async function* readJournal(path: string): AsyncGenerator<LocatedLine> {
  let bad: number | undefined;
  for await (const { text, offset, length } of rawLines(path)) {
    const line = decodeLine(text);
    if (!line) {
      bad ??= offset;
      continue;
    }
    if (bad !== undefined) throw damaged(path, `byte ${bad}`);
    yield { line, offset, length };
  }
}

/** All errors of the file are `LocalError`s. */
export async function openToRead(path: string) {
  const unreadable = cannot('read', path);
  const file = await open(path).catch(unreadable);
  return {
    read: (chunk: Buffer, length: number, offset: number) => file.read(chunk, 0, length, offset).catch(unreadable),
    size: async (): Promise<number> => (await file.stat().catch(unreadable)).size,
    close: (): Promise<void> => file.close(),
  };
}

/** Returns true if the system did not let the file be read, which need not be damaged. */
export function isWithheld(error: unknown): boolean {
  const code = error instanceof Error ? errorCode(error.cause) : undefined;
  return code !== undefined && code !== 'ENOENT' && code !== 'EISDIR';
}

export type LineFile = ReturnType<typeof lineFile>;

/** Reads single lines of a journal. The file is opened by the first read. */
export function lineFile(path: string) {
  let file: ReturnType<typeof openToRead> | undefined;
  return {
    /** Throws `LocalError` if there is no line of this type. */
    async read<T extends LineType>(type: T, { offset, length }: LineLocation): Promise<JournalLine<T>> {
      file ??= openToRead(path);
      const { buffer, bytesRead } = await (await file).read(Buffer.alloc(length), length, offset);
      const line = decodeLine(buffer.toString('utf8', 0, bytesRead - 1));
      if (!isOfType(line, type)) throw damaged(path, `byte ${offset}`);
      return line;
    },
    // If the file could not be opened, `read` has already thrown.
    close: async (): Promise<void> => await (await file?.catch(() => undefined))?.close(),
  };
}

/** Parsed lines kept in memory. Rows are requested in input order, and lines are almost in that order. */
const keptLines = 16;

/** Reads and parses lines by their location. */
export function parsedLines<T extends LineType, Parsed>(path: string, type: T, parse: (line: JournalLine<T>) => Parsed) {
  const file = lineFile(path);
  const lines = new Map<number, Parsed>();
  return {
    async at(location: LineLocation): Promise<Parsed> {
      const parsed = lines.get(location.offset) ?? parse(await file.read(type, location));
      lines.set(location.offset, parsed);
      if (lines.size > keptLines) lines.delete(lines.keys().next().value ?? 0);
      return parsed;
    },
    close: file.close,
  };
}

function isOfType<T extends LineType>(line: JournalLine | undefined, type: T): line is JournalLine & JournalLine<T> {
  return line?.type === type;
}

export async function* linesBackwards<T extends LineType>(
  path: string,
  type: T,
  locations: readonly LineLocation[],
): AsyncGenerator<JournalLine<T>> {
  const file = lineFile(path);
  try {
    for (const location of locations.toReversed()) yield await file.read(type, location);
  } finally {
    await file.close();
  }
}

export function damaged(path: string, where: string): LocalError {
  const { dir, name } = parse(path);
  // A record of one file has the name of its run, others are in a folder of that name.
  const run = name.includes('-') ? name : basename(dir);
  return new LocalError(`the journal ${path} is damaged (${where})`, {
    hint: `check the links with linkctl list; copy the record, which may show them as they were, before you delete it: linkctl runs forget ${run}`,
  });
}

async function* rawLines(path: string): AsyncGenerator<{ text: string; offset: number; length: number }> {
  const file = await openToRead(path);
  try {
    let chunk = Buffer.allocUnsafe(firstChunkBytes);
    let rest = Buffer.alloc(0);
    let offset = 0;
    for (;;) {
      const { bytesRead } = await file.read(chunk, chunk.length, offset + rest.length);
      if (bytesRead === 0) return;
      // Copied, so that the chunk can be used again.
      rest = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
      if (chunk.length < chunkBytes && bytesRead === chunk.length) chunk = Buffer.allocUnsafe(chunkBytes);
      for (let end = rest.indexOf(newline); end >= 0; end = rest.indexOf(newline)) {
        yield { text: rest.toString('utf8', 0, end), offset, length: end + 1 };
        rest = rest.subarray(end + 1);
        offset += end + 1;
      }
    }
  } finally {
    await file.close();
  }
}
