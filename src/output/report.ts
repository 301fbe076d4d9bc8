import { type CliError, UsageError } from '../base/errors.ts';
import type { Paint } from './terminal/colour.ts';

/** One record as it goes out: wire names and wire values. */
export type Row = Readonly<Record<string, unknown>>;

/** A value for people and how it is laid out in a table. */
export interface Column {
  /** The field's wire name: what `--fields` takes and the csv header says. */
  readonly name: string;
  /** Head of the table column; the name in upper case without underscores when absent. */
  readonly title?: string;
  /** Numbers of things: for people, thousands apart (D55). */
  readonly align?: 'right';
  /** Cells that give way first when the terminal is narrow (B24). A hash or a short URL never does. */
  readonly shrinks?: boolean;
  /** A column that says which row it is: it stays readable, and is the last to be hidden in a narrow table (B24). */
  readonly essential?: boolean;
  /** A date-time of the service: text formats mark it as UTC (B27). */
  readonly time?: boolean;
  /** A path of this computer: the backslashes of Windows stay single, as no name there holds a character that is escaped. */
  readonly path?: boolean;
  /** What a terminal shows instead of the plain value; the text is made safe afterwards. */
  readonly show?: (value: unknown, row: Row) => string;
}

/** The names of columns, for `--fields` and help. */
export function namesOf(columns: readonly Column[]): string[] {
  return columns.map(({ name }) => name);
}

/** The columns of these names, in this order. An unknown name is refused with all that are known (B18). */
export function chooseColumns(columns: readonly Column[], names: readonly string[]): Column[] {
  return names.map((name) => {
    const column = columns.find((candidate) => candidate.name === name);
    if (column) return column;
    const known = [...new Set(columns.map((candidate) => candidate.name))].sort();
    throw new UsageError(`--fields: unknown field "${name}"`, { details: [`fields: ${known.join(', ')}`] });
  });
}

/** What every report may say after it was printed. */
interface Ending {
  /** Lines for stderr at the end: summaries, "Showing 1000 of 12345" (B28, B90). `-q` leaves them out where all went well. */
  readonly notes?: () => readonly string[];
  /** How it went, asked for last; thrown after everything was printed. */
  readonly outcome?: () => CliError | undefined;
  /** What a closed pipe means: nothing for a read; a change says how to continue (B40). Thrown at once. */
  readonly abandoned?: () => CliError | undefined;
  /** Called when all of it is printed: somebody has seen the result. */
  readonly printed?: () => Promise<void>;
}

/** Rows of one kind: a listing, or the items of a bulk change. */
export interface RowsReport extends Ending {
  readonly kind: 'rows';
  /** The JSON member that holds the rows, the API's own where it has one (B19). */
  readonly key: string;
  /** Rows at hand, or rows as they come, some at a time; may be endless. Read once, in order, with back-pressure. */
  readonly rows: Iterable<Row> | AsyncIterable<Iterable<Row>>;
  /** All fields that `--fields` accepts. */
  readonly columns: readonly Column[];
  /** Names of the columns that a table shows; all of them without it. */
  readonly tableFields?: readonly string[];
  /** Names of the columns that tsv and csv have by default (CLI 3.7); all of them without it. */
  readonly pipedFields?: readonly string[];
  /** Columns that only tables have, after the others: drawn from fields of the row, such as a bar. */
  readonly drawn?: readonly Column[];
  /** Rows arrive from time to time, until the command is interrupted. */
  readonly endless?: boolean;
  /** csv's own default where it differs: a listing as csv holds what feeds `shorten -f` (B21). */
  readonly csvFields?: readonly string[];
  /** The rows are changes: on a terminal, a sentence a row instead of a table: `✓ https://s.ex/abc → https://…`. */
  readonly sentence?: (row: Row, glyphs: Glyphs) => string;
  /** What is drawn as a QR code below the row's sentence, on a terminal. */
  readonly qr?: (row: Row) => string;
  /** Lines that take the place of the table, also in a pipe; what they hold of a server is made safe by who draws them. */
  readonly chart?: (rows: readonly Row[], canvas: Canvas) => readonly string[];
  /** A failed row: printed on stderr as an error, grouped (B50), and left out of table, tsv and csv. JSON holds it in its place. */
  readonly failure?: (row: Row) => CliError | undefined;
  /** A row that was not reached: only JSON holds it, in its place. Other formats would show it as done. */
  readonly unreached?: (row: Row) => boolean;
  /** JSON members beside the rows, asked for when all rows were read: `page`, `summary`. */
  readonly members?: () => Row;
  /** The rows of a long run, done before included: of many, a terminal shows the failures and the summary only (B26). */
  readonly runRows?: number;
  /** Where every row can be read. */
  readonly resultsIn?: string | undefined;
  /** Where every failure can be read, named behind `… and 120 more` (B50). */
  readonly failuresIn?: string;
  /** Said on stderr, when it is a terminal, if there were no rows (B22): `no URLs match`. */
  readonly empty?: string;
}

/** Each row by itself would cost more in waiting than in printing. */
export function batchesOf({ rows }: Pick<RowsReport, 'rows'>): AsyncIterable<Iterable<Row>> | Iterable<Iterable<Row>> {
  return Symbol.asyncIterator in rows ? rows : [rows];
}

/** One record: `account`, `config get`, `auth status`. A block of names and values on a terminal, `name TAB value` lines in a pipe. */
export interface RecordReport extends Ending {
  readonly kind: 'record';
  /** The JSON member that holds the record; without it the record's members are the top level. */
  readonly key?: string;
  readonly record: Row;
  /** Which members are shown and in which order; all of them without it. JSON has them all. */
  readonly columns?: readonly Column[];
  /** The record with a name for every nested member, `counters.urls.count`: what text formats show and `--fields` also takes. */
  readonly flat?: Row;
  /** The lines of the block on a terminal, if not the columns: several members can be drawn as one. */
  readonly block?: readonly Column[];
}

/** Something was changed or said: `✓ Logged in as ann` on a terminal, nothing in a pipe (B26). */
export interface DoneReport extends Ending {
  readonly kind: 'done';
  /** A sentence for people, without the tick. */
  readonly sentence: string;
  /** What a program gets with `-o json`. */
  readonly record: Row;
  /** Lines for tsv and csv, the default in a pipe: the labels or hashes that were changed. */
  readonly lines?: readonly string[];
}

/** Text that is printed as it is whatever the format: `completion bash`, `--print-template`, `api`. */
export interface TextReport extends Ending {
  readonly kind: 'text';
  readonly text: string;
}

/** Rows on their way to stdout in one format. */
export interface RowPrinter {
  /** Takes a row; await what it returns, so that a slow reader slows us down. */
  row(row: Row): Promise<void> | undefined;
  /** Writes what is left. Not complete: the rows ended early, and what was written must still be valid (B22). */
  end(complete: boolean): Promise<void>;
  /** Names of the columns that the terminal had no room for. */
  hidden?(): string[];
}

/** What a command hands to the one place that prints. */
export type Report = RowsReport | RecordReport | DoneReport | TextReport;

/** Where a chart is drawn. */
export interface Canvas {
  /** Columns of the terminal; 80 in a pipe. */
  readonly width: number;
  readonly glyphs: Glyphs;
  readonly paint: Pick<Paint, 'cyan'>;
}

/** The signs that a terminal can show (B96). */
export interface Glyphs {
  readonly tick: string;
  readonly cross: string;
  readonly arrow: string;
  readonly ellipsis: string;
  /** A full block of a bar or column. */
  readonly bar: string;
  /** Blocks that are filled by an eighth, two eighths ... from the left, and from below; none in ASCII. */
  readonly partsOfBar: string;
  readonly partsOfColumn: string;
  /** The axes of a chart: upright, the corner, and level. */
  readonly axes: readonly [string, string, string];
  /** Whether there are half blocks to draw pictures with. */
  readonly halves: boolean;
}
