import { type CliError, UnknownOutcomeError } from '../../base/errors.ts';
import { CallError } from '../../client/call-error.ts';
import { destinationsCommand } from '../../client/link-commands.ts';
import type { KnownRecord } from '../../contract/records.ts';
import { sameUrl } from '../../link/value.ts';
import { type Execution, pause } from '../execution/execution.ts';
import { matchAnswer, type SentItem } from '../matching/matching.ts';
import { again, type BatchAnswer, doubtful, shortUrlOf, unresolved, type Verdict } from '../matching/row-verdict.ts';
import { isInterrupted, listsNoneOf, pagesOf } from './absent-links.ts';
import { type BatchEvidence, evidenceOf, ownAmong } from './listing-evidence.ts';
import {
  frontSize,
  mayBeWhole,
  newerThan,
  pastWatermark,
  positionIn,
  type Scan,
  scanNewest,
  usualSettle,
  waitedSince,
} from './newest-links.ts';

/** Reads back a batch in doubt and journals the evidence. Stops the run if it is not conclusive, unless a signal ended the reading. */
export async function readBackBatch(batch: number, items: readonly SentItem[], run: Execution): Promise<readonly Verdict[]> {
  const { begun, stop } = run;
  // If nothing is decided, the next process reads.
  const undecided = items.map(() => unresolved);
  if (isInterrupted(run)) return undecided;
  run.warn(`no reliable response for ${items.length} rows: checking the listing for created links`);
  try {
    const evidence = await evidenceOf(begun.record.journal, batch);
    const { verdicts, conclusive, reading } = evidence ? await readBack(items, evidence, run) : resultOf(items, undefined, false);
    if (!conclusive && isInterrupted(run)) return undecided;
    const found = reading?.fresh.map(({ hash }) => hash) ?? [];
    await begun.journal.write({ type: 'reconcile', batch, conclusive, found, total: reading?.scan.total });
    if (!conclusive) stop.because(inconclusive(items, run));
    return verdicts;
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    stop.because(error.kind === 'unavailable' ? inconclusive(items, run, error) : error);
    return undecided;
  }
}

function inconclusive(items: readonly SentItem[], { domain }: Execution, cause?: CliError): CliError {
  const why = cause ? 'could not be read' : 'does not show whether they were shortened';
  return new UnknownOutcomeError(`outcome of ${items.length} rows unknown: the listing ${why}`, {
    hint: `check these rows with: ${destinationsCommand(items, domain)}`,
    ...(cause && { details: [cause.message], cause }),
  });
}

const maximalReadings = 5;

/**
 * Finds the links that a batch in doubt created. Two readings in a row must find the same new links (`newerThan`). All of them must match
 * rows of the batch in every field that the records show, and the total must have grown by their number. A total that is missing, or below
 * the number of records read, is ignored. Then:
 *
 * - Rows that were found are done.
 * - The others were not applied if the listing is current and has the newest first. It is current if it shows the run's latest links. It
 *   has the newest first if there are new links, because an unknown link at the head cannot be old, or if the run's latest links come
 *   before older ones.
 * - If there are no new links and the order is not proven, the whole listing must have no record that could belong to a row.
 */
async function readBack(items: readonly SentItem[], evidence: BatchEvidence, run: Execution) {
  const { settle = usualSettle } = run.plan;
  // Links of earlier processes do not count here, because even a slow listing shows them by now.
  const isUpToDate =
    evidence.latestBatch >= run.begun.state.nextBatch && positionIn(evidence.watermark.known, evidence.latest) >= 0;
  let waited = waitedSince(evidence.endedAt, run.system);
  let before: Reading | undefined;
  for (let readings = 0; readings < maximalReadings; readings += 1) {
    const isQuick = readings > 0 && (isUpToDate || (before !== undefined && before.fresh.length > 0));
    const wait = isQuick ? settle / 5 : settle;
    await pause(Math.max(wait - waited, readings > 0 ? settle / 5 : 0), run);
    waited = Math.max(0, waited - wait);
    if (isInterrupted(run)) break;
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
  items: readonly SentItem[],
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

/** A record that matches only by long URL, or only by hash, may be someone else's. */
function isCertain(verdict: Verdict | undefined, item: SentItem | undefined): boolean {
  if (verdict?.kind !== 'done' || verdict.evidence === 'fields') return true;
  return verdict.evidence === 'hash' && sameUrl(verdict.record?.long_url, item?.long_url);
}

/** All verdicts are doubtful if the evidence is not conclusive. */
function resultOf(items: readonly SentItem[], reading: Reading | undefined, conclusive: boolean) {
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
  /** Newer than the watermark and not recorded as links of the run. */
  readonly fresh: readonly KnownRecord[];
  /** Newer links that are recorded: the listing was stale when the watermark was taken. */
  readonly ownCount: number;
  readonly matching: BatchAnswer;
  /** The listing was read to its end and the watermark has all earlier links, so all others are new in any order. */
  readonly isWhole: boolean;
}

/** Undefined if the listing shows no link of the watermark, unless `isWhole` is true. */
async function readNewer(items: readonly SentItem[], { watermark }: BatchEvidence, run: Execution): Promise<Reading | undefined> {
  const known = new Set(watermark.known);
  // A larger page shows that the server did not truncate the watermark, so it has all links of that time.
  const holdsMore = (largestPage: number): boolean => known.size < frontSize && largestPage > known.size;
  const isPast = pastWatermark(watermark);
  const isEnough = (read: Scan): boolean => {
    const mayHaveKnownAll = watermark.total === known.size || holdsMore(read.largestPage);
    if (!isPast(read) || mayBeWhole(read)) return false;
    return !mayHaveKnownAll || read.records.size > known.size + items.length + frontSize;
  };
  const limit = Math.max(frontSize, items.length);
  const scan = await scanNewest(run, { limit, isEnough, mayCall: pagesOf(run), signal: run.signal });
  if (!scan) return undefined;
  const knewAll = (scan.total !== undefined && watermark.total === known.size) || holdsMore(scan.largestPage);
  const isWhole = scan.isWhole && (known.size === 0 || knewAll);
  if (!isWhole && !watermark.known.some((hash) => scan.records.has(hash))) return undefined;
  const newer = isWhole ? [...scan.records.values()].filter(({ hash }) => !known.has(hash)) : newerThan(watermark, scan);
  const own = await ownAmong(run.begun.record.journal, newer);
  const fresh = newer.filter(({ hash }) => !own.has(hash));
  return { scan, fresh, ownCount: own.size, matching: matchAnswer(items, fresh, { inOrder: false }), isWhole };
}
