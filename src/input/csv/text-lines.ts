import { UsageError } from '../../base/errors.ts';
import type { Source } from '../source.ts';

/** Longest record of any format, so that a file without line ends costs no more memory than others (R-29, C11). */
export const longestRecord = 128 * 1024;

export interface LineBatch {
  /** Number of the first line of the batch, from 1. */
  readonly first: number;
  readonly lines: readonly string[];
}

/** The lines of a text that ends them with LF, CRLF or CR, in any mixture (C02). */
export async function* textLines(source: Source): AsyncGenerator<LineBatch> {
  let first = 1;
  let rest = '';
  for await (const chunk of source.text()) {
    const text = rest + chunk.toString();
    // A CR at the end may be the first half of a CRLF.
    const end = text.endsWith('\r') ? text.length - 1 : text.length;
    const lines = text.slice(0, end).split(text.includes('\r') ? /\r\n|\n|\r/ : '\n');
    rest = (lines.pop() ?? '') + text.slice(end);
    if (rest.length > longestRecord) {
      throw new UsageError(`${source.name}:${first + lines.length}: the line is longer than ${longestRecord} characters`);
    }
    if (lines.length > 0) yield { first, lines };
    first += lines.length;
  }
  const last = rest.replace(/\r$/, '');
  if (last !== '') yield { first, lines: [last] };
}
