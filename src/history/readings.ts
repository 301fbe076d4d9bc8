import type { Connection } from '../files/sqlite.ts';

/** A reading covers the account, the listing of one domain, or the links that these words select. */
export type ReadingScope = { readonly domain: string } | { readonly selection: string } | 'account';

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
    .sql('SELECT id, began, ended, scope, words FROM readings ORDER BY id')
    .all<{ id: number; began: number; ended: number; scope: 'account' | 'domain' | 'selection'; words: string }>()
    .map(({ id, began, ended, scope, words }) => ({ nth: id, from: began, to: ended, scope: scopeOf(scope, words) }));
}

function scopeOf(scope: 'account' | 'domain' | 'selection', words: string): ReadingScope {
  if (scope === 'account') return scope;
  return scope === 'domain' ? { domain: words } : { selection: words };
}

/** Values of the columns `scope` and `words`. */
export function scopeColumns(scope: ReadingScope): [scope: string, words: string] {
  if (scope === 'account') return [scope, ''];
  return 'domain' in scope ? ['domain', scope.domain] : ['selection', scope.selection];
}

export function isSelection(scope: ReadingScope): boolean {
  return scope !== 'account' && 'selection' in scope;
}
