import { UsageError } from '../../base/errors.ts';
import { safeJsonText } from '../../base/safe-text.ts';
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
  return names ? { ...printer, row: (row) => printer.row(pick(row, names, report)) } : printer;
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
  return {
    row(row) {
      const lead = begun ? `,${inner}` : `${opening}${inner}`;
      begun = true;
      return stdout.write(lead + indented(row, inner));
    },
    async end(complete) {
      if (!begun && !complete) return;
      const rest = complete ? Object.entries(members?.() ?? {}) : [];
      const after = rest.map(([name, member]) => `,${line}${jsonText(name)}${colon}${indented(member, line)}`);
      await stdout.write(`${begun ? line : opening}]${after.join('')}${pretty ? '\n' : ''}}\n`);
    },
  };
}

/** Escapes control characters. `undefined` becomes null. */
export function jsonText(value: unknown, pretty = false): string {
  return safeJsonText(stringify(value, pretty) ?? 'null');
}

function stringify(value: unknown, pretty: boolean): string | undefined {
  try {
    return JSON.stringify(value, null, pretty ? 2 : undefined);
  } catch (error) {
    if (error instanceof TypeError && !error.message.includes('BigInt')) throw error;
    return unboundedJson(value);
  }
}

/** Handles values that `JSON.stringify` refuses: deep nesting overflows its stack, and it rejects a BigInt. */
function unboundedJson(root: unknown): string {
  const pieces: string[] = [];
  const waiting: (string | { readonly value: unknown })[] = [{ value: root }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string') pieces.push(next);
    else if (typeof next.value === 'bigint') pieces.push(String(next.value));
    else if (typeof next.value !== 'object' || next.value === null) pieces.push(JSON.stringify(next.value) ?? 'null');
    else waiting.push(...members(next.value).reverse());
  }
  return pieces.join('');
}

function members(value: object): (string | { readonly value: unknown })[] {
  if (Array.isArray(value)) {
    return ['[', ...value.flatMap((element, index) => [...(index > 0 ? [','] : []), { value: element }]), ']'];
  }
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  const inner = entries.flatMap(([name, member], index) => [
    `${index > 0 ? ',' : ''}${JSON.stringify(name)}:`,
    { value: member },
  ]);
  return ['{', ...inner, '}'];
}
