import { type CliError, UnknownOutcomeError } from '../../base/errors.ts';
import { CallError } from '../../client/call-error.ts';
import { type Execution, markStale } from '../execution/execution.ts';
import { again, changedSince, type Doubtful, doubtful, unresolved, type Verdict } from '../matching/row-verdict.ts';
import { kindOf } from '../operations/operation.ts';
import { wasSent } from '../past-runs/sent-rows.ts';
import type { BulkRow } from '../results/row-outcome.ts';
import { foreignFieldsOf, knownVerdicts, mergeVerdicts } from './links-before.ts';
import { keyRemoved } from './removed-key.ts';
import { maximalRounds, type RecordedBatch, type Round, roundOf, settle, unsent } from './settling.ts';

type Rows = readonly BulkRow[];

/** Resolves doubt by the policy of the operation. Rows are not sent again if `isLast` is set or they have no rounds left. */
export async function resolveDoubt(sent: RecordedBatch, run: Execution, isLast = false): Promise<readonly Verdict[]> {
  const { rows } = sent;
  // After an error that stops the run, no further call is made.
  if (run.stop.reason?.kind === 'error') return rows.map(() => unresolved);
  const unlessLast = (verdict: Verdict, position: number): Verdict => {
    const isOver = isLast || roundOf(rows[position]?.index ?? -1, run) >= maximalRounds;
    return verdict.kind === 'again' && isOver ? doubtful : verdict;
  };
  switch (run.operation.doubt) {
    case 'repeat':
      return rows.map((_, position) => unlessLast(again, position));
    case 'inspect':
      return (await inspect(rows, run)).map(unlessLast);
    case 'read_back': {
      const verdicts = await readBack(sent, run);
      // Only this policy takes rows out of doubt: those that a conclusive reading did not find were certainly not applied.
      for (const [position, { index }] of rows.entries()) if (verdicts[position]?.kind === 'again') run.inDoubt.delete(index);
      return verdicts;
    }
    case 'leave':
      return rows.map(() => doubtful);
  }
}

/** Only the listing shows links of rows without a custom hash. Imported on demand, because few runs need it. */
async function readBack({ batch, rows }: RecordedBatch, run: Execution): Promise<readonly Verdict[]> {
  const payloads = rows.map(({ payload }) => payload);
  if (run.plan.isOneOff) return await (await import('../checked/possible-links.ts')).findPossibleLinks(payloads, run);
  return await (await import('../checked/reading-back.ts')).readBackBatch(batch, payloads, run);
}

/**
 * Reads the links of rows. If no call can be made, rows in doubt stay open and the others may be sent again. `refused` are judged as rows in
 * doubt, but may be sent again like others: if their links do not show the change, it was certainly not made.
 */
export async function inspect(
  rows: Rows,
  run: Execution,
  refused: ReadonlySet<BulkRow> = new Set(),
): Promise<readonly Verdict[]> {
  const { operation, priorDestinations, stop, signal, reserveCalls, system } = run;
  const isDoubtful = (row: BulkRow): boolean => run.inDoubt.has(row.index) || refused.has(row);
  const unread = rows.map((row) => (isDoubtful(row) ? unresolved : again));
  if (!operation.inspect || stop.reason?.kind === 'error' || signal?.aborted || !reserveCalls()) return unread;
  try {
    const sought = rows.map((row) => ({
      payload: row.payload,
      inDoubt: isDoubtful(row),
      priorDestination: priorDestinations.get(row.index),
      listed: row.listed,
    }));
    const readAt = system.elapsed();
    const seen = await operation.inspect(sought, signal);
    return await withLinksSeen(rows, seen, readAt, run);
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    const doubts = unread.filter((verdict) => verdict.kind === 'doubtful');
    stop.because(doubts.length > 0 && operation.doubt !== 'repeat' ? unknownOutcomeError(error, doubts) : error);
    return unread;
  }
}

/**
 * Gives rows in doubt that are sent again the links that were seen. Values that are neither as before nor as requested were changed by
 * someone else, or an attempt was stored otherwise than requested. An edit overwrites them, so they are kept for `undo` first; a deletion is
 * refused, because it would hit another link.
 */
async function withLinksSeen(
  rows: Rows,
  verdicts: readonly Verdict[],
  readAt: number,
  { operation, inDoubt, images }: Execution,
): Promise<readonly Verdict[]> {
  const unread: BulkRow[] = [];
  const overwritten: BulkRow[] = [];
  const resolved = verdicts.map((verdict, nth): Verdict => {
    const row = rows[nth];
    if (row && verdict.kind === 'again' && !inDoubt.has(row.index)) return readAgain(row);
    const isSeen = row && operation.doubt === 'inspect';
    if (verdict.kind !== 'again' || !verdict.record || !isSeen) return verdict;
    const { payload, before } = row;
    const { record: now } = verdict;
    const foreign = before ? foreignFieldsOf(payload, { before, now }, operation) : [];
    const isDeletion = kindOf(payload, operation) === 'delete';
    if (isDeletion && foreign.length > 0) {
      // An attempt without an answer may still delete the link.
      overwritten.push({ ...row, before: now });
      return changedSince(foreign);
    }
    const theirs = Object.fromEntries(foreign.map((field) => [field, now[field]]));
    // What an attempt of this run may have set is not part of the link before the run.
    const record = isDeletion || !before ? now : { ...before, ...theirs };
    if (!before) unread.push({ ...row, before: record });
    else if (foreign.length > 0) overwritten.push({ ...row, before: record });
    return { kind: 'again', record, readAt };
  });
  if (unread.length > 0) await images?.keep(unread);
  if (overwritten.length > 0) await images?.keep(overwritten, true);
  return resolved;
}

/** The row was certainly not applied, and its link may have changed since it was read. So it is read, kept and compared once more. */
function readAgain({ before }: BulkRow): Verdict {
  return { kind: 'again', record: before ?? undefined, readAt: Number.NEGATIVE_INFINITY };
}

export function unknownOutcomeError(error: CliError, inDoubt: readonly Doubtful[]): CliError {
  const candidates = inDoubt.flatMap((verdict) => verdict.candidates ?? []);
  const unknown = inDoubt.length === 1 ? 'the outcome is unknown' : `outcome of ${inDoubt.length} rows unknown`;
  const message = error.kind === 'unknown' ? error.message : `${unknown}: ${error.message}`;
  return new UnknownOutcomeError(message, {
    hint:
      candidates.length > 0
        ? 'check these links before repeating the command'
        : (error.hint ?? 'before repeating the command, check with: linkctl list'),
    details: [...error.details, ...candidates.map((shortUrl) => `possibly created: ${shortUrl}`)],
    cause: error,
  });
}

/** An earlier process left the batch in doubt: its rows have no result. */
export async function clearDoubt(sent: RecordedBatch, run: Execution): Promise<Round> {
  const { rows } = sent;
  const unsentRows = new Set<BulkRow>();
  for (const row of rows) {
    if (wasRefused(row, run)) {
      if (row.before !== undefined) run.operation.onRead?.(row.payload, row.before);
    } else if (await wasAnswered(row, run)) unsentRows.add(row);
    else run.inDoubt.add(row.index);
  }
  const release = run.holdsPermit ? undefined : await run.limiter.acquire();
  try {
    if (run.stop.reason) return unsent(rows, run);
    const known = knownVerdicts(rows, run);
    const certain = rows.map((row, nth) => (unsentRows.has(row) ? readAgain(row) : known[nth]));
    return await settleOpen(sent, certain, run);
  } finally {
    release?.();
  }
}

/** True for a row that was in the batch but in no call, because the reading before it answered it. */
async function wasAnswered({ index }: BulkRow, { images, begun }: Execution): Promise<boolean> {
  const earlier = images?.earlier;
  const image = earlier?.wasInDoubt(index) ? undefined : await earlier?.of(index);
  return image !== undefined && !wasSent(image, begun.state);
}

/** Refused rows were in the batch but never in a call. The earlier process saw the link as recorded, unless the row was in doubt then. */
function wasRefused(row: BulkRow, run: Execution): boolean {
  return row.refusal !== undefined || (!run.images?.earlier?.wasInDoubt(row.index) && keyRemoved(row, run) !== undefined);
}

type Known = readonly (Verdict | undefined)[];

/** Settles a call that was not made or repeated because a link changed. Rows in doubt are resolved; the others are read and sent again. */
export async function settleChanged({ batch, rows }: RecordedBatch, known: Known, run: Execution): Promise<Round> {
  const certain = rows.map(({ index }, nth) => known[nth] ?? (run.inDoubt.has(index) ? undefined : again));
  return await settleOpen({ batch, rows: rows.map(markStale) }, certain, run);
}

/** Resolves the doubt of the rows without a verdict, and settles all. */
async function settleOpen({ batch, rows }: RecordedBatch, known: Known, run: Execution): Promise<Round> {
  const open = rows.filter((_, nth) => !known[nth]);
  const resolved = open.length > 0 ? await resolveDoubt({ batch, rows: open }, run) : [];
  return await settle({ batch, rows }, mergeVerdicts(known, resolved), run);
}
