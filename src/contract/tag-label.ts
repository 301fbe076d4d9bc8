/** Whether this text, as a tag expression, would have operators and not be one label (W4, FIELD-NOTES 23 to 25). */
export function hasOperators(text: string): boolean {
  return /^[\s+\-<>]|[&,;^|()~"]/.test(text);
}

/** The expression that selects one label: in quotes where it holds operators. */
export function labelExpression(label: string): string {
  return hasOperators(label) ? `"${label.replaceAll('"', '""')}"` : label;
}

/** Equal for labels that are equal: without regard to case (2.5), in no locale (B97), nor to how an accent is composed. */
export function foldLabel(label: string): string {
  return label.normalize('NFC').toLowerCase();
}
