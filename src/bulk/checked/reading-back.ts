import { type CliError, UnknownOutcomeError } from '../../base/errors.ts';
import { CallError } from '../../client/call-error.ts';
import { canonicalUrl, sameUrl } from '../../link/value.ts';
import type { Execution } from '../execution/execution.ts';
import { type Asked, matchAnswer } from '../matching/matching.ts';
import {
  again,
  type BatchAnswer,
  doubtful,
  type KnownRecord,
  shortUrlOf,
  unresolved,
  type Verdict,
} from '../matching/row-verdict.ts';
import { type BatchEvidence, evidenceOf, ownAmong } from './listing-evidence.ts';
import {
  atMost,
  beyond,
  frontSize,
  mayBeWhole,
  newerThan,
  positionIn,
  type Scan,
  scanNewest,
  usualSettle,
} from './newest-links.ts';

/** Reads back one batch in doubt and journals the evidence. Where it is not conclusive, the run stops. */
export async function readBackBatch(batch: number, items: readonly Asked[], run: Execution): Promise<readonly Verdict[]> {
  const { begun, stop } = run;
  run.warn(`no reliable response for ${items.length} rows: checking the listing for created links`);
  try {
    const evidence = await evidenceOf(begun.record.journal, batch);
    const { verdicts, conclusive, reading } = evidence ? await readBack(items, evidence, run) : resultOf(items, undefined, false);
    const found = reading?.fresh.map(({ hash }) => hash) ?? [];
    await begun.journal.write({ type: 'reconcile', batch, conclusive, found, total: reading?.scan.total });
    if (!conclusive) stop.because(inconclusive(items.length));
    return verdicts;
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    stop.because(error.kind === 'unavailable' ? inconclusive(items.length, error) : error);
    // Nothing was read: the next process does it.
    return items.map(() => unresolved);
  }
}

function inconclusive(count: number, cause?: CliError): CliError {
  return new UnknownOutcomeError(`outcome of ${count} rows unknown: the listing does not show whether they were shortened`, {
    hint: 'check these rows with linkctl list --search; the same command resumes with the other rows',
    ...(cause && { details: [cause.message], cause }),
  });
}

const maximalReadings = 5;

/**
 * Finds what a batch in doubt made. New is an unknown hash before the fence of `newerThan`, until two readings
 * agree. All of it must be rows of the batch, by all that the records show, and the count must have grown by as much. A count
 * that is missing or that the rows contradict proves nothing; then the rows alone must prove it:
 *
 * - Rows that were found are done.
 * - The others were not applied, if the listing is up to date and begins with the newest. It is up to date if it shows what the
 *   run was given last. It begins with the newest if new records, or what the run was given last, come before older ones
 *  : what is listed at the head without being known cannot be old.
 * - Where nothing is new and the order is not proven, the whole listing must not hold one record that could be a row's.
 */
async function readBack(items: readonly Asked[], evidence: BatchEvidence, run: Execution) {
  const { settle = usualSettle } = run.plan;
  // The links of earlier processes have long been listed.
  const isUpToDate =
    evidence.latestBatch >= run.begun.state.nextBatch && positionIn(evidence.watermark.known, evidence.latest) >= 0;
  let before: Reading | undefined;
  for (let readings = 0; readings < maximalReadings; readings += 1) {
    const isQuick = readings > 0 && (isUpToDate || (before !== undefined && before.fresh.length > 0));
    await run.system.sleep(isQuick ? settle / 5 : settle, run.signal).catch(() => undefined);
    const reading = await readNewer(items, evidence, run);
    const isSteady = before !== undefined && reading !== undefined && hashesIn(before) === hashesIn(reading);
    before = reading;
    if (!reading || !isSteady) continue;
    const opinion = opinionOf(items, reading, evidence);
    if (opinion === 'conclusive') return resultOf(items, reading, true);
    if (opinion === 'foreign') break;
    if (opinion === 'order unproven') return resultOf(items, reading, await listsNoneOf(items, evidence, run));
  }
  const mayBeBehind = before?.fresh.length === 0 && evidence.latest.length > 0;
  return resultOf(items, before, mayBeBehind && (await listsNoneOf(items, evidence, run)));
}

type Opinion = 'conclusive' | 'foreign' | 'behind' | 'order unproven';

function opinionOf(
  items: readonly Asked[],
  { scan, fresh, ownCount, matching, isWhole }: Reading,
  { watermark, latest, earlier }: BatchEvidence,
): Opinion {
  const { verdicts, surplus } = matching;
  if (surplus.length > 0 || verdicts.some((verdict, position) => !isCertain(verdict, items[position]))) return 'foreign';
  const grown = watermark.total === undefined || scan.total === undefined ? undefined : scan.total - watermark.total;
  if (grown !== undefined && grown !== fresh.length + ownCount) return 'behind';
  if (!verdicts.includes(undefined)) return 'conclusive';
  const latestAt = positionIn(scan.records.keys(), latest);
  if (latest.length > 0 && latestAt < 0) return 'behind';
  const earlierAt = positionIn(scan.records.keys(), earlier);
  const isProven = latest.length > 0 && earlier.length > 0 && (earlierAt < 0 || latestAt < earlierAt);
  return fresh.length > 0 || isWhole || isProven ? 'conclusive' : 'order unproven';
}

/** A record that agrees in its long URL alone, or in its hash alone, may be somebody else's. */
function isCertain(verdict: Verdict | undefined, item: Asked | undefined): boolean {
  if (verdict?.kind !== 'done' || verdict.evidence === 'fields') return true;
  return verdict.evidence === 'hash' && sameUrl(verdict.record?.long_url, item?.long_url);
}

/** A verdict per row; all are doubtful where the evidence is not conclusive. */
function resultOf(items: readonly Asked[], reading: Reading | undefined, conclusive: boolean) {
  const found = reading?.matching.verdicts ?? [];
  const verdicts = items.map((_, position): Verdict => {
    const verdict = found[position];
    if (conclusive) return verdict ?? again;
    const candidate = verdict?.kind === 'done' ? verdict.record : undefined;
    return candidate ? { ...doubtful, candidates: [shortUrlOf(candidate)] } : doubtful;
  });
  return { verdicts, conclusive, reading };
}

function hashesIn({ fresh }: Reading): string {
  return JSON.stringify(fresh.map(({ hash }) => hash).sort());
}

/** One reading of the newest links, matched to the rows of a batch in doubt. */
interface Reading {
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
async function readNewer(items: readonly Asked[], { watermark }: BatchEvidence, run: Execution): Promise<Reading | undefined> {
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
  const scan = await scanNewest(run, { limit, isEnough, mayCall: atMost(maximalCalls), signal: run.signal });
  if (!scan) return undefined;
  const knewAll = (scan.total !== undefined && watermark.total === known.size) || holdsMore(scan.largestPage);
  const isWhole = scan.isWhole && (known.size === 0 || knewAll);
  if (!isWhole && !watermark.known.some((hash) => scan.records.has(hash))) return undefined;
  const newer = isWhole ? [...scan.records.values()].filter(({ hash }) => !known.has(hash)) : newerThan(watermark, scan);
  const own = await ownAmong(run.begun.record.journal, newer);
  const fresh = newer.filter(({ hash }) => !own.has(hash));
  return { scan, fresh, ownCount: own.size, matching: matchAnswer(items, fresh, { inOrder: false }), isWhole };
}

/**
 * True where the whole listing, up to date, holds nothing that these rows could have made, beside what was known and what the run has. If
 * the counts agree, a link like a row is new only if it is listed where the newest are: at the head, or in a listing of the
 * other order at its end. It would take as many deletions by others to hide one elsewhere.
 */
async function listsNoneOf(items: readonly Asked[], { watermark, latest }: BatchEvidence, run: Execution): Promise<boolean> {
  const scan = await scanNewest(run, { limit: 500, isEnough: () => false, mayCall: atMost(maximalCalls), signal: run.signal });
  // A link that is counted and not shown may be one.
  if (!scan?.isWhole || (scan.total ?? 0) > scan.records.size) return false;
  if (latest.length > 0 && positionIn(scan.records.keys(), latest) < 0) return false;
  const listed = [...scan.records.values()];
  const known = new Set(watermark.known);
  const longUrls = new Set(items.map(({ long_url = '' }) => canonicalUrl(long_url)));
  const agrees = scan.total !== undefined && scan.total === watermark.total;
  const candidates = agrees ? [...newerThan(watermark, scan), ...listed.slice(-items.length)] : listed;
  const alike = candidates.filter(({ hash, long_url }) => !known.has(hash) && longUrls.has(canonicalUrl(String(long_url))));
  const own = await ownAmong(run.begun.record.journal, alike);
  return alike.every(({ hash }) => own.has(hash));
}
