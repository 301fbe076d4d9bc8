/** The name that was most likely meant by a mistyped word (B5): within 0.4 of its length and 3 edits, whatever its case. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const ranked = names
    .map((name) => ({ name, edits: editsBetween(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= Math.min(3, name.length * 0.4))
    .sort((one, other) => one.edits - other.edits);
  return ranked[0]?.name;
}

/** Letters put in, left out, changed, or exchanged with their neighbour: `renmae` is one edit from `rename`. */
function editsBetween(one: string, other: string): number {
  // Nothing that long is a name of ours, and the table grows with the square.
  if (Math.abs(one.length - other.length) > 3) return Number.POSITIVE_INFINITY;
  const rows = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    rows.push(current);
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1];
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (same ? 0 : 1),
          swapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(one.length, other.length);
}
