import type { CsvError, Options, Parser } from 'csv-parse';
import {
  hashNotice,
  ignoredNotice,
  knownMembers,
  type Member,
  nameProblem,
  requiredTarget,
  type Setting,
} from '../fields/members.ts';
import type { InputUse } from '../format.ts';
import type { Notice, Notices, ReadOptions, RecordReader, RowDraft } from '../row.ts';
import { longestRecord, type RecordBatch } from '../text-lines.ts';
import { cellValue, type Refused, type Target, type WireValue } from '../values.ts';

/** Reads a CSV with a header of the API's field names (B91). An empty cell says nothing, in an edit as well. */
export function csvReader(draft: RowDraft, options: ReadOptions, notices: Notices): RecordReader<readonly string[]> {
  let columns: readonly Column[] | undefined;
  return (record, line) => {
    if (!columns) {
      columns = header(record, line, options, notices);
      return columns ? 'nothing' : 'end';
    }
    draft.begin(line);
    if (record.length !== columns.length) draft.refuse(`expected ${columns.length} cells, got ${record.length}`);
    else fill(draft, columns, record, options.formulaGuarded === true);
    return 'row';
  };
}

type Reader = (text: string) => WireValue | Refused;

/** Undefined for a column that is ignored. */
type Column = { readonly setting: Setting; readonly valueOf: Reader } | undefined;

/** Reports everything that is wrong with the header. Undefined without the required column: then no row can be read. */
function header(record: readonly string[], line: number, options: ReadOptions, notices: Notices): readonly Column[] | undefined {
  const known = knownMembers(options.use, options.edition);
  const names = record.map((cell) => cell.trim().toLowerCase());
  const nameless = withoutNames(names, options.use, known);
  if (nameless !== undefined) {
    notices.problem({ line, reason: nameless });
    return undefined;
  }
  const delimiter = otherDelimiter(names, known);
  if (delimiter) {
    const word = delimiter === '\t' ? 'tab' : delimiter;
    const flag = delimiter === '\t' ? 'tab' : `'${delimiter}'`;
    notices.problem({ line, reason: `the delimiter looks like "${word}", use --delimiter ${flag}` });
    return undefined;
  }
  const rules = { use: options.use, known, ignoreUnknown: options.ignoreUnknownColumns === true };
  const ignored: string[] = [];
  const columns = names.map((name, index): Column => {
    const problem = (reason: string) => notices.problem({ line, column: index + 1, reason });
    const member = known.get(name);
    if (name === '') problem('column without a name');
    else if (names.indexOf(name) < index) problem(`duplicate column ${name}`);
    else if (!member) {
      const reason = nameProblem('column', record[index] ?? '', rules);
      if (reason === undefined) ignored.push(record[index] ?? '');
      else problem(reason);
    } else if (name === 'hash' && options.use === 'shorten' && names.includes('custom_hash')) {
      problem('columns hash and custom_hash both set the hash: remove one of them');
    } else if (member.target) return { setting: member, valueOf: valueReader(member.target) };
    return undefined;
  });
  if (ignored.length > 0) notices.warning({ line, reason: ignoredNotice('column', ignored) });
  const loss = hashNotice(options.use, names);
  if (loss !== undefined) notices.warning({ line, reason: loss });
  const required = requiredTarget(options.use);
  const naming: readonly Target[] = options.use === 'edit' ? [required, 'short_url'] : [required];
  if (columns.some((column) => column && naming.includes(column.setting.target))) return columns;
  notices.problem({ line, reason: `column ${required} is missing` });
  return undefined;
}

/** What to do about a first line that already is a row: no column has the name of a URL. */
function withoutNames(names: readonly string[], use: InputUse, known: ReadonlyMap<string, Member>): string | undefined {
  if (names.some((name) => known.has(name)) || !names.some((name) => /^[a-z][a-z\d+.-]*:\/\//.test(name))) return undefined;
  const remedy =
    names.length === 1 && use === 'shorten'
      ? 'add "long_url" as the first line, or use --input-format lines'
      : 'add a line of column names above it';
  return `the first line is a URL, not column names: ${remedy}`;
}

/** C14: the delimiter with which a header has known names that it lacks as it is, or with which its only name is several. */
function otherDelimiter(names: readonly string[], known: ReadonlyMap<string, Member>): string | undefined {
  if (names.some((name) => known.has(name))) return undefined;
  const signs = [';', '\t', '|', ','];
  const isKnownWith = (sign: string) =>
    names.some((name) => name.includes(sign) && name.split(sign).some((part) => known.has(part.trim())));
  return signs.find(isKnownWith) ?? signs.find((sign) => names.length === 1 && names[0]?.includes(sign));
}

function fill(draft: RowDraft, columns: readonly Column[], record: readonly string[], guarded: boolean): void {
  for (let index = 0; index < columns.length; index += 1) {
    const column = columns[index];
    let text = record[index] ?? '';
    if (!column || text === '') continue;
    if (guarded && text.startsWith("'")) text = text.slice(1);
    if (text !== '') draft.set(column.setting, column.valueOf(text), index + 1);
  }
}

/** The check of a column's cells. Dates and tags often repeat, and remembering them is faster than checking again. */
function valueReader(target: Target): Reader {
  if (target !== 'expiration_date' && target !== 'tags') return (text) => cellValue(target, text);
  const known = new Map<string, ReturnType<Reader>>();
  return (text) => {
    let value = known.get(text);
    if (value === undefined) {
      if (known.size === 1000) known.clear();
      value = cellValue(target, text);
      known.set(text, value);
    }
    return value;
  };
}

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
