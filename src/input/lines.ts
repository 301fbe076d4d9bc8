import { textLines } from './csv/text-lines.ts';
import { type InputRow, type Notices, type ReadOptions, rowDraft } from './row.ts';
import type { Source } from './source.ts';
import { cellValue } from './values.ts';

const longUrl = { name: 'long_url', target: 'long_url' } as const;

/** One URL on each line; blank lines and `#` comments are skipped (CLI.md 3.6). */
export async function* lineRows(
  source: Source,
  options: ReadOptions<'shorten'>,
  notices: Notices,
): AsyncGenerator<InputRow<'shorten'>[]> {
  const draft = rowDraft(options, notices);
  let begun = false;
  for await (const { first, lines } of textLines(source)) {
    const rows: InputRow<'shorten'>[] = [];
    for (const [index, line] of lines.entries()) {
      const text = line.trim();
      if (text === '' || text.startsWith('#')) continue;
      const other = begun ? undefined : otherFormat(text);
      begun = true;
      if (other) return notices.problem({ line: first + index, reason: `looks like ${other}, use --input-format ${other}` });
      draft.begin(first + index);
      draft.set(longUrl, cellValue('long_url', text));
      const row = draft.finish();
      if (row) rows.push(row);
    }
    yield rows;
  }
}

/** One sentence instead of a refusal for every line, when a file came without the extension that says what it is. */
function otherFormat(firstLine: string): 'csv' | 'jsonl' | undefined {
  if (firstLine.startsWith('{')) return 'jsonl';
  return /(?:^|[,;\t])"?long_url"?(?:[,;\t]|$)/i.test(firstLine) ? 'csv' : undefined;
}
