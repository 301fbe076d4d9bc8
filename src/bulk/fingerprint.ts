/** Two FNV-1a sums side by side, 53 bits of them: 1 to 2^53. For telling texts apart, not against people who mean harm. */
export function fingerprint(text: string): number {
  let low = 0x811c9dc5;
  let high = 0x9747b28c;
  for (let position = 0; position < text.length; position += 1) {
    const code = text.charCodeAt(position);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x85ebca6b);
  }
  return (low >>> 0) * 2 ** 21 + (high >>> 11) + 1;
}

/** The first of the two sums, as text: enough to see that one text became another. */
export function shortPrint(text: string): string {
  let sum = 0x811c9dc5;
  for (let position = 0; position < text.length; position += 1) sum = Math.imul(sum ^ text.charCodeAt(position), 0x01000193);
  return (sum >>> 0).toString(16);
}
