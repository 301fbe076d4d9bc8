import { csvLine } from '../../base/csv.ts';
import { safe, safeLines, safeTsv } from '../../base/safe-text.ts';
import type { LineFormat } from '../../contract/formats.ts';
import type { OutputOptions } from '../options.ts';
import { type Column, chooseColumns, namesOf, type Row, type RowPrinter, type RowsReport } from '../report.ts';
import type { Streams } from '../streams.ts';
import { valueText } from './values.ts';

/** Rows as lines of csv or tsv. A header that is wanted is written even if there are no rows (B22). */
export function createLines(report: RowsReport, options: OutputOptions, streams: Streams, format: LineFormat): RowPrinter {
  const { csvFields, pipedFields = namesOf(report.columns) } = report;
  const isCsv = format === 'csv';
  const columns = chooseColumns(report.columns, options.fields ?? (isCsv ? csvFields : undefined) ?? pipedFields);
  const { stdout } = streams;
  const join = joinFor(format, options, streams.terminal);
  let heading = (options.header ?? isCsv) ? join(namesOf(columns)) : '';
  return {
    row(row: Row) {
      const cells = columns.map((column) => valueText(row[column.name], column));
      const text = heading + join(cells, columns);
      heading = '';
      return stdout.write(text);
    },
    async end(complete) {
      if (complete && heading !== '') await stdout.write(heading);
    },
  };
}

/** Cells to one line, its end included; the columns say which of them are paths. */
export type JoinCells = (cells: readonly string[], columns?: readonly Column[]) => string;

/** How lines of csv or tsv are made. csv keeps every character, except on a terminal, which control characters would drive. */
export function joinFor(format: LineFormat, { formulaGuard }: OutputOptions, terminal: boolean): JoinCells {
  if (format !== 'csv') return tsvLine;
  if (terminal) return (cells) => csvLine(cells.map((cell) => safeLines(guardFormula(cell))));
  return formulaGuard ? (cells) => csvLine(cells.map(guardFormula)) : csvLine;
}

/** TAB between cells; those within a value are escaped. */
function tsvLine(cells: readonly string[], columns: readonly Column[] = []): string {
  return `${cells.map((cell, nth) => (columns[nth]?.path ? safe(cell) : safeTsv(cell))).join('\t')}\n`;
}

/**
 * Puts a `'` before what a spreadsheet takes for a formula. A cell that begins with `'` gets another one, so that removing one from
 * each cell restores the values.
 */
export function guardFormula(text: string): string {
  return /^['=+\-@\t\r]/.test(text) ? `'${text}` : text;
}
