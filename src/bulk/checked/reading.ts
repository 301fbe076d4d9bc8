import { canonicalUrl } from '../../link/value.ts';
import { type Asked, matchAnswer } from '../matching/matching.ts';
import type { BatchAnswer, KnownRecord } from '../matching/row-verdict.ts';
import { type BatchEvidence, ownAmong } from './listing-evidence.ts';
import {
  atMost,
  beyond,
  frontSize,
  type ListingSettings,
  mayBeWhole,
  newerThan,
  positionIn,
  type Scan,
  scanNewest,
} from './newest-links.ts';

export interface ReadingSettings extends ListingSettings {
  readonly signal: AbortSignal;
  /** Path of the journal, which knows the run's own hashes. */
  readonly journal: string;
}

/** One reading of the newest links, matched to the rows of a batch in doubt. */
export interface Reading {
  readonly scan: Scan;
  /** Newer than the watermark, and of no row that is settled. */
  readonly fresh: readonly KnownRecord[];
  /** Newer ones that rows of the run have: the listing was behind when the watermark was taken. */
  readonly ownCount: number;
  readonly matching: BatchAnswer;
  /** The watermark holds all links that there were, so that all others are new, wherever they are listed. */
  readonly isWhole: boolean;
}

/** For a listing that is read to its end: 5,000 links, 30 a page. */
const maximalCalls = 200;

/** Undefined where the listing shows neither the watermark nor its own end. */
export async function readNewer(
  items: readonly Asked[],
  { watermark }: BatchEvidence,
  settings: ReadingSettings,
): Promise<Reading | undefined> {
  const known = new Set(watermark.known);
  // A page that holds more than the watermark shows that its own page was not cut short: it knew all links that there were.
  const holdsMore = (largestPage: number): boolean => known.size < frontSize && largestPage > known.size;
  const isPast = beyond(watermark);
  const isEnough = (read: Scan): boolean => {
    const mayHaveKnownAll = watermark.total === known.size || holdsMore(read.largestPage);
    if (!isPast(read) || mayBeWhole(read)) return false;
    return !mayHaveKnownAll || read.records.size > known.size + items.length + frontSize;
  };
  const limit = Math.max(frontSize, items.length);
  const scan = await scanNewest(settings, { limit, isEnough, mayCall: atMost(maximalCalls), signal: settings.signal });
  if (!scan) return undefined;
  const knewAll = (scan.total !== undefined && watermark.total === known.size) || holdsMore(scan.largestPage);
  const isWhole = scan.isWhole && (known.size === 0 || knewAll);
  if (!isWhole && !watermark.known.some((hash) => scan.records.has(hash))) return undefined;
  const newer = isWhole ? [...scan.records.values()].filter(({ hash }) => !known.has(hash)) : newerThan(watermark, scan);
  const own = await ownAmong(settings.journal, newer);
  const fresh = newer.filter(({ hash }) => !own.has(hash));
  return { scan, fresh, ownCount: own.size, matching: matchAnswer(items, fresh, { inOrder: false }), isWhole };
}

/**
 * True where the whole listing, up to date, holds nothing that these rows could have made, beside what was known and what the run has. If
 * the counts agree, a link like a row is new only if it is listed where the newest are: at the head, or in a listing of the
 * other order at its end. It would take as many deletions by others to hide one elsewhere.
 */
export async function listsNoneOf(
  items: readonly Asked[],
  { watermark, latest }: BatchEvidence,
  settings: ReadingSettings,
): Promise<boolean> {
  const { journal, signal } = settings;
  const scan = await scanNewest(settings, { limit: 500, isEnough: () => false, mayCall: atMost(maximalCalls), signal });
  // A link that is counted and not shown may be one.
  if (!scan?.isWhole || (scan.total ?? 0) > scan.records.size) return false;
  if (latest.length > 0 && positionIn(scan.records.keys(), latest) < 0) return false;
  const listed = [...scan.records.values()];
  const known = new Set(watermark.known);
  const longUrls = new Set(items.map(({ long_url = '' }) => canonicalUrl(long_url)));
  const agrees = scan.total !== undefined && scan.total === watermark.total;
  const candidates = agrees ? [...newerThan(watermark, scan), ...listed.slice(-items.length)] : listed;
  const alike = candidates.filter(({ hash, long_url }) => !known.has(hash) && longUrls.has(canonicalUrl(String(long_url))));
  const own = await ownAmong(journal, alike);
  return alike.every(({ hash }) => own.has(hash));
}
