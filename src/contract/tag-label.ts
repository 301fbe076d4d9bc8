/** True if a tag expression would not read the text as one label, because it contains operators or has blanks at an end. */
export function hasOperators(text: string): boolean {
  return /^[\s+\-<>]|[&,;^|()~"]|\s$/.test(text);
}

/**
 * An expression with such a label may select other links than those with the tag: it contains operators, or servers know an automatic label
 * or a domain of that name.
 */
export function isAmbiguousLabel(label: string): boolean {
  return hasOperators(label) || label.includes('.') || automaticLabels.has(foldLabel(label));
}

const automaticLabels: ReadonlySet<string> = new Set(['archived', 'visited', 'ping', 'email_stats', 'expired', 'localhost']);

/** Puts a label in quotes that an expression would otherwise read as something else. */
export function labelExpression(label: string): string {
  return hasOperators(label) ? `"${label.replaceAll('"', '""')}"` : label;
}

/** Equal for equal labels. Ignores case (2.5), in any locale, and the composition of accents. */
export function foldLabel(label: string): string {
  return label.normalize('NFC').toLowerCase();
}

/** Ignores case (2.5). */
export function isSameLabel(one: string, other: string): boolean {
  return foldLabel(one) === foldLabel(other);
}

/** Ignores blanks around the label, too, which some servers strip. Never use it to choose what to delete. */
export function trimmedLabel(label: string): string {
  return foldLabel(label.trim());
}

/**
 * Splits a cell at commas and drops spaces around an entry. An entry that begins with a double quote, contains a comma or has spaces at an
 * end is quoted, with the quotes in it doubled: `"a,b",c`. Returns undefined for a quote that is not closed or is followed by text.
 */
export function splitList(cell: string): string[] | undefined {
  if (!cell.includes('"')) return cell.split(',').map((entry) => entry.trim());
  const entries: string[] = [];
  const rest = `${cell},`;
  const pattern = /\s*(?:"([^"]*(?:""[^"]*)*)"\s*|([^",][^,]*)?),/y;
  while (pattern.lastIndex < rest.length) {
    const match = pattern.exec(rest);
    if (!match) return undefined;
    entries.push(match[1]?.replaceAll('""', '"') ?? (match[2] ?? '').trim());
  }
  return entries;
}

/** The inverse of `splitList`. An empty list becomes an empty cell, which is read as absent. */
export function joinList(entries: readonly string[]): string {
  if (entries.length === 1 && entries[0] === '') return '""';
  // One test for all entries: listings join the tags of every link.
  if (!maybeQuoted.test(entries.join('\n'))) return entries.join(',');
  return entries.map((entry) => (isPlain(entry) ? entry : `"${entry.replaceAll('"', '""')}"`)).join(',');
}

const maybeQuoted = /,|^["\s]|\s$/m;

function isPlain(entry: string): boolean {
  return !entry.includes(',') && !entry.startsWith('"') && entry.trim() === entry;
}
