import { jsonText, safe } from '../../base/safe-text.ts';
import { isJson } from '../../contract/formats.ts';
import { pad } from '../display-width.ts';
import { chooseFormat, type OutputOptions } from '../output-options.ts';
import { type Column, chooseColumns, namesOf, type RecordReport, type Row } from '../report.ts';
import type { Streams } from '../streams.ts';
import { joinFor } from './separated.ts';
import { shownText, valueText } from './value-text.ts';

/** Prints aligned names and values, `name TAB value` lines, one csv row, or JSON. */
export function formatRecord(report: RecordReport, options: OutputOptions, streams: Streams): string {
  const { record, flat = record, key } = report;
  const { terminal } = streams;
  const format = chooseFormat(options, terminal);
  const columns = chosenColumns(report, options, format === 'table');
  const values = { ...record, ...flat };
  if (isJson(format)) {
    const chosen = options.fields ? Object.fromEntries(columns.map(({ name }) => [name, values[name]])) : record;
    const keyed = format === 'json' && key !== undefined ? { [key]: chosen } : chosen;
    return `${jsonText(keyed, terminal && format === 'json')}\n`;
  }
  if (format === 'table') return block(values, columns, streams);
  const join = joinFor(format, options, terminal);
  const texts = columns.map((column) => valueText(values[column.name], column));
  if (format === 'csv') return (options.header === false ? '' : join(namesOf(columns))) + join(texts);
  const lines = columns.map((column, index) => join([column.name, texts[index] ?? ''], [{ name: 'name' }, column]));
  return (options.header ? join(['name', 'value']) : '') + lines.join('');
}

function chosenColumns(
  { record, flat = record, ...report }: RecordReport,
  { fields }: OutputOptions,
  isBlock: boolean,
): readonly Column[] {
  const all = report.columns ?? columnsOf(flat);
  if (fields) return chooseColumns(flat === record ? all : [...all, ...columnsOf(record)], fields);
  return isBlock ? (report.block ?? all) : all;
}

const columnsOf = (record: Row): Column[] => Object.keys(record).map((name) => ({ name }));

function block(record: Row, columns: readonly Column[], streams: Streams): string {
  const labels = columns.map(({ name, title }) => `${safe(title ?? name)}:`);
  const width = Math.max(0, ...labels.map((label) => label.length)) + 1;
  const lines = columns.map((column, index) => {
    const label = pad(labels[index] ?? '', width);
    return `${label}${streams.fitted(safe(shownText(record, column)), 'stdout', label)}`.trimEnd();
  });
  return lines.map((line) => `${line}\n`).join('');
}
