import { UnavailableError } from '../../base/errors.ts';
import type { System } from '../../base/system.ts';
import { foldedKey } from '../matching/row-keys.ts';
import type { KnownRecord } from '../matching/verdict.ts';
import { shortUrlOf } from '../operations/short-url.ts';
import type { RunInput } from '../run-plan.ts';
import { ownAmong, type Resent, resentRows } from './listing-evidence.ts';
import { type ListingSettings, type Scan, scanNewest } from './newest-links.ts';
import { beyond, mayBeWhole, newerThan } from './watermark.ts';

export interface AuditSettings extends ListingSettings {
  readonly journal: string;
  readonly system: Pick<System, 'sleep'>;
  /** Milliseconds for a request that is late, and for a listing that is behind. */
  readonly settle: number;
  readonly signal: AbortSignal;
  /** The rows of the run, and what is sent for one. */
  readonly input: Pick<RunInput, 'rows' | 'open'>;
  payload(item: object): object;
}

const pageSize = 500;
const maximalScans = 4;

/**
 * Links that look as if a batch in doubt had made them after all, late, and that no row has (1.2, F07). All that it needs stands in
 * the journal, so that any process can do it (D7). Nothing is deleted: they may be somebody else's. Throws `CliError` where the
 * listing cannot be read, or does not show what the run was given last.
 */
export async function findSurplus(settings: AuditSettings): Promise<string[]> {
  const resent = await resentRows(settings.journal);
  if (!resent) return [];
  const wanted = await keysOf(resent.rows, settings);
  const newer = await newerRecords(resent, settings);
  const alike = newer.filter((record) => wanted.has(foldedKey(record)));
  const own = await ownAmong(settings.journal, alike);
  return alike.filter(({ hash }) => !own.has(hash)).map(shortUrlOf);
}

async function keysOf(indexes: ReadonlySet<number>, { input, payload }: AuditSettings): Promise<Set<string>> {
  const keys = new Set<string>();
  let index = 0;
  for await (const rows of input.open()) {
    for (const { item } of rows) {
      if (indexes.has(index)) keys.add(foldedKey(payload(item)));
      index += 1;
    }
  }
  return keys;
}

/** What was made since the first doubt: the listing must be up to date, so it is read until it shows what the run was given last. */
async function newerRecords({ watermark, latest }: Resent, settings: AuditSettings): Promise<KnownRecord[]> {
  const { system, settle, signal, input } = settings;
  const known = new Set(watermark.known);
  const isOld = latest.length === 0 || latest.some((hash) => known.has(hash));
  const atHead = (scan: Scan): boolean => isOld || newerThan(watermark, scan).some(({ hash }) => latest.includes(hash));
  for (let scans = 0; scans < maximalScans; scans += 1) {
    await system.sleep(settle, signal).catch(() => undefined);
    const isPast = beyond(watermark);
    const isEnough = (scan: Scan): boolean =>
      ((isPast(scan) && atHead(scan)) || scan.records.size > 2 * input.rows + 10 * pageSize) && !mayBeWhole(scan);
    const scan = await scanNewest(settings, { limit: pageSize, isEnough, signal });
    if (scan && atHead(scan)) return newerThan(watermark, scan);
    // In a listing of another order, what was made since can stand anywhere.
    if (scan?.isWhole && latest.some((hash) => scan.records.has(hash))) {
      return [...scan.records.values()].filter(({ hash }) => !known.has(hash));
    }
  }
  throw new UnavailableError('the listing does not show the links that were made last');
}
