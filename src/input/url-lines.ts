import { quoted } from '../base/quoted.ts';
import { cellsByPosition, isHeader } from './csv/delimiter.ts';
import { cellValue } from './field-values.ts';
import { meaningOf } from './fields/aliases.ts';
import type { Notice, Notices } from './notices.ts';
import type { ReadOptions, RecordReader, RowDraft } from './row.ts';

const longUrl = { name: 'long_url', target: 'long_url' } as const;

/** Reads one URL from each line; blank lines and `#` comments are skipped. `end` is called after the last. */
export function lineReader(
  draft: RowDraft,
  { isFormatGiven }: ReadOptions,
  notices: Notices,
): { readonly read: RecordReader<string>; end(): void } {
  let begun = false;
  let doubtful: Doubtful | undefined;
  const read: RecordReader<string> = (record, line) => {
    const text = record.trim();
    if (text === '' || text.startsWith('#')) return 'nothing';
    const other = begun ? undefined : otherFormat(text);
    const form = !begun && !isFormatGiven ? cellsByPosition(text) : undefined;
    if (form !== undefined) doubtful = { line, text, form };
    begun = true;
    if (other) {
      notices.problem({ line, reason: `looks like ${other}, use --input-format ${other}` });
      return 'end';
    }
    if (doubtful && cellsByPosition(text) !== doubtful.form) doubtful = undefined;
    draft.begin(line);
    draft.set(longUrl, cellValue('long_url', text));
    return 'row';
  };
  return { read, end: () => doubtful && notices.problem(twoReadings(doubtful)) };
}

/** The first of lines that are all URLs, or all rows of a csv without a header. */
interface Doubtful {
  readonly line: number;
  readonly text: string;
  readonly form: string;
}

/** A link that leads to a whole row would be made and printed: where all lines are alike, nobody can know. */
function twoReadings({ line, text }: Doubtful): Notice {
  const reason = `${quoted(text)} may be a URL, or a URL and its hash: add --input-format lines or --input-format csv`;
  return { line, reason };
}

/** One message instead of a problem per line, if a csv or JSON file has no extension that shows its format. */
function otherFormat(firstLine: string): 'csv' | 'jsonl' | undefined {
  if (firstLine.startsWith('{')) return 'jsonl';
  return isHeader(firstLine, (name) => meaningOf(name) === 'long_url') ? 'csv' : undefined;
}
