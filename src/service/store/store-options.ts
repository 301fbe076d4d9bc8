import type { Edition } from '../../contract/editions.ts';
import { dayLength } from './click-days.ts';
import type { DomainSettings } from './store.ts';

export interface StoreOptions {
  /** Each edition has its own links. */
  readonly edition: Edition;
  readonly username: string;
  /** The first is the default. If empty: the stored ones, or `localhost`. */
  readonly domains: readonly DomainSettings[];
  readonly now: () => number;
  readonly random: (size: number) => Uint8Array;
}

/** Salts the visitor hashes of a new account. */
export function newSalt(random: StoreOptions['random']): string {
  return Buffer.from(random(16)).toString('hex');
}

/** Older entries of the account log are deleted (section 8). */
export const logRetention = 30 * dayLength;
