import { type CliError, UnknownOutcomeError } from '../../base/errors.ts';
import { CallError, isTooLarge, lastOf, stopsRun } from '../../client/call-error.ts';
import { errorTraits } from '../../contract/errors.ts';
import { again, type BatchAnswer, type Doubtful, doubtful, type Failed, unresolved, type Verdict } from '../matching/verdict.ts';

import type { BulkRow } from '../results/row-outcome.ts';
import { outcomeOf } from './outcomes.ts';
import type { SendingContext } from './sending-context.ts';

/**
 * Gives a verdict to the rows that the answer left out: they are class A (1.5 rule 6). Rows in doubt that it refused are looked at:
 * they may have been refused for what their first attempt made.
 */
export async function completed<Payload extends object>(
  { verdicts: answered, surplus }: BatchAnswer,
  batch: number,
  rows: readonly BulkRow<Payload>[],
  context: SendingContext<Payload>,
  mayRepeat: (row: BulkRow<Payload>) => boolean,
): Promise<readonly Verdict[]> {
  if (surplus.length > 0) context.onSurplus(surplus);
  const verdicts =
    context.inDoubt.size === 0 ? answered : answered.map((verdict, nth) => changedByUs(verdict, rows[nth], context));
  const missing = rows.filter((_, position) => !verdicts[position]);
  const refused = refusedInDoubt(rows, verdicts, context);
  if (missing.length === 0 && refused.size === 0) return verdicts as readonly Verdict[];
  await settleKnown(batch, rows, verdicts, refused, context);
  const found = await judgeRefused(refused, context);
  if (missing.length > 0) {
    await enterDoubt(batch, missing, 'the answer left rows out', context);
    const resolved = await resolveDoubt(batch, missing, context, mayRepeat);
    for (const [position, row] of missing.entries()) found.set(row, resolved[position] ?? doubtful);
  }
  return rows.map((row, position) => found.get(row) ?? verdicts[position] ?? doubtful);
}

/** A row in doubt that is as it should be was changed by its first attempt. */
function changedByUs<Payload extends object>(
  verdict: Verdict | undefined,
  row: BulkRow<Payload> | undefined,
  { inDoubt }: SendingContext<Payload>,
): Verdict | undefined {
  if (verdict?.kind !== 'done' || !verdict.unchanged || !row || !inDoubt.has(row.index)) return verdict;
  const { unchanged: _, ...done } = verdict;
  return done;
}

/** What an answer does tell is kept before anything else is asked, which may take long. */
async function settleKnown<Payload extends object>(
  batch: number,
  rows: readonly BulkRow<Payload>[],
  verdicts: readonly (Verdict | undefined)[],
  refused: ReadonlyMap<BulkRow<Payload>, Failed>,
  context: SendingContext<Payload>,
): Promise<void> {
  const known = rows.flatMap((row, position) => {
    const verdict = verdicts[position];
    return verdict?.kind === 'done' ||
      (verdict?.kind === 'failed' && !errorTraits(verdict.error.code).temporary && !refused.has(row))
      ? [outcomeOf(row, verdict, context.operation)]
      : [];
  });
  if (known.length > 0) await context.ledger.settled(batch, known, [], true);
}

/** Writes down that an attempt of these rows may have been applied, before anything else is done about them. */
export async function enterDoubt<Payload extends object>(
  batch: number,
  rows: readonly BulkRow<Payload>[],
  reason: string,
  { inDoubt, ledger }: SendingContext<Payload>,
): Promise<void> {
  for (const { index } of rows) inDoubt.add(index);
  await ledger.ambiguous(batch, rows, reason);
}

/**
 * What a call that failed says about its rows; those that are in doubt by it are known to be. What stops the run goes to `stop`, and
 * from then on nothing more is asked: the rows are left as they are.
 */
export async function afterFailure<Payload extends object>(
  error: CallError,
  batch: number,
  rows: readonly BulkRow<Payload>[],
  context: SendingContext<Payload>,
  mayRepeat: (row: BulkRow<Payload>) => boolean,
): Promise<readonly Verdict[]> {
  const { last } = error;
  const tooLarge: boolean = isTooLarge(error);
  if (last.outcome === 'ambiguous') {
    const verdicts = await resolveDoubt(batch, rows, context, (row) => !wasRepeated(error) && mayRepeat(row));
    const inDoubt = verdicts.filter((verdict) => verdict.kind === 'doubtful');
    if (inDoubt.length > 0) context.stop.because(doubtOf(error, inDoubt));
    return verdicts;
  }
  if (stopsRun(last) && !tooLarge) {
    // Where the same command again settles it, why it stopped is all there is to say (D32).
    const isSettledByRepeating = error.outcome !== 'ambiguous' || context.operation.doubt === 'repeat';
    context.stop.because(isSettledByRepeating ? lastOf(error) : doubtOf(error, []));
    return rows.map(() => again);
  }
  if (last.apiCode === 1306 && context.operation.kind !== 'shorten' && context.operation.look && rows.length > 1) {
    return look(rows, context);
  }
  const code = last.apiCode ?? (tooLarge ? 1310 : 0);
  const verdicts = rows.map((): Failed => ({ kind: 'failed', error: { code, message: last.said ?? last.message } }));
  const found = await judgeRefused(refusedInDoubt(rows, verdicts, context), context);
  return rows.map((row, position) => found.get(row) ?? verdicts[position] ?? doubtful);
}

/** Whether the client sent the call again until it gave up: five attempts are enough. */
function wasRepeated({ gaveUp }: CallError): boolean {
  return gaveUp !== 'not retryable' && gaveUp !== 'not safe to repeat';
}

/** Rows in doubt whose repetition was refused with a code that may speak of their first attempt. */
function refusedInDoubt<Payload extends object>(
  rows: readonly BulkRow<Payload>[],
  verdicts: readonly (Verdict | undefined)[],
  { inDoubt }: SendingContext<Payload>,
): Map<BulkRow<Payload>, Failed> {
  const refused = new Map<BulkRow<Payload>, Failed>();
  if (inDoubt.size === 0) return refused;
  for (const [position, row] of rows.entries()) {
    const verdict = verdicts[position];
    if (verdict?.kind !== 'failed' || !inDoubt.has(row.index)) continue;
    const { temporary, about } = errorTraits(verdict.error.code);
    if (!temporary && about !== 'values') refused.set(row, verdict);
  }
  return refused;
}

/** D4, D5: what is there decides; the refusal stands only where it speaks of that, and nothing of an earlier attempt is seen. */
async function judgeRefused<Payload extends object>(
  refused: ReadonlyMap<BulkRow<Payload>, Failed>,
  context: SendingContext<Payload>,
): Promise<Map<BulkRow<Payload>, Verdict>> {
  const { operation } = context;
  const found = new Map<BulkRow<Payload>, Verdict>();
  for (const [row, { error }] of refused) if (error.code === operation.provenBy) found.set(row, { kind: 'done' });
  const rows = [...refused.keys()].filter((row) => !found.has(row));
  if (rows.length === 0) return found;
  const seen = await look(rows, context);
  for (const [position, row] of rows.entries()) {
    const verdict = seen[position] ?? doubtful;
    const refusal = refused.get(row);
    const isSeen = verdict.kind === 'done' || verdict.kind === 'doubtful';
    found.set(row, isSeen ? verdict : refusal && errorTraits(refusal.error.code).about === 'hash' ? refusal : doubtful);
  }
  return found;
}

/** `mayRepeat`: whether a row may be sent once more. */
export async function resolveDoubt<Payload extends object>(
  batch: number,
  rows: readonly BulkRow<Payload>[],
  context: SendingContext<Payload>,
  mayRepeat: (row: BulkRow<Payload>) => boolean,
): Promise<readonly Verdict[]> {
  // R-12, D9
  if (context.stop.reason?.kind === 'error') return rows.map(() => unresolved);
  switch (context.operation.doubt) {
    case 'repeat':
      return rows.map((row) => (mayRepeat(row) ? again : doubtful));
    case 'look': {
      const verdicts = await look(rows, context);
      return verdicts.map((verdict, position) => {
        const row = rows[position];
        return verdict.kind !== 'again' || (row && mayRepeat(row)) ? verdict : doubtful;
      });
    }
    case 'read_back':
      return await readBack(batch, rows, context);
    case 'leave':
      return rows.map(() => doubtful);
  }
}

/** What a conclusive reading did not find was certainly not made (1.6): of all policies, only this one takes rows out of doubt. */
async function readBack<Payload extends object>(
  batch: number,
  rows: readonly BulkRow<Payload>[],
  context: SendingContext<Payload>,
): Promise<readonly Verdict[]> {
  const verdicts = context.readBack ? await context.readBack(batch, rows) : rows.map(() => doubtful);
  for (const [position, { index }] of rows.entries()) if (verdicts[position]?.kind === 'again') context.inDoubt.delete(index);
  return verdicts;
}

/** Where nothing may be asked, rows stay as they are: open where they are in doubt. */
async function look<Payload extends object>(
  rows: readonly BulkRow<Payload>[],
  context: SendingContext<Payload>,
): Promise<readonly Verdict[]> {
  const { operation, inDoubt, before, stop, signal } = context;
  const left = rows.map(({ index }) => (inDoubt.has(index) ? unresolved : again));
  if (!operation.look || stop.reason?.kind === 'error' || !context.mayCall()) return left;
  try {
    return await operation.look(
      rows.map(({ index, payload }) => ({ payload, inDoubt: inDoubt.has(index), before: before.get(index) })),
      signal,
    );
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
  const message = error.kind === 'unknown' ? error.message : `whether ${subject} took effect is not known: ${error.message}`;
  return new UnknownOutcomeError(message, {
    hint:
      candidates.length > 0
        ? 'look at these before repeating the command'
        : (error.hint ?? 'look with linkctl list before repeating the command'),
    details: [...error.details, ...candidates.map((shortUrl) => `perhaps it did: ${shortUrl}`)],
    cause: error,
  });
}
