import CliTable from 'cli-table3';
import { safe } from '../../base/safe-text.ts';
import { pad, truncate } from '../display-width.ts';
import type { OutputOptions } from '../options.ts';
import { type Column, chooseColumns, namesOf, type Row, type RowPrinter, type RowsReport } from '../report.ts';
import type { Streams } from '../streams.ts';
import type { Writer } from '../writer.ts';
import { fitColumns, gap } from './table-widths.ts';
import { shownText } from './values.ts';

/** Rows that the first page may have; it decides the widths of all pages. */
const pageLength = 1000;

export async function createTable(report: RowsReport, options: OutputOptions, streams: Streams): Promise<RowPrinter> {
  const { bold } = await streams.paint('stdout');
  return new Table(layoutOf(report, options, streams), streams.stdout, bold);
}

/** A table without borders, a page at a time: what has arrived is drawn as soon as the source makes us wait. */
class Table implements RowPrinter {
  readonly #layout: Layout;
  readonly #stdout: Writer;
  readonly #bold: (text: string) => string;
  #page: string[][] = [];
  #widths: Widths | undefined;
  /** A page on its way, which the next row waits for. */
  #drawing: Promise<void> | undefined;

  constructor(layout: Layout, stdout: Writer, bold: (text: string) => string) {
    this.#layout = layout;
    this.#stdout = stdout;
    this.#bold = bold;
  }

  row(row: Row): Promise<void> | undefined {
    const failure = this.#stdout.failure();
    if (failure) throw failure;
    this.#page.push(this.#layout.columns.map((column) => safe(shownText(row, column))));
    if (this.#page.length >= pageLength) return this.end();
    if (this.#page.length === 1) setImmediate(() => this.#drawSoon());
    return this.#drawing;
  }

  async end(): Promise<void> {
    if (this.#page.length === 0) return;
    let text = this.#widths ? '' : this.#head();
    for (const cells of this.#page) text += this.#line(cells);
    this.#page = [];
    await this.#stdout.write(text);
  }

  hidden(): string[] {
    const widths = this.#widths;
    return widths ? namesOf(this.#layout.columns.filter((_, index) => widths[index] === undefined)) : [];
  }

  #head(): string {
    const { columns, titles, screen, endless } = this.#layout;
    // The first rows of an endless table are not enough: cells that give way get all the room there is.
    const more = endless || this.#page.length >= pageLength;
    this.#widths = fitColumns({ columns, titles, rows: this.#page, more }, screen);
    return titles.length > 0 ? `${this.#bold(this.#line(titles).trimEnd())}\n` : '';
  }

  #drawSoon(): void {
    // A failure of stdout is thrown again by the next row.
    this.#drawing = this.end()
      .catch(() => undefined)
      .finally(() => {
        this.#drawing = undefined;
      });
  }

  /**
   * One row through cli-table3, its cells cut and filled before. Not a page: cli-table3 fills the cells of a column to the widest by a
   * measure that knows no graphemes, so that one name in Hindi would shift all other rows of its page (B25). Nor would pages be
   * faster: 90 microseconds a row by itself, 87 in pages of 20, 103 in pages of 200, 130 in pages of 500.
   */
  #line(cells: readonly string[]): string {
    const { columns, screen, ellipsis } = this.#layout;
    const table = new CliTable({ chars: separators, style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 } });
    const fitted = columns.flatMap((column, index) => {
      const width = this.#widths?.[index];
      if (width === undefined) return [];
      const cell = cells[index] ?? '';
      return pad(screen !== undefined && column.shrinks ? truncate(cell, width, ellipsis) : cell, width, column.align);
    });
    table.push(fitted);
    return `${table.toString().trimEnd()}\n`;
  }
}

interface Layout {
  readonly columns: readonly Column[];
  /** The words of the head, where there is one. */
  readonly titles: readonly string[];
  /** Columns of the screen; without it nothing is cut. */
  readonly screen: number | undefined;
  readonly ellipsis: string;
  readonly endless: boolean;
}

function layoutOf(report: RowsReport, options: OutputOptions, streams: Streams): Layout {
  const { tableFields = namesOf(report.columns), drawn = [] } = report;
  const columns = chooseColumns(report.columns, options.fields ?? tableFields).concat(options.fields ? [] : drawn);
  return {
    columns,
    titles: options.header === false ? [] : columns.map(({ name, title }) => title ?? name.toUpperCase().replaceAll('_', ' ')),
    // A pipe has no width: nothing is cut for it (B15, B24).
    screen: streams.terminal && options.truncate !== false ? streams.width() : undefined,
    ellipsis: streams.glyphs.ellipsis,
    endless: report.endless === true,
  };
}

/** The width of each column; undefined where there is no room for it. */
type Widths = readonly (number | undefined)[];

const separators = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: ' '.repeat(gap),
};
