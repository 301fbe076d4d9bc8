import { type CliError, UsageError } from '../base/errors.ts';
import { didYouMean, meantName } from '../base/near-names.ts';
import type { Paint } from './terminal/colour.ts';

/** One record with wire names and wire values. */
export type Row = Readonly<Record<string, unknown>>;

export interface Column {
  /** Wire name of the field; `--fields` and csv headers use it. */
  readonly name: string;
  /** Table header; by default the name in upper case without underscores. */
  readonly title?: string;
  /** For counts: people see them with separators. */
  readonly align?: 'right';
  /** These cells are cut first on a narrow terminal. A hash or a short URL is never cut. */
  readonly shrinks?: boolean;
  /** Identifies the row: stays readable, and is hidden last. */
  readonly essential?: boolean;
  /** Date-time of the API; text formats mark it as UTC. */
  readonly time?: boolean;
  /** Path on this computer: backslashes of Windows are not escaped. */
  readonly path?: boolean;
  /** Text for people instead of the plain value; it is made safe afterwards. */
  readonly show?: (value: unknown, row: Row) => string;
}

export function namesOf(columns: readonly Column[]): string[] {
  return columns.map(({ name }) => name);
}

/** Throws a UsageError with all known names, and the one that is probably meant, if one is unknown. */
export function chooseColumns(columns: readonly Column[], names: readonly string[]): Column[] {
  return names.map((name) => {
    const column = columns.find((candidate) => candidate.name === name);
    if (!column) throw unknownField(name, columns);
    return column;
  });
}

function unknownField(name: string, columns: readonly Column[]): UsageError {
  const known = [...new Set(namesOf(columns))].sort();
  // The header of a table has other names.
  const titled = columns.find(({ title }) => title === name.toUpperCase())?.name;
  const fault =
    name === ''
      ? 'a name is missing: separate names by commas, and quote a list with spaces'
      : `unknown field "${name}"${didYouMean(titled ?? meantName(name, known))}`;
  return new UsageError(`--fields: ${fault}`, { details: [`fields: ${known.join(', ')}`] });
}

interface Ending {
  /** Lines for stderr after the output; `-q` omits them unless there is a failure. */
  readonly notes?: () => readonly string[];
  /** Called last; the returned error is thrown after everything is printed. */
  readonly outcome?: () => CliError | undefined;
  /** Returns the error for a closed pipe. Reads have none; changes that are not complete say how to continue, those that changed nothing why. */
  readonly abandoned?: () => CliError | undefined;
  /** Returns what was changed, for the error if the output cannot be written or nobody reads it. */
  readonly unwritten?: () => readonly string[];
  /** Called after all output was printed. */
  readonly printed?: () => Promise<void>;
}

export interface RowsReport extends Ending {
  readonly kind: 'rows';
  /** JSON member for the rows; the API's own name if there is one. */
  readonly key: string;
  /** Read once, in order, with back-pressure; may be endless. */
  readonly rows: Iterable<Row> | AsyncIterable<Iterable<Row>>;
  /** All fields that `--fields` accepts. */
  readonly columns: readonly Column[];
  /** Columns of a table; all by default. */
  readonly tableFields?: readonly string[];
  /** Columns of tsv and csv; all by default. */
  readonly pipedFields?: readonly string[];
  /** Extra columns of tables, computed from the row, such as a bar. */
  readonly drawn?: readonly Column[];
  /** Rows arrive until the command is interrupted. */
  readonly endless?: boolean;
  /** Columns of csv if they differ: a listing contains all that `shorten -f` needs. */
  readonly csvFields?: readonly string[];
  /** Printed on a terminal instead of a table row: `✓ https://s.ex/abc → https://…`. */
  readonly sentence?: (row: Row, glyphs: Glyphs) => string;
  /** Text of the QR code below the sentence. */
  readonly qr?: (row: Row) => string;
  /** Replaces the table, also in a pipe. The lines must be safe already. */
  readonly chart?: (rows: readonly Row[], canvas: Canvas) => readonly string[];
  /** The error of a failed row goes to stderr, grouped; only JSON also prints the row. */
  readonly failure?: (row: Row) => CliError | undefined;
  /** Only JSON prints rows that were not reached; other formats would show them as done. */
  readonly unreached?: (row: Row) => boolean;
  /** JSON members beside the rows, read after the last row: `page`, `summary`. */
  readonly members?: () => Row;
  /** Number of rows of a run; above a limit a terminal shows only failures and the summary. */
  readonly runRows?: number;
  /** File with the result of every row. */
  readonly resultsIn?: string | undefined;
  /** File with every failure, named after `… and 120 more`. */
  readonly failuresIn?: string;
  /** Printed on a terminal if there are no rows: `no URLs match`. */
  readonly empty?: string | undefined;
}

/** Waiting for single rows would take longer than printing them. */
export function batchesOf({ rows }: Pick<RowsReport, 'rows'>): AsyncIterable<Iterable<Row>> | Iterable<Iterable<Row>> {
  return Symbol.asyncIterator in rows ? rows : [rows];
}

/** Printed as aligned names and values on a terminal, as `name TAB value` in a pipe. */
export interface RecordReport extends Ending {
  readonly kind: 'record';
  /** JSON member for the record; by default its members are at the top level. */
  readonly key?: string;
  readonly record: Row;
  /** Members to show, in order; all by default. JSON always has all. */
  readonly columns?: readonly Column[];
  /** The record with flat names such as `counters.urls.count`, for text formats and `--fields`. */
  readonly flat?: Row;
  /** Lines on a terminal if they differ from the columns. */
  readonly block?: readonly Column[];
}

/** Result of one change: `✓ Logged in as ann` on a terminal, nothing in a pipe. */
export interface DoneReport extends Ending {
  readonly kind: 'done';
  /** Without the tick. */
  readonly sentence: string;
  /** Printed with `-o json`. */
  readonly record: Row;
}

/** Printed unchanged in every format: `completion bash`, `--print-template`, `api`. */
export interface TextReport extends Ending {
  readonly kind: 'text';
  readonly text: string;
}

export interface RowPrinter {
  /** Await the returned promise, so that a slow reader slows us down. */
  row(row: Row): Promise<void> | undefined;
  /** If `complete` is false, the rows ended early, and the output must still be valid. */
  end(complete: boolean): Promise<void>;
  /** Columns that did not fit on the terminal. */
  hidden?(): string[];
}

export type Report = RowsReport | RecordReport | DoneReport | TextReport;

export interface Canvas {
  /** Columns of the terminal; 80 in a pipe. */
  readonly width: number;
  readonly glyphs: Glyphs;
  readonly paint: Pick<Paint, 'cyan'>;
}

export interface Glyphs {
  readonly tick: string;
  readonly arrow: string;
  readonly ellipsis: string;
  /** Between the parts of a progress line. */
  readonly separator: string;
  /** Full block of a bar or column. */
  readonly bar: string;
  /** Blocks of one eighth to seven eighths, from the left and from below; empty in ASCII. */
  readonly partsOfBar: string;
  readonly partsOfColumn: string;
  /** Vertical line, corner, horizontal line. */
  readonly axes: readonly [string, string, string];
  /** True if the terminal can show half blocks. */
  readonly halves: boolean;
}
