import { csvLine } from '../../base/csv.ts';
import { safeLines, safeTsv } from '../../base/safe-text.ts';
import type { Column, Row } from '../report.ts';
import type { Writer } from '../writer.ts';
import type { RowPrinter } from './row-printer.ts';
import { valueText } from './values.ts';

/** Cells to one line, its end included. */
export type JoinCells = (cells: readonly string[]) => string;

/** TAB between cells; no cell holds one, whatever its value (B16). */
export const tsvLine: JoinCells = (cells) => `${cells.map(safeTsv).join('\t')}\n`;

export interface CsvDialect {
  /** Keeps a spreadsheet from running cells (B21). */
  readonly guarded: boolean;
  /** A person reads it: nothing may drive the terminal. Elsewhere csv gives back every character. */
  readonly terminal: boolean;
}

/** The same as csv, for the reader that the dialect says. */
export function csvJoin({ guarded, terminal }: CsvDialect): JoinCells {
  const plain = (cell: string): string => {
    const text = guarded ? guardFormula(cell) : cell;
    return terminal ? safeLines(text) : text;
  };
  return (cells) => csvLine(cells.map(plain));
}

/**
 * Puts a `'` before what a spreadsheet takes for a formula. A cell that begins with `'` gets another, so that taking one off
 * every cell that begins with it gives back what was there.
 */
export function guardFormula(text: string): string {
  return /^['=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

/** Rows as lines; the header, where wanted, stands even over no rows (B22). */
export function createLines(stdout: Writer, columns: readonly Column[], join: JoinCells, header: boolean): RowPrinter {
  let heading = header ? join(columns.map(({ name }) => name)) : '';
  const cells = (row: Row): string[] => columns.map((column) => valueText(row[column.name], column));
  return {
    row(row) {
      const text = heading + join(cells(row));
      heading = '';
      return stdout.write(text);
    },
    async end(complete) {
      if (complete && heading !== '') await stdout.write(heading);
    },
  };
}
