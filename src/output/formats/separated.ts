import { csvLine } from '../../base/csv.ts';
import { safeLines, safeTsv } from '../../base/safe-text.ts';
import type { Format } from '../../contract/formats.ts';
import type { OutputOptions } from '../options.ts';
import { chooseColumns, namesOf, type Row, type RowPrinter, type RowsReport } from '../report.ts';
import type { Streams } from '../streams.ts';
import { valueText } from './values.ts';

/** Rows as lines of csv or tsv; the header, where wanted, is written even over no rows (B22). */
export function createLines(report: RowsReport, options: OutputOptions, streams: Streams, format: Format): RowPrinter {
  const { csvFields, pipedFields = namesOf(report.columns) } = report;
  const isCsv = format === 'csv';
  const columns = chooseColumns(report.columns, options.fields ?? (isCsv ? csvFields : undefined) ?? pipedFields);
  const { stdout } = streams;
  const join = joinFor(format, options, streams.terminal);
  let heading = (options.header ?? isCsv) ? join(namesOf(columns)) : '';
  return {
    row(row: Row) {
      const text = heading + join(columns.map((column) => valueText(row[column.name], column)));
      heading = '';
      return stdout.write(text);
    },
    async end(complete) {
      if (complete && heading !== '') await stdout.write(heading);
    },
  };
}

/** Cells to one line, its end included. */
export type JoinCells = (cells: readonly string[]) => string;

/** How lines of csv or tsv are made. csv gives back every character, but on a terminal, where nothing may drive it. */
export function joinFor(format: Format, { formulaGuard }: OutputOptions, terminal: boolean): JoinCells {
  if (format !== 'csv') return tsvLine;
  if (terminal) return (cells) => csvLine(cells.map((cell) => safeLines(guardFormula(cell))));
  return formulaGuard ? (cells) => csvLine(cells.map(guardFormula)) : csvLine;
}

/** TAB between cells; no cell holds one, whatever its value (B16). */
function tsvLine(cells: readonly string[]): string {
  return `${cells.map(safeTsv).join('\t')}\n`;
}

/**
 * Puts a `'` before what a spreadsheet takes for a formula. A cell that begins with `'` gets another, so that taking one off
 * every cell that begins with it gives back what was there.
 */
export function guardFormula(text: string): string {
  return /^['=+\-@\t\r]/.test(text) ? `'${text}` : text;
}
