import { hash as digest } from 'node:crypto';

/** Rows of visitors that are looked through in one step, for old ones. */
export const visitorsAtATime = 10_000;

/** The number that is stored of a visitor: it distinguishes visitors, and reveals neither address nor user agent. */
export function visitorNumbers(salt: string): (visitor: string) => number {
  // A crawler follows many links at once: one digest is enough.
  const numbers = new Map<string, number>();
  return (visitor) => {
    const number = numbers.get(visitor) ?? digest('sha256', `${salt}\n${visitor}`, 'buffer').readUIntBE(0, 6);
    numbers.set(visitor, number);
    return number;
  };
}
