import type { Edition } from '../../contract/editions.ts';
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

/** Reports why the database cannot be used, without its URL, which may contain a password. */
export class StoreFailure extends Error {
  constructor(cause: unknown) {
    // Each address of a host may fail for its own reason.
    const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
    super(first instanceof Error ? first.message : String(first), { cause });
  }
}

/** The links of a folder cannot be moved into this account. */
export class ImportRefusal extends Error {}

/** Some links of the account are still missing, so it is neither read nor changed. */
export class UnfinishedImport extends Error {
  constructor() {
    super('an import into this account is not finished: wait for it, or run serve with the same --import again');
  }
}

/** This process must end, because it can store nothing any more. */
export class UnusableStore extends Error {}

/** A newer version of linkctl changed the schema while this one was running. */
export class OutdatedProgram extends UnusableStore {
  constructor() {
    super('a newer version of linkctl has changed the store: stop this process and start that version');
  }
}
