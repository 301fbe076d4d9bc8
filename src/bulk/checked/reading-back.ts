import { type CliError, UnknownOutcomeError } from '../../base/errors.ts';
import { CallError } from '../../client/call-error.ts';
import { sameUrl } from '../../link/value.ts';
import type { Execution } from '../execution/execution.ts';
import type { Asked } from '../matching/matching.ts';
import { again, doubtful, type KnownRecord, shortUrlOf, unresolved, type Verdict } from '../matching/row-verdict.ts';
import { type BatchEvidence, evidenceOf } from './listing-evidence.ts';
import { positionIn, usualSettle } from './newest-links.ts';
import { listsNoneOf, type Reading, type ReadingSettings, readNewer } from './reading.ts';

/** Reads back one batch in doubt and journals the evidence. Where it is not conclusive, the run stops. */
export async function readBackBatch(batch: number, items: readonly Asked[], run: Execution): Promise<readonly Verdict[]> {
  const { begun, stop } = run;
  run.warn(`no reliable response for ${items.length} rows: checking the listing for created links`);
  try {
    const evidence = await evidenceOf(begun.path, batch);
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

interface ReadBack {
  /** One per row; all doubtful where the evidence is not conclusive. */
  readonly verdicts: readonly Verdict[];
  readonly conclusive: boolean;
  readonly reading: Reading | undefined;
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
async function readBack(items: readonly Asked[], evidence: BatchEvidence, run: Execution): Promise<ReadBack> {
  const { settle = usualSettle } = run.plan;
  const settings: ReadingSettings = { ...run, journal: run.begun.path };
  // The links of earlier processes have long been listed.
  const isUpToDate =
    evidence.latestBatch >= run.begun.state.nextBatch && positionIn(evidence.watermark.known, evidence.latest) >= 0;
  let before: Reading | undefined;
  for (let readings = 0; readings < maximalReadings; readings += 1) {
    const isQuick = readings > 0 && (isUpToDate || (before !== undefined && before.fresh.length > 0));
    await run.system.sleep(isQuick ? settle / 5 : settle, run.signal).catch(() => undefined);
    const reading = await readNewer(items, evidence, settings);
    const isSteady = before !== undefined && reading !== undefined && haveSame(before.fresh, reading.fresh);
    before = reading;
    if (!reading || !isSteady) continue;
    const opinion = opinionOf(items, reading, evidence);
    if (opinion === 'conclusive') return resultOf(items, reading, true);
    if (opinion === 'foreign') break;
    if (opinion === 'order unproven') return resultOf(items, reading, await listsNoneOf(items, evidence, settings));
  }
  const mayBeBehind = before?.fresh.length === 0 && evidence.latest.length > 0;
  return resultOf(items, before, mayBeBehind && (await listsNoneOf(items, evidence, settings)));
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

function resultOf(items: readonly Asked[], reading: Reading | undefined, conclusive: boolean): ReadBack {
  const found = reading?.matching.verdicts ?? [];
  const verdicts = items.map((_, position) => (conclusive ? (found[position] ?? again) : withCandidate(found[position])));
  return { verdicts, conclusive, reading };
}

function withCandidate(verdict: Verdict | undefined): Verdict {
  if (verdict?.kind !== 'done' || !verdict.record) return doubtful;
  return { ...doubtful, candidates: [shortUrlOf(verdict.record)] };
}

function haveSame(some: readonly KnownRecord[], others: readonly KnownRecord[]): boolean {
  const hashes = new Set(some.map(({ hash }) => hash));
  return some.length === others.length && others.every(({ hash }) => hashes.has(hash));
}
