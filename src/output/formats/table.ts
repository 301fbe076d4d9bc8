import CliTable from 'cli-table3';
import { safe } from '../../base/safe-text.ts';
import { pad, truncate } from '../display-width.ts';
import type { OutputOptions } from '../output-options.ts';
import { type Column, chooseColumns, namesOf, type RowPrinter, type RowsReport } from '../report.ts';
import type { Streams } from '../streams.ts';
import { fitColumns, gap } from './table-widths.ts';
import { shownText } from './value-text.ts';

/** Maximum number of rows on the first page, which determines the widths. */
const pageLength = 1000;

/** Draws page by page: rows that have arrived are drawn as soon as the source makes us wait. */
export async function createTable(report: RowsReport, options: OutputOptions, streams: Streams): Promise<RowPrinter> {
  const { bold } = await streams.paint('stdout');
  const layout = layoutOf(report, options, streams);
  const { columns, titles, screen, endless } = layout;
  const { drawn = [] } = report;
  const { stdout } = streams;
  let page: string[][] = [];
  let widths: Widths | undefined;
  /** Set until a page is written; the next row waits for it, so that no page is asked for after the reader went away. */
  let drawing: Promise<void> | undefined;

  const head = (): string => {
    // Later rows of an endless table may be longer, so columns that shrink get all the space.
    const more = endless || page.length >= pageLength;
    widths = fitColumns({ columns, titles, rows: page, more }, screen);
    return titles.length > 0 ? `${bold(lineOf(titles, widths, layout).trimEnd())}\n` : '';
  };
  const end = async (): Promise<void> => {
    if (page.length === 0) return;
    let text = widths ? '' : head();
    for (const cells of page) text += lineOf(cells, widths ?? [], layout);
    page = [];
    await stdout.write(text);
    await stdout.flush();
  };
  const drawSoon = (): void => {
    // The next row throws the failure of stdout again.
    drawing = end()
      .catch(() => undefined)
      .finally(() => {
        drawing = undefined;
      });
  };
  return {
    row(row) {
      const failure = stdout.failure();
      if (failure) throw failure;
      page.push(columns.map((column) => safe(shownText(row, column))));
      if (page.length >= pageLength) return end();
      if (page.length === 1) setImmediate(drawSoon);
      return drawing;
    },
    end,
    // `--fields` does not take what is only drawn, such as a bar.
    hidden: () => namesOf(columns.filter((column, index) => widths && widths[index] === undefined && !drawn.includes(column))),
  };
}

/**
 * cli-table3 lays out single rows, because its padding does not know graphemes: one name in Hindi would shift all other rows of a page.
 * Pages would not be faster either: 90 microseconds per row alone, 87 in pages of 20, 130 in pages of 500.
 */
function lineOf(cells: readonly string[], widths: Widths, { columns, screen, ellipsis }: Layout): string {
  const table = new CliTable({ chars: separators, style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 } });
  const fitted = columns.flatMap((column, index) => {
    const width = widths[index];
    if (width === undefined) return [];
    const cell = cells[index] ?? '';
    return pad(screen !== undefined && column.shrinks ? truncate(cell, width, ellipsis) : cell, width, column.align);
  });
  table.push(fitted);
  return `${table.toString().trimEnd()}\n`;
}

interface Layout {
  readonly columns: readonly Column[];
  /** Empty without a header. */
  readonly titles: readonly string[];
  /** Width of the screen in columns; nothing is cut if undefined. */
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
    // A pipe has no width, so nothing is cut.
    screen: streams.terminal && options.truncate !== false ? streams.width() : undefined,
    ellipsis: streams.glyphs.ellipsis,
    endless: report.endless === true,
  };
}

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
