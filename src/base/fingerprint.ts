export interface Fingerprint {
  /** FNV-1a. */
  readonly low: number;
  readonly high: number;
}

/** Distinguishes texts quickly; gives no protection against attackers. */
export function fingerprintOf(text: string): Fingerprint {
  let low = 0x811c9dc5;
  let high = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x9e3779b1);
  }
  return { low: low >>> 0, high: high >>> 0 };
}

/** 52 bits as an integer. */
export function integerPrint(text: string): number {
  const { low, high } = fingerprintOf(text);
  return (high >>> 12) * 2 ** 32 + low;
}

/** The low half, as journals store it. */
export function shortPrint(text: string): string {
  return lowOf(text).toString(16);
}

/** At most five characters, for records of many fields: misses one of 33 million changes. */
export function tinyPrint(text: string): string {
  return (lowOf(text) >>> 7).toString(36);
}

/** Like `fingerprintOf(text).low` in half the time. */
function lowOf(text: string): number {
  let low = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) low = Math.imul(low ^ text.charCodeAt(index), 0x01000193);
  return low >>> 0;
}
