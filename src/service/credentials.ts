import { hash, timingSafeEqual } from 'node:crypto';
import { Refusal } from './refusal.ts';

export interface Credentials {
  readonly username: string;
  readonly apiKey: string;
}

/** Checks an `Authorization` header (section 5). A wrong name and a wrong key take the same time. */
export function authenticate(authorization: string | undefined, expected: Credentials): void {
  const given = readBasic(authorization);
  const nameMatches = isSame(given.username, expected.username);
  const keyMatches = isSame(given.apiKey, expected.apiKey);
  if (!nameMatches) throw new Refusal(1102);
  if (!keyMatches) throw new Refusal(1300);
}

function readBasic(authorization: string | undefined): Credentials {
  const encoded = /^basic +([A-Za-z0-9+/_=-]+) *$/i.exec(authorization ?? '')?.[1] ?? '';
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  return colon < 0 ? { username: '', apiKey: '' } : { username: text.slice(0, colon), apiKey: text.slice(colon + 1) };
}

/** Digests first: timingSafeEqual throws on different lengths. */
function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'));
}
