import type { Parser } from 'csv-parse';

/** Counts lines as an editor does. The parser counts a CRLF within quotes twice. */
export function lineCounter(parser: Parser): { next(record: readonly string[]): number; pending(): number } {
  const { info } = parser;
  let lastLine = 0;
  let emptyLines = 0;
  let surplus = 0;
  return {
    next(record) {
      let line = info.lines - surplus;
      if (info.lines > lastLine + 1) {
        for (const cell of record) {
          const breaks = cell.match(/\r\n|\n|\r/g) ?? [];
          const pairs = breaks.filter((text) => text.length === 2).length;
          line -= breaks.length + pairs;
          surplus += pairs;
        }
      }
      lastLine = info.lines;
      emptyLines = info.empty_lines;
      return line;
    },
    pending: () => lastLine + 1 + info.empty_lines - emptyLines - surplus,
  };
}
