/** FNV-1a, 32 bits, as text: enough to see that one text became another. Not against people who mean harm. */
export function shortPrint(text: string): string {
  let sum = 0x811c9dc5;
  for (let position = 0; position < text.length; position += 1) sum = Math.imul(sum ^ text.charCodeAt(position), 0x01000193);
  return (sum >>> 0).toString(16);
}
