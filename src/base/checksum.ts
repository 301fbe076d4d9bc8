import { createHash } from 'node:crypto';

/** Returns 16 hex digits of the SHA-256. */
export function checksum(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
