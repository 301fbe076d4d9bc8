import { createHash } from 'node:crypto';

/** The first 16 hex digits of the SHA-256 of a text. */
export function checksum(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
