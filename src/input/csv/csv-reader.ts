import type { CsvError, Options, Parser } from 'csv-parse';
import { quoted } from '../../base/quoted.ts';
import { knownNames } from '../fields/columns.ts';
import { type MappedColumn, rulesFor } from '../fields/mapping.ts';
import type { Notice, Notices } from '../notices.ts';
import type { ReadOptions, RecordReader, RowDraft } from '../row.ts';
import type { Source } from '../source.ts';
import { firstLines, maxRecordLength, type RecordBatch } from '../text-lines.ts';
import { findDelimiter, headerAmong } from './delimiter.ts';
import { type Header, readHeader } from './header.ts';
import { lineCounter } from './line-counter.ts';
import { isSecondHeader, secondHeader } from './second-header.ts';

/**
 * Reads a CSV with the field names of the API, with those of other services, or without a header. An empty cell means that nothing is
 * given, even in an edit.
 */
export function csvReader(draft: RowDraft, options: ReadOptions, notices: Notices): RecordReader<readonly string[]> {
  const isKnown = knownNames(rulesFor(options));
  let header: Header | undefined;
  let names: readonly string[] = [];
  let isTitleRead = false;
  return (record, line, batch) => {
    if (!header) {
      if (isBlank(record)) return 'nothing';
      if (!isTitleRead && isTitle(record, batch, isKnown)) {
        isTitleRead = true;
        notices.warning({ line, reason: `${quoted(record[0] ?? '')} is read as a title, the next line as the header` });
        return 'nothing';
      }
      names = record;
      header = readHeader(record, line, options, notices);
      if (!header) return 'end';
      notices.header(new Set(header.columns.flatMap(({ setting }) => setting?.target ?? [])));
      if (!header.isRow) return 'nothing';
    }
    // Spreadsheets write empty rows as delimiters alone.
    if (isBlank(record)) return 'nothing';
    draft.begin(line);
    if (!header.isRow && isSecondHeader(record, names)) draft.refuse(secondHeader);
    else if (record.length !== header.width) draft.refuse(`expected ${header.width} cells, got ${record.length}`);
    else fill(draft, header.columns, record, options.formulaGuarded === true);
    return 'row';
  };
}

/** Guesses the delimiter from the first lines. */
export function delimiterFinder(options: ReadOptions): (lines: readonly string[]) => string | undefined {
  const isKnown = knownNames(rulesFor(options));
  return (lines) => findDelimiter(headerAmong(lines, isKnown), isKnown);
}

function isBlank(record: readonly string[]): boolean {
  return record[0]?.trim() === '' && record.every((cell) => cell.trim() === '');
}

/** A title above the header: one cell merged over all columns, or a single cell followed by a line of known names. */
function isTitle(record: readonly string[], batch: readonly (readonly string[])[], isKnown: (name: string) => boolean): boolean {
  const [first = '', ...others] = record;
  if (first.trim() === '' || isKnown(first.trim()) || first.includes('://')) return false;
  if (others.length > 0) return isBlank(others);
  const next = batch.slice(batch.indexOf(record) + 1).find((one) => !isBlank(one)) ?? [];
  return next.filter((name) => isKnown(name.trim())).length > 1;
}

function fill(draft: RowDraft, columns: readonly MappedColumn[], record: readonly string[], isGuarded: boolean): void {
  draft.within(columns);
  for (const column of columns) {
    let text = record[column.index] ?? '';
    if (text === '') continue;
    if (isGuarded && text.startsWith("'")) text = text.slice(1);
    if (column.setting) draft.setText(column.setting, column.read, text, column.index + 1);
    else if (column.loss) draft.lose(column.loss, text.trim());
    else if (text.trim() !== '') draft.refuse('a value in a column without a name', column.index + 1);
  }
}

/**
 * Yields the records of a CSV, including the header, one batch per chunk of text. The delimiter is given or guessed from the first lines. A
 * structural error ends the records and is passed to `broken`. The caller checks the number of cells.
 */
export async function* csvRecords(
  source: Source,
  delimiter: string | ((firstLines: readonly string[]) => string | undefined),
  broken: (notice: Notice) => void,
): AsyncGenerator<RecordBatch<string[]>> {
  const { Parser: CsvParser } = await import('csv-parse');
  const head = typeof delimiter === 'string' ? undefined : await firstLines(source, headLines);
  const found = typeof delimiter === 'string' ? delimiter : delimiter(head?.texts ?? []);
  if (found === undefined) return broken({ line: head?.line ?? 1, reason: ambiguousDelimiter });
  const parser = new CsvParser({ ...fixed, delimiter: found });
  const lineOf = lineCounter(parser);
  let records: string[][] = [];
  let lines: number[] = [];
  // Overrides `push` to get each record directly, without the queue of the stream, and while `info` still has its line.
  parser.push = (record: string[] | null) => {
    if (record) {
      lines.push(lineOf.next(record));
      records.push(record);
    }
    return true;
  };
  parser.on('error', () => {});
  for await (const chunk of withEnd(source.text())) {
    records = [];
    lines = [];
    const error = await parse(parser, chunk);
    if (records.length > 0) yield { records, lines };
    if (error) return broken(notice(error, lineOf.pending()));
  }
}

const ambiguousDelimiter = `several delimiters fit the first line: add --delimiter ',', ';', '|' or tab`;

/** A title, a row of delimiters, and a header. */
const headLines = 3;

/** Appends undefined because the end of the text can complete a record. */
async function* withEnd(text: AsyncIterable<Buffer>): AsyncGenerator<Buffer | undefined> {
  yield* text;
  yield undefined;
}

function parse(parser: Parser, chunk: Buffer | undefined): Promise<CsvError | undefined> {
  return new Promise((resolve) => {
    const parsed = (error?: Error | null): void => resolve((error as CsvError | null) ?? undefined);
    if (chunk) parser.write(chunk, parsed);
    else parser.end(parsed);
  });
}

const fixed: Options = {
  // Automatic detection would join rows in a file with mixed line ends.
  record_delimiter: ['\r\n', '\n', '\r'],
  max_record_size: maxRecordLength,
  skip_empty_lines: true,
  relax_column_count: true,
};

function notice(error: CsvError, line: number): Notice {
  const column = typeof error.column === 'number' ? error.column + 1 : undefined;
  return { line, column, reason: `${reasons[error.code] ?? 'not valid CSV'} (${error.code})` };
}

const reasons: { readonly [code: string]: string } = {
  CSV_QUOTE_NOT_CLOSED: 'unclosed quote',
  CSV_MAX_RECORD_SIZE: `a record is longer than ${maxRecordLength} characters: possibly an unclosed quote`,
  CSV_INVALID_CLOSING_QUOTE: 'a quote in the middle of a cell: put the whole cell in quotes and double the quotes in it',
  INVALID_OPENING_QUOTE: 'a quote in the middle of a cell: put the whole cell in quotes and double the quotes in it',
};
