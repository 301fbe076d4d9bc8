import { fields } from '../../contract/fields.ts';
import { foldedHash } from '../../contract/link.ts';
import type { ShortenItem } from '../../contract/operations.ts';

/** Numbers that are tried, from 2 on. */
const lastNumber = 9;

/** Hashes for a row whose own is taken: `sale-2`, `sale-3`, … cut to the length that a hash may have. */
export function numberedHashes(hash: string): string[] {
  return Array.from({ length: lastNumber - 1 }, (_, nth) => {
    const number = `-${nth + 2}`;
    return hash.slice(0, fields.custom_hash.length.max - number.length) + number;
  });
}

export function isNumbered(hash: string): boolean {
  return /-[2-9]$/.test(hash);
}

/** The hash that a row asked for, where its link got that with a number. */
export function hashBefore({ custom_hash }: Pick<ShortenItem, 'custom_hash'>, hash: string | undefined): string | undefined {
  if (custom_hash === undefined || hash === undefined || !isNumbered(hash) || foldedHash(custom_hash) === foldedHash(hash))
    return undefined;
  return numberedHashes(custom_hash).includes(hash) ? custom_hash : undefined;
}

/** The row as its link was made. */
export function asNamed(item: ShortenItem, { hash }: { readonly hash: string }): ShortenItem {
  return hashBefore(item, hash) === undefined ? item : { ...item, custom_hash: hash };
}
