import { LocalError, UsageError } from '../base/errors.ts';
import { csvReader } from './csv/csv.ts';
import { csvRecords } from './csv/records.ts';
import type { InputUse } from './format.ts';
import { jsonReader } from './jsonl.ts';
import { lineReader } from './lines.ts';
import { type InputRow, type Notices, type ReadOptions, type RecordReader, RowDraft } from './row.ts';
import type { Source } from './source.ts';
import { type RecordBatch, textLines } from './text-lines.ts';

/** The rows of a source that `checkInput` has passed, in order, some at a time: nothing holds the whole file. */
export function readRows<Use extends InputUse>(source: Source, options: ReadOptions<Use>): AsyncGenerator<InputRow<Use>[]> {
  return rowsOf(source, options, {
    warning: () => {},
    problem: ({ line }) => {
      throw new LocalError(`${source.name} changed after it was checked: line ${line} is now invalid`);
    },
  });
}

/** The rows of a source, without those that have a problem; `notices` gets the problem. */
export function rowsOf<Use extends InputUse>(
  source: Source,
  options: ReadOptions<Use>,
  notices: Notices,
): AsyncGenerator<InputRow<Use>[]> {
  const draft = new RowDraft(options, notices);
  switch (options.format) {
    case 'csv': {
      const records = csvRecords(source.text(), options.delimiter ?? ',', notices.problem);
      return readAll(records, csvReader(draft, options, notices), draft);
    }
    case 'jsonl':
      return readAll(textLines(source), jsonReader(draft, options, notices), draft);
    case 'lines':
      if (options.use !== 'shorten') throw new UsageError('a list of URLs can be shortened, not edited: use csv or jsonl');
      return readAll(textLines(source), lineReader(draft, notices), draft);
  }
}

async function* readAll<Record, Use extends InputUse>(
  batches: AsyncIterable<RecordBatch<Record>>,
  read: RecordReader<Record>,
  draft: RowDraft<Use>,
): AsyncGenerator<InputRow<Use>[]> {
  for await (const { records, lines } of batches) {
    const rows: InputRow<Use>[] = [];
    for (let index = 0; index < lines.length; index += 1) {
      const record = records[index];
      const found = record === undefined ? 'nothing' : read(record, lines[index] ?? 0);
      if (found === 'end') return;
      const row = found === 'row' ? draft.finish() : undefined;
      if (row) rows.push(row);
    }
    yield rows;
  }
}
