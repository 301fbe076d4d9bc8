/** Writes one csv record (RFC 4180) that ends with LF. */
export function csvLine(cells: readonly string[]): string {
  // An empty line would be no record.
  return cells.length === 1 && cells[0] === '' ? '""\n' : `${cells.map(cell).join(',')}\n`;
}

function cell(text: string): string {
  // White space at the ends and a BOM survive only in quotes.
  return /[",\n\r\ufeff]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
