import { hash } from 'node:crypto';

/** Returns 16 hex digits of the SHA-256. */
export function checksum(text: string): string {
  return hash('sha256', text).slice(0, 16);
}
