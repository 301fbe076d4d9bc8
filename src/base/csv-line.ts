/** Writes one csv record (RFC 4180) that ends with LF. */
export function csvLine(cells: readonly string[]): string {
  // An empty line would be no record.
  return cells.length === 1 && cells[0] === '' ? '""\n' : `${cells.map(cell).join(',')}\n`;
}

/** Puts `'` before a cell that a spreadsheet would execute as a formula, and before a cell that begins with `'`, so that removing one `'` restores the value. */
export function guardFormula(text: string): string {
  return /^['=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

/** Undoes `guardFormula`. Before any other text, a `'` is part of the value. */
export function withoutGuard(text: string): string {
  return /^'['=+\-@\t\r]/.test(text) ? text.slice(1) : text;
}

function cell(text: string): string {
  // White space at the ends and a BOM survive only in quotes.
  return /[",\n\r\ufeff]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
