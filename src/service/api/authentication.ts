import { hash, timingSafeEqual } from 'node:crypto';
import { header, type ServiceRequest } from '../message.ts';
import { Refusal } from './refusal.ts';

export interface Credentials {
  readonly username: string;
  /** All keys are valid: while a key is replaced, some clients still use the old one. */
  apiKeys: readonly string[];
}

interface Given {
  readonly username: string;
  readonly apiKey: string;
}

/** Authenticates a request (section 5) in constant time. Basic takes precedence over the two headers, even if it is wrong. */
export function authenticate(request: ServiceRequest, expected: Credentials): void {
  const given = readBasic(header(request, 'authorization') ?? '') ?? readHeaders(request);
  const nameMatches = isSame(given.username, expected.username);
  const keyMatches = expected.apiKeys.map((key) => isSame(given.apiKey, key)).includes(true);
  if (!nameMatches) throw new Refusal(1102);
  if (!keyMatches) throw new Refusal(1300);
}

/** Undefined for other schemes. */
function readBasic(authorization: string): Given | undefined {
  const [, encoded] = /^basic\b *(.*)$/i.exec(authorization) ?? [];
  if (encoded === undefined) return undefined;
  const text = /^[A-Za-z0-9+/_=-]+ *$/.test(encoded) ? Buffer.from(encoded, 'base64').toString() : '';
  const colon = text.indexOf(':');
  return colon < 0 ? { username: '', apiKey: '' } : { username: text.slice(0, colon), apiKey: text.slice(colon + 1) };
}

/** API.md lacks this second way to authenticate, which public deployments accept. */
function readHeaders(request: ServiceRequest): Given {
  const utf8 = (name: string): string => Buffer.from(header(request, name) ?? '', 'latin1').toString();
  return { username: utf8('x-tinycc-user'), apiKey: utf8('x-tinycc-key') };
}

/** Compares digests because timingSafeEqual throws for different lengths. */
function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'));
}
