import type { Edition } from '../../contract/editions.ts';
import type { DomainSettings } from './store.ts';

/** What every engine needs to open the store of one account. */
export interface StoreOptions {
  /** Editions are apart, so that neither sees the other's links. */
  readonly edition: Edition;
  readonly username: string;
  /** The first is the default one. Without any, the stored ones, or `localhost`. */
  readonly domains: readonly DomainSettings[];
  readonly now: () => number;
  readonly random: (size: number) => Uint8Array;
}

/** The salt of a new account's visitors. */
export function newSalt(random: StoreOptions['random']): string {
  return Buffer.from(random(16)).toString('hex');
}
