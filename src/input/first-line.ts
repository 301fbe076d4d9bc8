import type { Source } from './source.ts';
import { maxRecordLength } from './text-lines.ts';

/** Returns the first wanted line, up to the maximum length of a record. */
export async function firstLine(source: Source, isWanted: (line: string) => boolean): Promise<{ line: number; text: string }> {
  let rest = '';
  let before = 0;
  for await (const chunk of source.text()) {
    const lines = (rest + chunk.toString()).split(/\r\n|\n|\r/);
    rest = lines.pop() ?? '';
    const index = lines.findIndex(isWanted);
    if (index >= 0) return { line: before + index + 1, text: lines[index] ?? '' };
    before += lines.length;
    if (rest.length > maxRecordLength) break;
  }
  return { line: before + 1, text: isWanted(rest) ? rest : '' };
}
