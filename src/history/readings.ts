import type { Connection } from '../files/sqlite.ts';

/** What a reading covers: everything, the listing of one domain, or what these words select. */
export type ReadingScope = { readonly domain: string } | { readonly selection: string } | 'account';

/** A reading of a history. */
export interface Reading {
  /** Readings are numbered from 1, without a gap. */
  readonly nth: number;
  /** When the first and the last page were asked for and read, in milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  readonly scope: ReadingScope;
}

/** All of them, the oldest first. */
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

/** The columns `scope` and `words`. */
export function scopeColumns(scope: ReadingScope): [scope: string, words: string] {
  if (scope === 'account') return [scope, ''];
  return 'domain' in scope ? ['domain', scope.domain] : ['selection', scope.selection];
}

export function isSelection(scope: ReadingScope): boolean {
  return scope !== 'account' && 'selection' in scope;
}
