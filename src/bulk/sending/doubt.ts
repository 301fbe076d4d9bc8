import { type CliError, UnknownOutcomeError } from '../../base/errors.ts';
import { CallError, isTooLarge, lastOf, stopsRun } from '../../client/call-error.ts';
import { errorTraits } from '../../contract/errors.ts';
import type { Execution } from '../execution/execution.ts';
import {
  again,
  type BatchAnswer,
  type Doubtful,
  doubtful,
  type Failed,
  type KnownRecord,
  shortUrlOf,
  unresolved,
  type Verdict,
} from '../matching/row-verdict.ts';
import { kindOf } from '../operations/operation.ts';
import type { BulkRow } from '../results/row-outcome.ts';
import { isTemporary, maximalRounds, outcomeOf, roundOf } from './settling.ts';

type Rows<Payload extends object> = readonly BulkRow<Payload>[];

/**
 * The verdicts of an answer, also on the rows that it left out: they are class A. Rows in doubt that it refused are read
 * at the server: they may have been refused for what their first attempt made.
 */
export async function verdictsOfAnswer<Payload extends object>(
  { verdicts: answered, surplus }: BatchAnswer,
  batch: number,
  rows: Rows<Payload>,
  run: Execution<Payload>,
): Promise<readonly Verdict[]> {
  if (surplus.length > 0) keepSurplus(surplus, run);
  const verdicts = run.inDoubt.size === 0 ? answered : answered.map((verdict, nth) => doneByUs(verdict, rows[nth], run));
  const missing = rows.filter((_, position) => !verdicts[position]);
  const refused = refusedInDoubt(rows, verdicts, run);
  if (missing.length === 0 && refused.size === 0 && verdicts.every((verdict) => verdict !== undefined)) return verdicts;
  // The verdicts of the answer are kept before anything else is asked, which may take long.
  const known = rows.flatMap((row, position) => {
    const verdict = verdicts[position];
    const isKnown = verdict?.kind === 'done' || (verdict?.kind === 'failed' && !isTemporary(verdict) && !refused.has(row));
    return isKnown ? [outcomeOf(row, verdict, run.operation)] : [];
  });
  if (known.length > 0) await run.ledger.settled(batch, known, [], true);
  const found = await verdictsOfRefused(refused, run);
  if (missing.length > 0) {
    await enterDoubt(batch, missing, 'the response has no entry for these rows', run);
    const resolved = await resolveDoubt(batch, missing, run);
    for (const [position, row] of missing.entries()) found.set(row, resolved[position] ?? doubtful);
  }
  return rows.map((row, position) => found.get(row) ?? verdicts[position] ?? doubtful);
}

/** If the link of a row in doubt is as the row asks for, or has its numbered hash, the first attempt made it so. */
function doneByUs<Payload extends object>(
  verdict: Verdict | undefined,
  row: BulkRow<Payload> | undefined,
  { inDoubt }: Execution<Payload>,
): Verdict | undefined {
  if (verdict?.kind !== 'done' || !row || !inDoubt.has(row.index)) return verdict;
  const { unchanged: _, shared, ...done } = verdict;
  return shared && !verdict.renamed ? { ...done, shared } : done;
}

/** Writes down that an attempt of these rows may have been applied, before anything else is done about them. */
export async function enterDoubt<Payload extends object>(
  batch: number,
  rows: Rows<Payload>,
  reason: string,
  { inDoubt, ledger }: Execution<Payload>,
): Promise<void> {
  for (const { index } of rows) inDoubt.add(index);
  await ledger.ambiguous(batch, rows, reason);
}

/**
 * The verdicts of a call that failed; rows that are in doubt by it are known to be. What stops the run goes to `stop`, and from then
 * on nothing more is asked: the rows are left as they are.
 */
export async function verdictsOfFailure<Payload extends object>(
  error: CallError,
  batch: number,
  rows: Rows<Payload>,
  run: Execution<Payload>,
): Promise<readonly Verdict[]> {
  const { last } = error;
  const { operation, stop } = run;
  const tooLarge: boolean = isTooLarge(error);
  if (last.outcome === 'ambiguous') {
    const verdicts = await resolveDoubt(batch, rows, run, wasRepeated(error));
    const inDoubt = verdicts.filter((verdict) => verdict.kind === 'doubtful');
    if (inDoubt.length > 0) stop.because(doubtOf(error, inDoubt));
    return verdicts;
  }
  if (stopsRun(last) && !tooLarge) {
    // If the same command settles it, the reason why it stopped is all there is to say.
    const isSettledByRepeating = error.outcome !== 'ambiguous' || operation.doubt === 'repeat';
    stop.because(isSettledByRepeating ? lastOf(error) : doubtOf(error, []));
    return rows.map(() => again);
  }
  const isCreation = rows.some(({ payload }) => kindOf(payload, operation) === 'shorten');
  if (last.apiCode === 1306 && !isCreation && operation.inspect && rows.length > 1) return inspect(rows, run);
  const code = last.apiCode ?? (tooLarge ? 1310 : 0);
  const refusal: Failed = { kind: 'failed', error: { code, message: last.serverMessage ?? last.message } };
  const refused = rows.map(() => refusal);
  const found = await verdictsOfRefused(refusedInDoubt(rows, refused, run), run);
  return rows.map((row) => found.get(row) ?? refusal);
}

/** True where the client sent the call again until it gave up: five attempts are enough. */
function wasRepeated({ gaveUp }: CallError): boolean {
  return gaveUp !== 'not retryable' && gaveUp !== 'not safe to repeat';
}

/** Rows in doubt whose repetition was refused with a code that may be due to their first attempt. */
function refusedInDoubt<Payload extends object>(
  rows: Rows<Payload>,
  verdicts: readonly (Verdict | undefined)[],
  { inDoubt }: Execution<Payload>,
): Map<BulkRow<Payload>, Failed> {
  const refused = new Map<BulkRow<Payload>, Failed>();
  if (inDoubt.size === 0) return refused;
  for (const [position, row] of rows.entries()) {
    const verdict = verdicts[position];
    if (verdict?.kind !== 'failed' || !inDoubt.has(row.index)) continue;
    // Values that are refused now were refused in the first attempt, too. Other codes may be due to what that attempt made.
    if (!isTemporary(verdict) && errorTraits(verdict.error.code).about !== 'values') refused.set(row, verdict);
  }
  return refused;
}

/** Reads the links. A refusal is final only if it is about the hash and the links show no effect of an earlier attempt. */
async function verdictsOfRefused<Payload extends object>(
  refused: ReadonlyMap<BulkRow<Payload>, Failed>,
  run: Execution<Payload>,
): Promise<Map<BulkRow<Payload>, Verdict>> {
  const found = new Map<BulkRow<Payload>, Verdict>();
  for (const [row, { error }] of refused) if (error.code === run.operation.provenBy) found.set(row, { kind: 'done' });
  const rows = [...refused.keys()].filter((row) => !found.has(row));
  if (rows.length === 0) return found;
  const seen = await inspect(rows, run);
  for (const [position, row] of rows.entries()) {
    const verdict = seen[position] ?? doubtful;
    const refusal = refused.get(row);
    const isSeen = verdict.kind === 'done' || verdict.kind === 'doubtful';
    found.set(row, isSeen ? verdict : refusal && errorTraits(refusal.error.code).about === 'hash' ? refusal : doubtful);
  }
  return found;
}

/** The one place that resolves a doubt. Rows are not sent again if `isLast` is set, or if they have used up their rounds. */
export async function resolveDoubt<Payload extends object>(
  batch: number,
  rows: Rows<Payload>,
  run: Execution<Payload>,
  isLast = false,
): Promise<readonly Verdict[]> {
  // After an error that stops the run not one more call is made.
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
      const verdicts = await readBack(batch, rows, run);
      // A link that a conclusive reading did not find was certainly not made: only this policy takes rows out of doubt.
      for (const [position, { index }] of rows.entries()) if (verdicts[position]?.kind === 'again') run.inDoubt.delete(index);
      return verdicts;
    }
    case 'leave':
      return rows.map(() => doubtful);
  }
}

/** Only the listing shows what was made of rows without a hash of their own. Loaded when it is needed, as little else does. */
async function readBack<Payload extends object>(
  batch: number,
  rows: Rows<Payload>,
  run: Execution<Payload>,
): Promise<readonly Verdict[]> {
  const payloads = rows.map(({ payload }) => payload);
  if (run.plan.isOneOff) return await (await import('../checked/candidates.ts')).candidatesOf(payloads, run);
  return await (await import('../checked/reading-back.ts')).readBackBatch(batch, payloads, run);
}

/** Without permission to ask, rows stay as they are: open if they are in doubt. */
async function inspect<Payload extends object>(
  rows: Rows<Payload>,
  { operation, inDoubt, priorDestinations, stop, signal, mayCall, system }: Execution<Payload>,
): Promise<readonly Verdict[]> {
  const left = rows.map(({ index }) => (inDoubt.has(index) ? unresolved : again));
  if (!operation.inspect || stop.reason?.kind === 'error' || !mayCall()) return left;
  try {
    const sought = rows.map(({ index, payload, listed }) => ({
      payload,
      inDoubt: inDoubt.has(index),
      priorDestination: priorDestinations.get(index),
      listed,
    }));
    const seen = await operation.inspect(sought, signal);
    const readAt = system.elapsed();
    // A link to be deleted is compared with the plan, which only a reading of the whole batch does.
    const isSeen = ({ index, payload }: BulkRow<Payload>) => inDoubt.has(index) && kindOf(payload, operation) !== 'delete';
    return seen.map((verdict, nth) => {
      const row = rows[nth];
      return verdict.kind === 'again' && row && isSeen(row) ? { ...verdict, readAt } : verdict;
    });
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    const doubts = left.filter((verdict) => verdict.kind === 'doubtful');
    stop.because(doubts.length > 0 && operation.doubt !== 'repeat' ? doubtOf(error, doubts) : error);
    return left;
  }
}

function doubtOf(error: CliError, inDoubt: readonly Doubtful[]): CliError {
  const candidates = inDoubt.flatMap((verdict) => verdict.candidates ?? []);
  const subject = inDoubt.length === 1 ? 'it' : `${inDoubt.length} rows`;
  const message = error.kind === 'unknown' ? error.message : `outcome of ${subject} unknown: ${error.message}`;
  return new UnknownOutcomeError(message, {
    hint:
      candidates.length > 0
        ? 'check these links before repeating the command'
        : (error.hint ?? 'check with linkctl list before repeating the command'),
    details: [...error.details, ...candidates.map((shortUrl) => `possibly created: ${shortUrl}`)],
    cause: error,
  });
}

/** Links that nobody asked for are named and kept in the journal; deleting them is for a person to decide. */
function keepSurplus<Payload extends object>(records: readonly KnownRecord[], { warn, begun }: Execution<Payload>): void {
  const named = records.slice(0, 5).map(shortUrlOf).join(', ');
  warn(`a response contained ${records.length} records that belong to no row: ${named}`);
  const found = records.map(({ hash }) => hash);
  // The next write fails as well if the journal is broken.
  begun.journal.write({ type: 'reconcile', batch: 0, conclusive: true, found }).catch(() => undefined);
}
