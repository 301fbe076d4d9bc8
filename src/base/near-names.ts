const mostEdits = 3;

/** Accepts at most 3 edits, and fewer than 40 % of the letters of the shorter word, ignoring case. */
export function nearestName(word: string, names: readonly string[]): string | undefined {
  const wanted = word.trim().toLowerCase();
  const ranked = names
    .map((name) => ({ name, edits: editsBetween(wanted, name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= mostEdits && edits < Math.min(wanted.length, name.length) * 0.4)
    .sort((one, other) => one.edits - other.edits);
  return ranked[0]?.name;
}

/** Like `nearestName`; otherwise the only name that begins so. */
export function meantName(word: string, names: readonly string[]): string | undefined {
  const continued = names.filter((name) => word.length >= leastLetters && name.startsWith(word));
  return nearestName(word, names) ?? (continued.length === 1 ? continued[0] : undefined);
}

/** For the end of a message. */
export function didYouMean(name: string | undefined): string {
  return name === undefined ? '' : `, did you mean ${name}?`;
}

/** Fewer begin too many names. */
const leastLetters = 3;

/** Counts inserted, omitted, changed and swapped letters: `renmae` is one edit from `rename`. Gives up beyond 3. */
export function editsBetween(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > mostEdits) return Number.POSITIVE_INFINITY;
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let index = 0; index < one.length; index += 1) {
    const character = one[index];
    const next = [index + 1];
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (character === other[column - 1] ? 0 : 1);
      const isSwapped = character === other[column - 2] && one[index - 1] === other[column - 1];
      const swapped = isSwapped ? (before[column - 2] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    if (Math.min(...next) > mostEdits) return Number.POSITIVE_INFINITY;
    before = row;
    row = next;
  }
  return row[other.length] ?? 0;
}
