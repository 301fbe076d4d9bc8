/** Whether this text, as a tag expression, would have operators and not be one label (W4, FIELD-NOTES 23 to 25). */
export function hasOperators(text: string): boolean {
  return /^[\s+\-<>]|[&,;^|()~"]/.test(text);
}

/**
 * Whether an expression with this label may select other links than those that carry it: it holds operators, or servers know an
 * automatic label or a domain of that name (FIELD-NOTES 24, 25).
 */
export function isAmbiguousLabel(label: string): boolean {
  return hasOperators(label) || label.includes('.') || automaticLabels.has(foldLabel(label));
}

const automaticLabels: ReadonlySet<string> = new Set(['archived', 'visited', 'ping', 'email_stats', 'expired', 'localhost']);

/** The expression that selects one label: in quotes where it holds operators. */
export function labelExpression(label: string): string {
  return hasOperators(label) ? `"${label.replaceAll('"', '""')}"` : label;
}

/** Equal for labels that are equal: without regard to case (2.5), in no locale (B97), nor to how an accent is composed. */
export function foldLabel(label: string): string {
  return label.normalize('NFC').toLowerCase();
}

/** Equal also for labels with blanks around them, which some servers take off. Not for what is deleted by its label. */
export function trimmedLabel(label: string): string {
  return foldLabel(label.trim());
}

/** What gives a link that has some labels exactly those that are wanted; another case of a label is no other label. */
export function tagInstructions(wanted: readonly string[], has: readonly string[]): string[] {
  const [asked, present] = [wanted, has].map((labels) => new Set(labels.map(trimmedLabel)));
  return [
    ...wanted.filter((label) => !present?.has(trimmedLabel(label))).map((label) => `+${label}`),
    ...has.filter((label) => !asked?.has(trimmedLabel(label))).map((label) => `-${label}`),
  ];
}

/**
 * The entries of a list in one cell (B21): separated by commas, spaces around an entry dropped. An entry that begins with a
 * double quote, holds a comma or has spaces at an end is put in double quotes, with the quotes in it doubled: `"a,b",c`.
 * Undefined where a quote is not closed or something follows it.
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

/** The cell that `splitList` reads as these entries. An empty list is an empty cell, which reads as absent. */
export function joinList(entries: readonly string[]): string {
  if (entries.length === 1 && entries[0] === '') return '""';
  return entries.map((entry) => (isPlain(entry) ? entry : `"${entry.replaceAll('"', '""')}"`)).join(',');
}

function isPlain(entry: string): boolean {
  return !entry.includes(',') && !entry.startsWith('"') && entry.trim() === entry;
}
