import { csvLine } from '../../base/csv-line.ts';
import { isSafeTsv, safe, safeLines, safeTsv } from '../../base/safe-text.ts';
import type { LineFormat } from '../../contract/formats.ts';
import type { OutputOptions } from '../output-options.ts';
import { type Column, chooseColumns, namesOf, type Row, type RowPrinter, type RowsReport } from '../report.ts';
import type { Streams } from '../streams.ts';
import { valueText } from './value-text.ts';

/** A requested header is written even if there are no rows. */
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

/** Returns one line with its end. `columns` tell which cells are paths. */
type JoinCells = (cells: readonly string[], columns?: readonly Column[]) => string;

/** csv keeps every character, except on a terminal, which would execute control characters. */
export function joinFor(format: LineFormat, { formulaGuard }: OutputOptions, terminal: boolean): JoinCells {
  if (format !== 'csv') return tsvLine;
  if (terminal) return (cells) => csvLine(cells.map((cell) => safeLines(guardFormula(cell))));
  return formulaGuard ? (cells) => csvLine(cells.map(guardFormula)) : csvLine;
}

/** Escapes tabs inside values. */
function tsvLine(cells: readonly string[], columns: readonly Column[] = []): string {
  // One test for all cells: in most lines nothing is escaped.
  if (isSafeTsv(cells.join(''))) return `${cells.join('\t')}\n`;
  return `${cells.map((cell, nth) => (columns[nth]?.path ? safe(cell) : safeTsv(cell))).join('\t')}\n`;
}

/** Puts `'` before a cell that a spreadsheet would execute as a formula, and before a cell that begins with `'`, so that removing one `'` restores the value. */
export function guardFormula(text: string): string {
  return /^['=+\-@\t\r]/.test(text) ? `'${text}` : text;
}
