/** `1 row`, `2 rows`, `3 batches`. */
export function quantity(number: number, noun: string): string {
  const plural = noun.endsWith('ch') ? `${noun}es` : `${noun}s`;
  return `${number} ${number === 1 ? noun : plural}`;
}
