import { UsageError } from '../base/errors.ts';
import type { Source } from './source.ts';

/** The maximum length in any format, so that a file without line ends needs no more memory than others. */
export const maxRecordLength = 128 * 1024;

/** The lines or CSV records of one chunk. */
export interface RecordBatch<Record> {
  readonly records: readonly Record[];
  /** The line numbers of the records, from 1. */
  readonly lines: readonly number[];
}

/** Lines may end with LF, CRLF or CR, in any mixture. */
export async function* textLines(source: Source): AsyncGenerator<RecordBatch<string>> {
  let before = 0;
  let rest = '';
  for await (const chunk of source.text()) {
    const text = rest + chunk.toString();
    // A CR at the end may be the first half of a CRLF.
    const end = text.endsWith('\r') ? text.length - 1 : text.length;
    const records = text.slice(0, end).split(text.includes('\r') ? /\r\n|\n|\r/ : '\n');
    rest = (records.pop() ?? '') + text.slice(end);
    if (rest.length > maxRecordLength) {
      throw new UsageError(
        `${source.name}:${before + records.length + 1}: the line is longer than ${maxRecordLength} characters`,
      );
    }
    yield numbered(records, before);
    before += records.length;
  }
  const last = rest.replace(/\r$/, '');
  if (last !== '') yield numbered([last], before);
}

function numbered(records: readonly string[], before: number): RecordBatch<string> {
  return { records, lines: records.map((_, index) => before + index + 1) };
}

/** The number of the first line, from 1. */
export interface FirstLines {
  readonly line: number;
  readonly texts: readonly string[];
}

/** Returns the first wanted lines. One that is longer than a record ends them. */
export async function firstLines(source: Source, most: number, isWanted = isFilled): Promise<FirstLines> {
  const texts: string[] = [];
  let line = 0;
  let before = 0;
  let rest = '';
  const take = (lines: readonly string[]): void => {
    for (const text of lines) {
      before += 1;
      if (texts.length === most || !isWanted(text)) continue;
      if (texts.push(text) === 1) line = before;
    }
  };
  for await (const chunk of source.text()) {
    const lines = (rest + chunk.toString()).split(/\r\n|\n|\r/);
    rest = lines.pop() ?? '';
    take(lines);
    if (texts.length === most || rest.length > maxRecordLength) break;
  }
  take([rest]);
  return { line, texts };
}

export function isFilled(line: string): boolean {
  return line.trim() !== '';
}
