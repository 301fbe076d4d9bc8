import CliTable from 'cli-table3';
import { safe } from '../../base/safe-text.ts';
import type { Column, Row } from '../report.ts';
import type { Paint } from '../terminal/colour.ts';
import { pad, truncate } from '../terminal/display-width.ts';
import type { Writer } from '../writer.ts';
import type { RowPrinter } from './row-printer.ts';
import { fitColumns, gap } from './table-widths.ts';
import { shownText } from './values.ts';

export interface TableLayout {
  readonly columns: readonly Column[];
  readonly header: boolean;
  /** Columns of the screen; without it nothing is cut. */
  readonly width?: number | undefined;
  /** The first rows tell little about those that will follow: cells that give way get all the room there is. */
  readonly endless?: boolean | undefined;
  readonly ellipsis: string;
  readonly paint: Paint;
}

export interface TablePrinter extends RowPrinter {
  /** Names of the columns that the terminal had no room for. */
  hidden(): string[];
}

/** Rows that the first page may have; it decides the widths of all pages. */
const pageLength = 1000;

/** A table without borders, a page at a time: what has arrived is drawn as soon as the source makes us wait. */
export function createTable(stdout: Writer, layout: TableLayout): TablePrinter {
  const { columns } = layout;
  let page: string[][] = [];
  let draw: ((cells: readonly string[]) => string) | undefined;
  let widths: readonly (number | undefined)[] = [];
  /** A page on its way, which the next row waits for. */
  let drawing: Promise<void> | undefined;

  const head = (): string => {
    const titles = layout.header ? columns.map(title) : [];
    const more = layout.endless || page.length >= pageLength;
    widths = fitColumns({ columns, titles, rows: page, more }, layout.width);
    draw = (cells) => tableLine(cells, widths, layout);
    return layout.header ? `${layout.paint.bold(draw(titles))}\n` : '';
  };
  const drawPage = async (): Promise<void> => {
    if (page.length === 0) return;
    const lead = draw ? '' : head();
    const lines = page.map((cells) => `${draw?.(cells)}\n`);
    page = [];
    await stdout.write(lead + lines.join(''));
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
    hidden: () => columns.filter((_, index) => widths.length > 0 && widths[index] === undefined).map(({ name }) => name),
    row(row) {
      const failure = stdout.failure();
      if (failure) throw failure;
      page.push(columns.map((column) => cellText(row, column)));
      if (page.length >= pageLength) return drawPage();
      if (page.length === 1) setImmediate(drawSoon);
      return drawing;
    },
    async end() {
      await drawPage();
    },
  };
}

const title = (column: Column): string => column.title ?? column.name.toUpperCase().replaceAll('_', ' ');

function cellText(row: Row, column: Column): string {
  return safe(shownText(row, column));
}

/**
 * One row through cli-table3, its cells cut and filled before: its time grows faster than the square of the rows of one
 * table, and its own measure knows no graphemes (B25).
 */
function tableLine(
  cells: readonly string[],
  widths: readonly (number | undefined)[],
  { columns, width: screen, ellipsis }: TableLayout,
): string {
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
