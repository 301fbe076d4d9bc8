/** Cells as one line of a CSV (RFC 4180), which ends with LF: the only place that writes one (B21). */
export function csvLine(cells: readonly string[]): string {
  // A line without a character would be no record at all.
  return cells.length === 1 && cells[0] === '' ? '""\n' : `${cells.map(cell).join(',')}\n`;
}

function cell(text: string): string {
  // White space at the ends and a BOM survive only in quotes.
  return /[",\n\r\ufeff]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
