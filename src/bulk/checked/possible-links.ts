import { CallError } from '../../client/call-error.ts';
import type { KnownRecord } from '../../contract/records.ts';
import { sameUrl } from '../../link/value.ts';
import type { Execution } from '../execution/execution.ts';
import type { SentItem } from '../matching/matching.ts';
import { doubtful, shortUrlOf, type Verdict } from '../matching/row-verdict.ts';
import { frontSize, type Scan, scanNewest, usualSettle } from './newest-links.ts';

/**
 * Lists links that typed URLs may have become after a lost answer. Without a watermark no record is proof, because an older link looks the
 * same; a missing record is no proof either, because the listing may be stale. Nothing is sent again: the newest links are read twice, with
 * a wait, and those with a requested destination are named.
 */
export async function findPossibleLinks(
  items: readonly SentItem[],
  { client, domain, system, signal, warn, plan: { settle = usualSettle } }: Execution,
): Promise<readonly Verdict[]> {
  // After a signal or the end of the time, nothing can be listed.
  if (signal?.aborted) return items.map(() => doubtful);
  const seconds = (settle * 1.2) / 1000;
  warn(`no reliable response: checking the newest links for ${seconds} s`);
  const found = new Map<string, KnownRecord>();
  try {
    for (const wait of [settle, settle / 5]) {
      await system.sleep(wait, signal).catch(() => undefined);
      const isEnough = ({ records }: Scan): boolean => records.size >= frontSize;
      const scan = await scanNewest({ client, domain }, { limit: frontSize, isEnough, signal });
      for (const record of scan?.records.values() ?? []) found.set(record.hash, record);
    }
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    warn(`could not list the newest links: ${error.message}`);
  }
  const verdicts = items.map(({ long_url }): Verdict => {
    const candidates = [...found.values()].filter((record) => sameUrl(record.long_url, long_url)).map(shortUrlOf);
    return candidates.length === 0 ? doubtful : { ...doubtful, candidates };
  });
  const missing = items.filter((_, position) => verdicts[position] === doubtful);
  const where = missing.length === 1 ? `to ${missing[0]?.long_url}` : `to ${missing.length} of the long URLs`;
  if (missing.length > 0 && found.size > 0) warn(`none of the newest ${found.size} links leads ${where}`);
  return verdicts;
}
