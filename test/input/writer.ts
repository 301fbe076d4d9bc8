/** RFC 4180 by hand, so that the reader is not tested against its own author's idea of it. */
export function csvLine(cells: readonly string[], delimiter = ','): string {
  return cells
    .map((cell) => (/["\r\n]/.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell))
    .join(delimiter);
}

/** A list in one cell: B21's rule. */
export function joinedList(labels: readonly string[]): string {
  return labels.map((label) => (/^"|,|^\s|\s$/.test(label) ? `"${label.replaceAll('"', '""')}"` : label)).join(',');
}

/** The formula guard of B21: one `'` before what a spreadsheet would run, and before what begins with `'` itself. */
export function guarded(cell: string): string {
  return /^[=+\-@\t\r']/.test(cell) ? `'${cell}` : cell;
}
