import { UsageError } from '../../base/errors.ts';
import { quoted } from '../../base/quoted.ts';
import { isObject } from '../../contract/records.ts';
import { csvRecords } from '../csv/csv-reader.ts';
import { findDelimiter } from '../csv/delimiter.ts';
import { isSecondHeader, secondHeader } from '../csv/second-header.ts';
import { areResults, listingColumns } from '../fields/members.ts';
import { formatByName } from '../format.ts';
import { jsonRecords, parseJson } from '../json/json-records.ts';
import type { Notice } from '../notices.ts';
import type { Source } from '../source.ts';
import { firstLines, isFilled, type RecordBatch, textLines } from '../text-lines.ts';

/** What a row says about its link, unchecked. */
export interface NamedRow {
  readonly hash?: string | undefined;
  readonly short_url?: string | undefined;
  readonly short_url_with_protocol?: string | undefined;
  readonly domain?: string | undefined;
  /** What a run did with the row. */
  readonly status?: string | undefined;
}

interface NamedLine {
  /** From 1. */
  readonly line: number;
  readonly row: NamedRow;
}

/** Accepts one hash or short URL per line, and listings in all output formats: a header or a JSON bracket is never taken for a hash. */
export async function* namedRows(source: Source): AsyncGenerator<NamedLine[]> {
  const { line, texts } = await firstLines(source, 1, isName);
  const [text = ''] = texts;
  const head = text.trim();
  if (/^[{[]/.test(head) || formatByName(source.name).startsWith('json')) return yield* jsonRows(source);
  const delimiter = delimiterIn(head);
  if (delimiter !== undefined) return yield* rowsIn(csvRecords(source, delimiter, refuserOf(source)), tableReader(source));
  const cells = cellsOf(text);
  const isHead = cells.every((cell) => listingColumns.has(cell));
  if ((cells.length > 1 && !isHead) || /\S {2,}\S/.test(head)) {
    throw new UsageError(
      `${source.name}:${line}: more than one column: create the file with linkctl list --fields short_url or -o csv`,
    );
  }
  const read = isHead || tableTitles.has(head) ? tableReader(source) : ([hash]: readonly string[]) => ({ hash });
  yield* rowsIn(textLines(source), (each, at) => (isName(each) ? read(isHead ? cellsOf(each) : [each.trim()], at) : undefined));
}

/** The delimiter of a csv with this header. Only a comma is in no hash; between others, all must be names of columns. */
function delimiterIn(header: string): string | undefined {
  if (/^[a-z_"]+ *,/i.test(header)) return ',';
  const isNaming = (name: string): boolean => naming.some((column) => column === name);
  const unquoted = header.replaceAll('"', '');
  if (unquoted !== header && isNaming(unquoted)) return ',';
  const found = findDelimiter(unquoted, isNaming) ?? ',';
  const names = unquoted.split(found);
  return /[;|]/.test(found) && names.some(isNaming) && names.every((name) => listingColumns.has(name)) ? found : undefined;
}

function cellsOf(text: string): string[] {
  return text.split('\t').map((cell) => cell.trim());
}

/** The titles of columns in tables. */
const tableTitles: ReadonlyMap<string, string> = new Map([
  ['SHORT URL', 'short_url'],
  ['HASH', 'hash'],
]);

/** Blank lines and `#` comments are skipped. */
export function isName(line: string): boolean {
  return isFilled(line) && !line.trim().startsWith('#');
}

/** Leaves out records without a row, such as a header. */
async function* rowsIn<Record>(
  batches: AsyncIterable<RecordBatch<Record>>,
  read: (record: Record, line: number) => NamedRow | undefined,
): AsyncGenerator<NamedLine[]> {
  for await (const { records, lines } of batches) {
    yield records.flatMap((record, index) => {
      const line = lines[index] ?? 0;
      const row = read(record, line);
      return row === undefined ? [] : { line, row };
    });
  }
}

/** The columns that can name a link. */
const naming = ['hash', 'short_url', 'short_url_with_protocol'] as const;

const readColumns = [...naming, 'domain', 'status'] as const;

/** Of these, rows that commands print as JSON have one or more beside their status, and those of a check none. */
const printed = ['line', 'error', 'short_url_with_protocol'] as const;

/** Spreadsheets write our names in another case, or with blanks around. */
function titleOf(cell: string): string {
  const name = cell.trim();
  const own = name.toLowerCase();
  return tableTitles.get(name) ?? (readColumns.some((column) => column === own) ? own : name);
}

/** The first record is the header. */
function tableReader({ name }: Source): (cells: readonly string[], line: number) => NamedRow | undefined {
  let header: readonly string[] | undefined;
  return (cells, line) => {
    const columns = header;
    if (columns) {
      if (isSecondHeader(cells, columns, titleOf)) throw new UsageError(`${name}:${line}: ${secondHeader}`);
      const isWhole = cells.length >= columns.length && cells.slice(columns.length).every((cell) => cell === '');
      if (isWhole) return rowOf((column) => cells[columns.indexOf(column)]);
      throw new UsageError(`${name}:${line}: expected ${columns.length} cells, got ${cells.length}`);
    }
    const titles = cells.map(titleOf);
    header = titles;
    const twice = readColumns.find((column) => titles.indexOf(column) !== titles.lastIndexOf(column));
    if (twice !== undefined) throw new UsageError(`${name}:${line}: duplicate column ${twice}`);
    if (naming.some((column) => titles.includes(column))) return undefined;
    throw new UsageError(`${name}:${line}: column hash is missing: ${quoted(cells.join(' '))} is read as the header`, {
      hint: 'for a link with this hash, use its short URL; to create the file: linkctl list --fields short_url',
    });
  };
}

/** Reads a JSON document or JSON lines. */
function jsonRows(source: Source): AsyncGenerator<NamedLine[]> {
  const isRow = (object: object): boolean => naming.some((name) => Object.hasOwn(object, name));
  return rowsIn(jsonRecords(source, isRow, refuserOf(source)), (text, line) => {
    if (text.trim() === '') return undefined;
    const record = parseJson(text);
    if (!isObject(record)) throw new UsageError(`${source.name}:${line}: expected a JSON object with hash or short_url`);
    const members = new Map(Object.entries(record));
    return rowOf((member) => members.get(member));
  });
}

function refuserOf({ name }: Source): (notice: Notice) => void {
  return ({ line, reason }) => {
    throw new UsageError(`${name}:${line}: ${reason}`);
  };
}

function rowOf(cellOf: (column: string) => unknown): NamedRow {
  const textOf = (column: string): string | undefined => {
    const value = cellOf(column);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const has = (column: string): boolean => cellOf(column) !== undefined;
  const status = textOf('status');
  // A check skips destinations and leaves some unsent, which says nothing of a run.
  const isOfRun = !(status === 'skipped' || status === 'not_sent') || areResults(has) || printed.some(has);
  return {
    hash: textOf('hash'),
    short_url: textOf('short_url'),
    short_url_with_protocol: textOf('short_url_with_protocol'),
    domain: textOf('domain'),
    status: isOfRun ? status : undefined,
  };
}
