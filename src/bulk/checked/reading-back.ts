import type { System } from '../../base/system.ts';
import { foldedHash } from '../../contract/link.ts';
import type { ShortenItem } from '../../contract/operations.ts';
import { canonicalUrl } from '../matching/canonical-url.ts';
import { matchAnswer } from '../matching/matching.ts';
import { again, type BatchAnswer, doubtful, type KnownRecord, type Verdict } from '../matching/verdict.ts';
import { shortUrlOf } from '../operations/short-url.ts';
import { type BatchEvidence, ownAmong } from './listing-evidence.ts';
import { atMost, frontSize, type ListingSettings, type Scan, scanNewest } from './newest-links.ts';
import { beyond, mayBeWhole, newerThan } from './watermark.ts';

export interface ReadBackSettings extends ListingSettings {
  readonly system: Pick<System, 'sleep'>;
  /** Milliseconds to wait for a request that is still under way at the server, and for a listing that is behind. */
  readonly settle: number;
  readonly signal: AbortSignal;
  /** Where the run's own hashes stand. */
  readonly journal: string;
  /** The first batch of this process: what earlier ones made was long visible. */
  readonly firstBatch: number;
}

export interface ReadBack {
  /** One per row; all doubtful where the evidence is not conclusive. */
  readonly verdicts: readonly Verdict[];
  readonly conclusive: boolean;
  /** Hashes that are newer than the watermark and not known to be a row's. */
  readonly found: readonly string[];
  readonly total?: number | undefined;
}

const maximalScans = 5;

/** For a listing that is read to its end: 5,000 links, 30 a page. */
const maximalCalls = 200;

/**
 * What a batch in doubt made (RELIABILITY.md 1.6). New is an unknown hash before the fence of `newerThan`, until two readings
 * agree. All of it must be rows of the batch, by all that the records show, and the count must have grown by as much. A count
 * that is missing or that the rows contradict proves nothing; the rows alone must do then. They can:
 *
 * - Rows that were found are done.
 * - The others were not applied, if the listing is up to date and begins with the newest. It is up to date if it shows what the
 *   run was given last (D8). It begins with the newest if new records, or what the run was given last, come before older ones
 *   (D10): what is listed at the head without being known cannot be old.
 * - Where nothing is new and the order is not proven, the whole listing must not hold one record that could be a row's.
 */
export async function readBack(
  items: readonly ShortenItem[],
  evidence: BatchEvidence,
  settings: ReadBackSettings,
): Promise<ReadBack> {
  let before: View | undefined;
  for (let scans = 0; scans < maximalScans; scans += 1) {
    await pause(scans === 0 || !isKnownFresh(before, evidence, settings) ? settings.settle : settings.settle / 5, settings);
    const view = await look(items, evidence, settings);
    const isSteady = before !== undefined && view !== undefined && haveSame(before.fresh, view.fresh);
    before = view;
    if (!view || !isSteady) continue;
    const opinion = judge(items, view, evidence);
    if (opinion === 'conclusive') return readBackOf(items, view, true);
    if (opinion === 'foreign') break;
    if (opinion === 'order unproven') return readBackOf(items, view, await isNowhere(items, evidence, settings));
  }
  const mayBeBehind = before?.fresh.length === 0 && evidence.latest.length > 0;
  return readBackOf(items, before, mayBeBehind && (await isNowhere(items, evidence, settings)));
}

async function pause(milliseconds: number, { system, signal }: ReadBackSettings): Promise<void> {
  await system.sleep(milliseconds, signal).catch(() => undefined);
}

/** One reading, joined to the rows. */
interface View {
  readonly scan: Scan;
  /** Newer than the watermark, and of no row that is settled. */
  readonly fresh: readonly KnownRecord[];
  /** How many newer ones rows of the run have: their own listing was behind when the watermark was taken. */
  readonly ownCount: number;
  readonly matching: BatchAnswer;
  /** The watermark holds all that there was, so that all else is new, wherever it stands. */
  readonly isWhole: boolean;
}

async function look(
  items: readonly ShortenItem[],
  evidence: BatchEvidence,
  settings: ReadBackSettings,
): Promise<View | undefined> {
  const { watermark } = evidence;
  const limit = Math.max(frontSize, items.length);
  const known = new Set(watermark.known);
  // A page that holds more than the watermark shows that its own page was not cut short: it knew all links that there were.
  const holdsMore = (largestPage: number): boolean => known.size < frontSize && largestPage > known.size;
  const isPast = beyond(watermark);
  const isEnough = (scan: Scan): boolean => {
    const mayHaveKnownAll = watermark.total === known.size || holdsMore(scan.largestPage);
    if (!isPast(scan) || mayBeWhole(scan)) return false;
    return !mayHaveKnownAll || scan.records.size > known.size + items.length + frontSize;
  };
  const scan = await scanNewest(settings, { limit, isEnough, mayCall: atMost(maximalCalls), signal: settings.signal });
  if (!scan) return undefined;
  const knewAll = (scan.total !== undefined && watermark.total === known.size) || holdsMore(scan.largestPage);
  const isWhole = scan.isWhole && (known.size === 0 || knewAll);
  if (!isWhole && !watermark.known.some((hash) => scan.records.has(hash))) return undefined;
  const newer = isWhole ? [...scan.records.values()].filter(({ hash }) => !known.has(hash)) : newerThan(watermark, scan);
  const own = await ownAmong(settings.journal, newer);
  const fresh = newer.filter(({ hash }) => !own.has(hash));
  const matching = matchAnswer(items, fresh, { inOrder: false });
  return { scan, fresh, ownCount: own.size, matching, isWhole };
}

type Opinion = 'conclusive' | 'foreign' | 'behind' | 'order unproven';

function judge(
  items: readonly ShortenItem[],
  { scan, fresh, ownCount, matching, isWhole }: View,
  { watermark, latest, earlier }: BatchEvidence,
): Opinion {
  const { verdicts, surplus } = matching;
  if (surplus.length > 0 || verdicts.some((verdict, position) => !isSound(verdict, items[position]))) return 'foreign';
  const grown = watermark.total === undefined || scan.total === undefined ? undefined : scan.total - watermark.total;
  if (grown !== undefined && grown !== fresh.length + ownCount) return 'behind';
  if (!verdicts.includes(undefined)) return 'conclusive';
  const hashes = [...scan.records.keys()];
  const latestAt = positionOf(latest, hashes);
  if (latest.length > 0 && latestAt < 0) return 'behind';
  const earlierAt = positionOf(earlier, hashes);
  const isProven = latest.length > 0 && earlier.length > 0 && (earlierAt < 0 || latestAt < earlierAt);
  return fresh.length > 0 || isWhole || isProven ? 'conclusive' : 'order unproven';
}

/** What agrees in its long URL alone, or in its hash alone, may be somebody else's. */
function isSound(verdict: Verdict | undefined, item: ShortenItem | undefined): boolean {
  if (verdict?.kind !== 'done') return true;
  const isSameUrl = canonicalUrl(String(verdict.record?.long_url)) === canonicalUrl(item?.long_url ?? '');
  return verdict.evidence === 'fields' || (verdict.evidence === 'hash' && isSameUrl);
}

/** Where the first of these hashes stands, in any case. */
function positionOf(hashes: readonly string[], listed: readonly string[]): number {
  const wanted = new Set(hashes.map(foldedHash));
  return listed.findIndex((hash) => wanted.has(foldedHash(hash)));
}

/** Whether the listing showed at once what was made last before the batch, or shows what the batch made. */
function isKnownFresh(
  view: View | undefined,
  { watermark, latest, latestBatch }: BatchEvidence,
  { firstBatch }: ReadBackSettings,
): boolean {
  const wasShown = latestBatch >= firstBatch && positionOf(latest, watermark.known) >= 0;
  return wasShown || (view !== undefined && view.fresh.length > 0);
}

/**
 * Whether the whole listing, up to date, holds nothing beside what was known and what the run has that these rows could have made.
 * Where the counts agree, a link like a row is new only if it stands where the newest stand, at the head, or in a listing of the
 * other order at its end. It would take as many deletions by others to hide one elsewhere.
 */
async function isNowhere(
  items: readonly ShortenItem[],
  { watermark, latest }: BatchEvidence,
  settings: ReadBackSettings,
): Promise<boolean> {
  const scan = await scanNewest(settings, {
    limit: 500,
    isEnough: () => false,
    mayCall: atMost(maximalCalls),
    signal: settings.signal,
  });
  // What is counted and not shown may be one (F44).
  if (!scan?.isWhole || (scan.total ?? 0) > scan.records.size) return false;
  const listed = [...scan.records.values()];
  if (latest.length > 0 && positionOf(latest, [...scan.records.keys()]) < 0) return false;
  const known = new Set(watermark.known);
  const longUrls = new Set(items.map(({ long_url }) => canonicalUrl(long_url)));
  const agrees = scan.total !== undefined && scan.total === watermark.total;
  const candidates = agrees ? [...newerThan(watermark, scan), ...listed.slice(-items.length)] : listed;
  const alike = candidates.filter(({ hash, long_url }) => !known.has(hash) && longUrls.has(canonicalUrl(String(long_url))));
  const own = await ownAmong(settings.journal, alike);
  return alike.every(({ hash }) => own.has(hash));
}

function readBackOf(items: readonly ShortenItem[], view: View | undefined, conclusive: boolean): ReadBack {
  const found = view?.matching.verdicts ?? [];
  return {
    verdicts: items.map((_, position) => (conclusive ? (found[position] ?? again) : withCandidate(found[position]))),
    conclusive,
    found: view?.fresh.map(({ hash }) => hash) ?? [],
    total: view?.scan.total,
  };
}

function withCandidate(verdict: Verdict | undefined): Verdict {
  if (verdict?.kind !== 'done' || !verdict.record) return doubtful;
  return { ...doubtful, candidates: [shortUrlOf(verdict.record)] };
}

function haveSame(some: readonly KnownRecord[], others: readonly KnownRecord[]): boolean {
  const hashes = new Set(some.map(({ hash }) => hash));
  return some.length === others.length && others.every(({ hash }) => hashes.has(hash));
}
