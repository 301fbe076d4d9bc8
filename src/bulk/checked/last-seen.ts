import { CallError, refusesRun } from '../../client/call-error.ts';
import { type ReadSettings, urlsByHash } from '../../client/named-urls.ts';
import type { LinkKey } from '../../contract/link.ts';
import type { KnownRecord } from '../matching/verdict.ts';

export interface LastSeenSettings extends Omit<ReadSettings, 'signal'> {
  /** Whether one call more may be made; absent where links are not read before they are changed. */
  readonly mayRead?: (() => boolean) | undefined;
}

/**
 * Links of one domain as they are right before they are changed, by hash. What cannot be read is changed all the same: undefined.
 * Throws the `CallError` that every further call would meet, too.
 */
export async function lastSeen(
  rows: readonly LinkKey[],
  { mayRead, ...settings }: LastSeenSettings,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, KnownRecord> | undefined> {
  if (!mayRead?.()) return undefined;
  try {
    return await urlsByHash(
      rows.map(({ hash }) => hash),
      { ...settings, signal },
    );
  } catch (error) {
    if (!(error instanceof CallError) || refusesRun(error)) throw error;
    return undefined;
  }
}
