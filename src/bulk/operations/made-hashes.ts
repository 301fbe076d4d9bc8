import type { System } from '../../base/system.ts';
import { fields } from '../../contract/fields.ts';
import { foldedHash } from '../../contract/link.ts';
import type { ShortenItem } from '../../contract/operations.ts';
import { randomHashes } from '../../contract/random-hashes.ts';
import type { Mode } from './modes.ts';

/** Lower case without the ambiguous 0, o, 1, i and l. A hash of 12 of these 31 symbols has 59 bits. */
const alphabet = '23456789abcdefghjkmnpqrstuvwxyz';

const length = 12;

/** Adds a custom hash to payloads without one: `kept`, which was sent before, or a new one. */
export function hashAssigner(
  { generateHashes }: Pick<Mode, 'generateHashes'>,
  { randomBytes }: Pick<System, 'randomBytes'>,
): <Payload extends object>(payload: Payload, kept?: string) => Payload {
  const generateHash = randomHashes(alphabet, length, randomBytes);
  return (payload, kept) => {
    const { custom_hash }: Partial<ShortenItem> = payload;
    return generateHashes && custom_hash === undefined ? { ...payload, custom_hash: kept ?? generateHash() } : payload;
  };
}

const lastNumber = 9;

/** Returns alternatives to a taken hash: `sale-2` to `sale-9`, cut to the maximum length of a hash. */
export function numberedHashes(hash: string): string[] {
  return Array.from({ length: lastNumber - 1 }, (_, nth) => {
    const number = `-${nth + 2}`;
    return hash.slice(0, fields.custom_hash.length.max - number.length) + number;
  });
}

export function isNumbered(hash: string): boolean {
  return /-[2-9]$/.test(hash);
}

/** Returns the requested hash if the link has it with a number. */
export function requestedHash({ custom_hash }: Pick<ShortenItem, 'custom_hash'>, hash: string | undefined): string | undefined {
  if (custom_hash === undefined || hash === undefined || !isNumbered(hash) || foldedHash(custom_hash) === foldedHash(hash))
    return undefined;
  return numberedHashes(custom_hash).includes(hash) ? custom_hash : undefined;
}

export function withNumberedHash(item: ShortenItem, { hash }: { readonly hash: string }): ShortenItem {
  return requestedHash(item, hash) === undefined ? item : { ...item, custom_hash: hash };
}
