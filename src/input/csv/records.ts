import type { CsvError, Options, Parser } from 'csv-parse';
import type { Notice } from '../row.ts';
import { longestRecord, type RecordBatch } from '../text-lines.ts';

/**
 * The records of a CSV, header included, a batch for each piece of text. An error in its structure ends
 * the records and is passed to `broken`. The caller checks the number of cells.
 */
export async function* csvRecords(
  text: AsyncIterable<Buffer>,
  delimiter: string,
  broken: (notice: Notice) => void,
): AsyncGenerator<RecordBatch<string[]>> {
  const { Parser: CsvParser } = await import('csv-parse');
  const parser = new CsvParser({ ...fixed, delimiter });
  const lineOf = lineCounter(parser);
  let records: string[][] = [];
  let lines: number[] = [];
  // Replacing `push` takes each record at once: without the queue of the stream, and while `info` has its line.
  parser.push = (record: string[] | null) => {
    if (record) {
      lines.push(lineOf.next(record));
      records.push(record);
    }
    return true;
  };
  parser.on('error', () => {});
  for await (const chunk of withEnd(text)) {
    records = [];
    lines = [];
    const error = await parse(parser, chunk);
    if (records.length > 0) yield { records, lines };
    if (error) return broken(notice(error, lineOf.pending()));
  }
}

/** The end of a text can complete a record, too. */
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
  // Discovery would join the rows of a file with mixed line ends (R 0.9).
  record_delimiter: ['\r\n', '\n', '\r'],
  max_record_size: longestRecord,
  skip_empty_lines: true,
  relax_column_count: true,
};

/** Lines of records as an editor counts them. The parser counts line ends, but a CRLF within quotes twice. */
function lineCounter(parser: Parser): { next(record: readonly string[]): number; pending(): number } {
  const { info } = parser;
  let lastLine = 0;
  let emptyLines = 0;
  let surplus = 0;
  return {
    next(record) {
      let line = info.lines - surplus;
      if (info.lines > lastLine + 1) {
        for (const cell of record) {
          const breaks = cell.match(/\r\n|\n|\r/g) ?? [];
          const pairs = breaks.filter((text) => text.length === 2).length;
          line -= breaks.length + pairs;
          surplus += pairs;
        }
      }
      lastLine = info.lines;
      emptyLines = info.empty_lines;
      return line;
    },
    pending: () => lastLine + 1 + info.empty_lines - emptyLines - surplus,
  };
}

function notice(error: CsvError, line: number): Notice {
  const column = typeof error.column === 'number' ? error.column + 1 : undefined;
  return { line, column, reason: `${reasons[error.code] ?? 'not valid CSV'} (${error.code})` };
}

const reasons: { readonly [code: string]: string } = {
  CSV_QUOTE_NOT_CLOSED: 'unclosed quote',
  CSV_MAX_RECORD_SIZE: `a record is longer than ${longestRecord} characters: possibly an unclosed quote`,
  CSV_INVALID_CLOSING_QUOTE: 'a quote in the middle of a cell: put the whole cell in quotes and double the quotes in it',
  INVALID_OPENING_QUOTE: 'a quote in the middle of a cell: put the whole cell in quotes and double the quotes in it',
};
