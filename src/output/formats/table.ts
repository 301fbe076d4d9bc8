import CliTable from 'cli-table3';
import { safe } from '../../base/safe-text.ts';
import { pad, truncate } from '../display-width.ts';
import type { OutputOptions } from '../options.ts';
import { type Column, chooseColumns, namesOf, type RowPrinter, type RowsReport } from '../report.ts';
import type { Streams } from '../streams.ts';
import { fitColumns, gap } from './table-widths.ts';
import { shownText } from './values.ts';

/** Rows that the first page may have; it decides the widths of all pages. */
const pageLength = 1000;

/** A table without borders, a page at a time: what has arrived is drawn as soon as the source makes us wait. */
export async function createTable(report: RowsReport, options: OutputOptions, streams: Streams): Promise<RowPrinter> {
  const { stdout } = streams;
  const { bold } = await streams.paint('stdout');
  const layout = layoutOf(report, options, streams);
  const { columns, titles } = layout;
  let page: string[][] = [];
  let widths: Widths | undefined;
  /** A page on its way, which the next row waits for. */
  let drawing: Promise<void> | undefined;

  const drawPage = async (): Promise<void> => {
    if (page.length === 0) return;
    let text = '';
    if (!widths) {
      // The first rows of an endless table are too few: cells that give way get all the room there is.
      const more = report.endless || page.length >= pageLength;
      widths = fitColumns({ columns, titles, rows: page, more }, layout.screen);
      if (titles.length > 0) text = `${bold(tableLine(titles, widths, layout))}\n`;
    }
    for (const cells of page) text += `${tableLine(cells, widths, layout)}\n`;
    page = [];
    await stdout.write(text);
  };
  const drawSoon = (): void => {
    // A failure of stdout is thrown again by the next row.
    drawing = drawPage()
      .catch(() => undefined)
      .finally(() => {
        drawing = undefined;
      });
  };

  return {
    hidden: () => namesOf(columns.filter((_, index) => widths && widths[index] === undefined)),
    row(row) {
      const failure = stdout.failure();
      if (failure) throw failure;
      page.push(columns.map((column) => safe(shownText(row, column))));
      if (page.length >= pageLength) return drawPage();
      if (page.length === 1) setImmediate(drawSoon);
      return drawing;
    },
    end: drawPage,
  };
}

interface Layout {
  readonly columns: readonly Column[];
  /** The words of the head, where there is one. */
  readonly titles: readonly string[];
  /** Columns of the screen; without it nothing is cut. */
  readonly screen: number | undefined;
  readonly ellipsis: string;
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
  };
}

/** The width of each column; undefined where there is no room for it. */
type Widths = readonly (number | undefined)[];

/**
 * One row through cli-table3, its cells cut and filled before. Not a page: cli-table3 fills the cells of a column to the widest by a
 * measure that knows no graphemes, so that one name in Hindi would shift all other rows of its page (B25). Nor would pages be
 * faster: 90 microseconds a row by itself, 87 in pages of 20, 103 in pages of 200, 130 in pages of 500.
 */
function tableLine(cells: readonly string[], widths: Widths, { columns, screen, ellipsis }: Layout): string {
  const table = new CliTable({ chars: separators, style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 } });
  const fitted = widths.flatMap((width, index) => {
    if (width === undefined) return [];
    const [cell, column] = [cells[index] ?? '', columns[index]];
    return pad(screen !== undefined && column?.shrinks ? truncate(cell, width, ellipsis) : cell, width, column?.align);
  });
  table.push(fitted);
  return table.toString().trimEnd();
}

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
