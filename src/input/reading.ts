import { LocalError, UsageError } from '../base/errors.ts';
import { csvRows } from './csv/csv.ts';
import type { InputUse } from './format.ts';
import { jsonRows } from './jsonl.ts';
import { lineRows } from './lines.ts';
import type { InputRow, Notices, ReadOptions } from './row.ts';
import type { Source } from './source.ts';

/** The rows of a source that `checkInput` has passed, in order, some at a time: nothing holds the whole file. */
export function readRows<Use extends InputUse>(source: Source, options: ReadOptions<Use>): AsyncGenerator<InputRow<Use>[]> {
  return rowsOf(source, options, {
    warning: () => {},
    problem: ({ line }) => {
      throw new LocalError(`${source.name} changed after it was checked: line ${line} is wrong now`);
    },
  });
}

/** The rows of a source, without those that `notices` hears a problem of. */
export function rowsOf<Use extends InputUse>(
  source: Source,
  options: ReadOptions<Use>,
  notices: Notices,
): AsyncGenerator<InputRow<Use>[]> {
  switch (options.format) {
    case 'csv':
      return csvRows(source, options, notices);
    case 'jsonl':
      return jsonRows(source, options, notices);
    case 'lines':
      if (options.use !== 'shorten') throw new UsageError('a list of URLs can be shortened, not edited: use csv or jsonl');
      return lineRows(source, options as ReadOptions<'shorten'>, notices) as AsyncGenerator<InputRow<Use>[]>;
  }
}
