/** `1 row`, `2 rows`, `3 batches`, `1,204 links`: in sentences for people (D55). */
export function quantity(number: number, noun: string): string {
  return `${grouped(number)} ${named(number, noun)}`;
}

/** Without separators, for lines that scripts match: `5800 rows` (B90). */
export function plainQuantity(number: number, noun: string): string {
  return `${number} ${named(number, noun)}`;
}

/** `1,204`, whatever the locale (B97). */
export function grouped(number: number): string {
  return String(number).replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','));
}

function named(number: number, noun: string): string {
  if (number === 1) return noun;
  return noun.endsWith('ch') ? `${noun}es` : `${noun}s`;
}
