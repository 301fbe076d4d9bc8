import { isHeader } from './csv/delimiter.ts';
import { meaningOf } from './fields/aliases.ts';
import type { Notices } from './notices.ts';
import type { RecordReader, RowDraft } from './row.ts';
import { cellValue } from './values.ts';

const longUrl = { name: 'long_url', target: 'long_url' } as const;

/** Reads one URL from each line; blank lines and `#` comments are skipped (CLI 3.6). */
export function lineReader(draft: RowDraft, notices: Notices): RecordReader<string> {
  let begun = false;
  return (record, line) => {
    const text = record.trim();
    if (text === '' || text.startsWith('#')) return 'nothing';
    const other = begun ? undefined : otherFormat(text);
    begun = true;
    if (other) {
      notices.problem({ line, reason: `looks like ${other}, use --input-format ${other}` });
      return 'end';
    }
    draft.begin(line);
    draft.set(longUrl, cellValue('long_url', text));
    return 'row';
  };
}

/** One message instead of a problem per line, if a csv or JSON file has no extension that shows its format. */
function otherFormat(firstLine: string): 'csv' | 'jsonl' | undefined {
  if (firstLine.startsWith('{')) return 'jsonl';
  return isHeader(firstLine, (name) => meaningOf(name) === 'long_url') ? 'csv' : undefined;
}
