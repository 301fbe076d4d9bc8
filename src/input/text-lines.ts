import { UsageError } from '../base/errors.ts';
import type { Source } from './source.ts';

/** Longest record of any format, so that a file without line ends costs no more memory than others. */
export const longestRecord = 128 * 1024;

/** What one piece of a text holds: lines, or the records of a CSV. */
export interface RecordBatch<Record> {
  readonly records: readonly Record[];
  /** The numbers of the lines on which they begin, from 1. */
  readonly lines: readonly number[];
}

/** The lines of a text that ends them with LF, CRLF or CR, in any mixture. */
export async function* textLines(source: Source): AsyncGenerator<RecordBatch<string>> {
  let before = 0;
  let rest = '';
  for await (const chunk of source.text()) {
    const text = rest + chunk.toString();
    // A CR at the end may be the first half of a CRLF.
    const end = text.endsWith('\r') ? text.length - 1 : text.length;
    const records = text.slice(0, end).split(text.includes('\r') ? /\r\n|\n|\r/ : '\n');
    rest = (records.pop() ?? '') + text.slice(end);
    if (rest.length > longestRecord) {
      throw new UsageError(`${source.name}:${before + records.length + 1}: the line is longer than ${longestRecord} characters`);
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
