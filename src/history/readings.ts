import type { Connection } from '../files/sqlite.ts';

/** A reading covers the account, the listing of one domain, or the links that these words select. */
export interface ReadingScope {
  readonly kind: 'account' | 'domain' | 'selection';
  /** The domain, or the flags that select the links; empty for the account. */
  readonly words: string;
}

export const wholeAccount: ReadingScope = { kind: 'account', words: '' };

export interface Reading {
  /** Numbered from 1 without gaps. */
  readonly nth: number;
  /** The times of the first and the last page, in milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  readonly scope: ReadingScope;
}

/** The oldest first. */
export function readingsOf(connection: Connection): Reading[] {
  return connection
    .sql('SELECT id AS nth, began AS "from", ended AS "to", scope AS kind, words FROM readings ORDER BY id')
    .all<Omit<Reading, 'scope'> & ReadingScope>()
    .map(({ kind, words, ...reading }) => ({ ...reading, scope: { kind, words } }));
}

/** A condition: an earlier reading listed this domain, so a link that no reading has had was made after it. */
export function wasListed(domain: string): string {
  return `EXISTS (SELECT 1 FROM readings WHERE scope = 'account' OR (scope = 'domain' AND words = ${domain}))`;
}
