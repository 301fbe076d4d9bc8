/** For people: `1 row`, `3 batches`, `1,204 links`. */
export function quantity(number: number, noun: string): string {
  return `${grouped(number)} ${plural(number, noun)}`;
}

/** Without separators, because scripts match these lines: `5800 rows`. */
export function plainQuantity(number: number, noun: string): string {
  return `${number} ${plural(number, noun)}`;
}

/** Adds separators regardless of the locale: `1,204`. */
export function grouped(number: number): string {
  return String(number).replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','));
}

function plural(number: number, noun: string): string {
  if (number === 1) return noun;
  if (noun.endsWith('ry')) return `${noun.slice(0, -1)}ies`;
  return noun.endsWith('ch') ? `${noun}es` : `${noun}s`;
}
