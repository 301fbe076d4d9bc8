import { listingColumns } from '../fields/members.ts';

/**
 * Two files that were joined have two headers, and the names in the second are no values: there may be a link with the hash `hash`. It is
 * equal to the first, or it has the names of other columns of a listing; of one column, such a name may be a hash. `nameOf` reads a cell of a
 * header; of most rows only the first cell is.
 */
export function isSecondHeader(row: readonly string[], header: readonly string[], nameOf = (cell: string) => cell): boolean {
  const first = nameOf(row[0] ?? '');
  if (first !== header[0] && !listingColumns.has(first)) return false;
  const cells = row.map(nameOf);
  if (cells.length === header.length && cells.every((cell, index) => cell === header[index])) return true;
  return (
    cells.length > 1 && cells.every((cell) => listingColumns.has(cell)) && cells.some((cell) => /^(?:hash|short_url)$/.test(cell))
  );
}

export const secondHeader =
  'a second header: use a file for each list, or remove the line; for a link with this hash, use its short URL';
