import { quoted } from '../base/quoted.ts';
import { cellsByPosition, isHeader } from './csv/delimiter.ts';
import { cellValue } from './field-values.ts';
import { meaningOf } from './fields/aliases.ts';
import { tsvReason } from './format.ts';
import type { Notice, Notices } from './notices.ts';
import type { ReadOptions, RecordReader, RowDraft } from './row.ts';

const longUrl = { name: 'long_url', target: 'long_url' } as const;

/** Reads one URL per line; skips blank lines and `#` comments. Call `end` after the last line. */
export function lineReader(
  draft: RowDraft,
  { isFormatGiven }: ReadOptions,
  notices: Notices,
): { readonly read: RecordReader<string>; end(): void } {
  let begun = false;
  // The first of several lines that could all be URLs or csv rows without a header. Guessing wrong would create links whose destination is
  // a whole csv row.
  let ambiguous: { readonly form: string; readonly notice: Notice } | undefined;
  const read: RecordReader<string> = (record, line) => {
    const text = record.trim();
    if (text === '' || text.startsWith('#')) return 'nothing';
    const other = begun ? undefined : otherFormat(text);
    const form = !begun && !isFormatGiven ? cellsByPosition(text) : undefined;
    if (form !== undefined) {
      const reason = `${quoted(text)} may be a URL, or a URL and its hash: add --input-format lines or --input-format csv`;
      ambiguous = { form, notice: { line, reason } };
    }
    begun = true;
    if (other) {
      const reason = other === 'csv' && text.includes('\t') ? tsvReason : `looks like ${other}, use --input-format ${other}`;
      notices.problem({ line, reason });
      return 'end';
    }
    if (ambiguous && cellsByPosition(text) !== ambiguous.form) ambiguous = undefined;
    draft.begin(line);
    draft.set(longUrl, cellValue('long_url', text));
    return 'row';
  };
  return { read, end: () => ambiguous && notices.problem(ambiguous.notice) };
}

/** Reports one problem instead of one per line for a csv or JSON file without a known extension. */
function otherFormat(firstLine: string): 'csv' | 'jsonl' | undefined {
  if (firstLine.startsWith('{')) return 'jsonl';
  return isHeader(firstLine, (name) => meaningOf(name) === 'long_url') ? 'csv' : undefined;
}
