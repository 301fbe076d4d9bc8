import { safe } from '../../base/safe-text.ts';
import { type Format, isJson } from '../../contract/formats.ts';
import { chooseColumns } from '../fields.ts';
import { chooseFormat, type OutputOptions } from '../options.ts';
import type { Column, RecordReport, Row } from '../report.ts';
import { pad } from '../terminal/display-width.ts';
import { jsonText } from './json-text.ts';
import { csvJoin, tsvLine } from './separated.ts';
import { shownText, valueText } from './values.ts';

/** One record as text: a block of names and values, lines of `name TAB value`, one csv row, or JSON. */
export function recordText(report: RecordReport, options: OutputOptions, terminal: boolean): string {
  const { record, flat = record, key } = report;
  const format = chooseFormat(options, terminal);
  const all = report.columns ?? columnsOf(flat);
  const shown = format === 'table' ? (report.block ?? all) : all;
  const known = flat === record ? all : [...all, ...columnsOf(record)];
  const columns = options.fields ? chooseColumns(known, options.fields) : shown;
  const values = { ...record, ...flat };
  if (isJson(format)) {
    const chosen = options.fields ? Object.fromEntries(columns.map(({ name }) => [name, values[name]])) : record;
    const keyed = format === 'json' && key !== undefined ? { [key]: chosen } : chosen;
    return `${jsonText(keyed, terminal && format === 'json')}\n`;
  }
  return recordLines(values, columns, format, options, terminal);
}

const columnsOf = (record: Row): Column[] => Object.keys(record).map((name) => ({ name }));

function recordLines(record: Row, columns: readonly Column[], format: Format, options: OutputOptions, terminal: boolean): string {
  const names = columns.map(({ name }) => name);
  const values = columns.map((column) => valueText(record[column.name], column));
  switch (format) {
    case 'table':
      return block(record, columns);
    case 'csv': {
      const join = csvJoin({ guarded: terminal || options.formulaGuard === true, terminal });
      return (options.header === false ? '' : join(names)) + join(values);
    }
    default: {
      const lines = names.map((name, index) => tsvLine([name, values[index] ?? '']));
      return (options.header ? tsvLine(['name', 'value']) : '') + lines.join('');
    }
  }
}

function block(record: Row, columns: readonly Column[]): string {
  const labels = columns.map(({ name, title }) => `${safe(title ?? name)}:`);
  const width = Math.max(0, ...labels.map((label) => label.length)) + 1;
  const lines = columns.map((column, index) => `${pad(labels[index] ?? '', width)}${safe(shownText(record, column))}`.trimEnd());
  return lines.map((line) => `${line}\n`).join('');
}
