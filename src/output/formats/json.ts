import type { Row } from '../report.ts';
import type { Writer } from '../writer.ts';
import { jsonText } from './json-text.ts';
import type { RowPrinter } from './row-printer.ts';

/** One object a line, sent as its page arrives (B20). */
export function createJsonLines(stdout: Writer): RowPrinter {
  return {
    row: (row) => stdout.write(`${jsonText(row)}\n`),
    end: async () => undefined,
  };
}

export interface JsonLayout {
  /** The member that holds the rows. */
  readonly key: string;
  /** The members after it. */
  readonly members?: (() => Row) | undefined;
  /** Two spaces instead of one line (B19). */
  readonly pretty: boolean;
}

/**
 * One document, written while its rows arrive. Rows that end early still make a document that parses, without the members
 * after them; rows that fail before the first leave stdout empty (B22, B49).
 */
export function createJsonDocument(stdout: Writer, { key, members, pretty }: JsonLayout): RowPrinter {
  const [line, inner, colon] = pretty ? ['\n  ', '\n    ', ': '] : ['', '', ':'];
  const opening = `{${line}${jsonText(key)}${colon}[`;
  let begun = false;
  return {
    row(row) {
      const lead = begun ? `,${inner}` : `${opening}${inner}`;
      begun = true;
      return stdout.write(lead + indented(row, inner, pretty));
    },
    async end(complete) {
      if (!begun && !complete) return;
      const rest = complete ? Object.entries(members?.() ?? {}) : [];
      const after = rest.map(([name, member]) => `,${line}${jsonText(name)}${colon}${indented(member, line, pretty)}`);
      await stdout.write(`${begun ? line : opening}]${after.join('')}${pretty ? '\n' : ''}}\n`);
    },
  };
}

function indented(value: unknown, indent: string, pretty: boolean): string {
  const text = jsonText(value, pretty);
  return pretty ? text.replaceAll('\n', indent) : text;
}
