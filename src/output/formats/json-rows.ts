import { UsageError } from '../../base/errors.ts';
import { jsonText } from '../../base/safe-text.ts';
import type { Format } from '../../contract/formats.ts';
import type { OutputOptions } from '../output-options.ts';
import { chooseColumns, namesOf, type Row, type RowPrinter, type RowsReport } from '../report.ts';
import type { Streams } from '../streams.ts';
import type { Writer } from '../writer.ts';

/** Prints one document, or one object per line. */
export function createJson(report: RowsReport, { fields }: OutputOptions, streams: Streams, format: Format): RowPrinter {
  const names = fields && namesOf(chooseColumns(report.columns, fields));
  if (report.endless && format === 'json') {
    throw new UsageError('-o json cannot print endless output: use -o jsonl');
  }
  const printer = format === 'jsonl' ? jsonLines(streams.stdout) : jsonDocument(report, streams);
  return { ...printer, row: (row) => printer.row(names ? pick(row, names, report) : withNulls(row)) };
}

const urlTexts = ['long_url', 'short_url', 'short_url_with_protocol', 'custom_hash'] as const;

/** In a record, a text that the server sent without a value is undefined. */
function withNulls(row: Row): Row {
  const isNull = (name: string): boolean => row[name] === undefined && Object.hasOwn(row, name);
  if (!urlTexts.some(isNull)) return row;
  return { ...row, ...Object.fromEntries(urlTexts.filter(isNull).map((name) => [name, null])) };
}

/** A failed row keeps its error regardless of `--fields`: nothing else would show that it failed. */
function pick(row: Row, names: readonly string[], { failure }: RowsReport): Row {
  const chosen = names.map((name) => [name, row[name] ?? null] as const);
  const error = failure?.(row) && !names.includes('error') ? [['error', row.error ?? null] as const] : [];
  return Object.fromEntries([...chosen, ...error]);
}

/** Each object is written as its page arrives. */
function jsonLines(stdout: Writer): RowPrinter {
  return {
    row: (row) => stdout.write(`${jsonText(row)}\n`),
    end: async () => undefined,
  };
}

/**
 * Writes rows as they arrive, indented on a terminal. If the rows end early, the document still parses but has no further members; if the
 * first row fails, stdout stays empty.
 */
function jsonDocument({ key, members }: RowsReport, { stdout, terminal: pretty }: Streams): RowPrinter {
  const [line, inner, colon] = pretty ? ['\n  ', '\n    ', ': '] : ['', '', ':'];
  const indented = (value: unknown, indent: string): string => {
    const text = jsonText(value, pretty);
    return pretty ? text.replaceAll('\n', indent) : text;
  };
  const opening = `{${line}${jsonText(key)}${colon}[`;
  let begun = false;
  let held = '';
  // On a terminal, progress erases a line that has no end yet, and messages continue it.
  const writeLines = (text: string): Promise<void> | undefined => {
    const whole = held + text;
    const end = pretty ? whole.lastIndexOf('\n') + 1 : whole.length;
    held = whole.slice(end);
    return stdout.write(whole.slice(0, end));
  };
  return {
    row(row) {
      const lead = begun ? `,${inner}` : `${opening}${inner}`;
      begun = true;
      return writeLines(lead + indented(row, inner));
    },
    async end(complete) {
      if (!begun && !complete) return;
      const rest = complete ? Object.entries(members?.() ?? {}) : [];
      const after = rest.map(([name, member]) => `,${line}${jsonText(name)}${colon}${indented(member, line)}`);
      await writeLines(`${begun ? line : opening}]${after.join('')}${pretty ? '\n' : ''}}\n`);
    },
  };
}
