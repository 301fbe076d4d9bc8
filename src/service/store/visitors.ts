import { hash as digest } from 'node:crypto';

/** Rows of visitors that one step examines. */
export const visitorsPerStep = 10_000;

/** Stores a salted number per visitor, which reveals neither address nor user agent. */
export function visitorNumbers(salt: string): (visitor: string) => number {
  // Cached because a crawler follows many links at once.
  const numbers = new Map<string, number>();
  return (visitor) => {
    const number = numbers.get(visitor) ?? digest('sha256', `${salt}\n${visitor}`, 'buffer').readUIntBE(0, 6);
    numbers.set(visitor, number);
    return number;
  };
}
