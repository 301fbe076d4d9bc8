import type { Source } from './source.ts';
import { longestRecord } from './text-lines.ts';

/** The first line that is wanted, or as much of it as is read of any. */
export async function firstLine(source: Source, isWanted: (line: string) => boolean): Promise<{ line: number; text: string }> {
  let rest = '';
  let before = 0;
  for await (const chunk of source.text()) {
    const lines = (rest + chunk.toString()).split(/\r\n|\n|\r/);
    rest = lines.pop() ?? '';
    const index = lines.findIndex(isWanted);
    if (index >= 0) return { line: before + index + 1, text: lines[index] ?? '' };
    before += lines.length;
    if (rest.length > longestRecord) break;
  }
  return { line: before + 1, text: isWanted(rest) ? rest : '' };
}
