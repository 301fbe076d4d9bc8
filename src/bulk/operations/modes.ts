import { UsageError } from '../../base/errors.ts';
import { type Edition, editions, thisServer } from '../../contract/editions.ts';

/** The method by which a shortening run avoids duplicate links. */
export type ModeName = 'keyed' | 'dedupe' | 'checked';

export interface Mode {
  readonly name: ModeName;
  /** Value of `disable_long_url_duplicates`; not sent in checked mode. */
  readonly duplicates?: string | undefined;
  readonly generateHashes: boolean;
  /** Some rows give a custom hash, which an existing link with the same values may have. */
  readonly hasOwnHashes?: boolean;
}

export type DedupeScope = 'off' | 'account' | 'domain';

export interface ModeRequest {
  readonly edition: Edition;
  readonly rows: number;
  readonly keyedRows: number;
  readonly dedupe: DedupeScope;
  readonly generateHashes: boolean;
}

/** Throws `UsageError` if flags exclude each other or the edition does not support them. */
export function chooseMode({ edition, rows, keyedRows, dedupe, generateHashes }: ModeRequest): Mode {
  const { dedupe: values } = editions[edition];
  if (dedupe !== 'off' && generateHashes) {
    throw new UsageError('--generate-hashes requires --dedupe off: custom hashes disable the search for duplicates');
  }
  if (dedupe === 'domain' && values.domain === undefined) {
    throw new UsageError(`dedupe domain: ${thisServer(edition)} has one domain; use --dedupe account`);
  }
  // A custom hash is an idempotency key under any value (4.3.4): the given one, or the narrowest.
  if (generateHashes || (rows > 0 && keyedRows === rows)) {
    const said = dedupe === 'off' ? undefined : values[dedupe];
    const duplicates = said ?? values.domain ?? values.account;
    return { name: 'keyed', duplicates, generateHashes, hasOwnHashes: keyedRows > 0 };
  }
  if (dedupe === 'off') return { name: 'checked', generateHashes: false };
  return { name: 'dedupe', duplicates: values[dedupe], generateHashes: false };
}

/** For `-v`, the JSON summary and help. */
export const guarantees: { readonly [M in ModeName]: string } = {
  keyed:
    'safe to resume: every row has its own hash, so no row is made twice; created may include links that existed as requested',
  dedupe: 'at most one new link per long URL; existing means not proven new',
  checked: 'each row is confirmed by reading the account back; rows that cannot be confirmed are unknown',
};

export const conflictPolicies = ['fail', 'skip', 'update', 'rename'] as const;

export type ConflictPolicy = (typeof conflictPolicies)[number];
