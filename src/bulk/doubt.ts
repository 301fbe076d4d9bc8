import { CallError, isTooLarge } from '../client/call-error.ts';
import { type CliError, UnknownOutcomeError } from '../errors.ts';
import { stopsRun } from './call-failure.ts';
import { isTemporary, outcomeOf } from './judgement.ts';
import type { BatchAnswer, LookReason } from './operation.ts';
import type { BulkRow } from './row-outcome.ts';
import type { SendingContext } from './sending-context.ts';
import { stopOf } from './stop.ts';
import { again, type Doubtful, doubtful, type Verdict } from './verdict.ts';

/** Gives a verdict to the rows that the answer left out: they are class A (1.5 rule 6). */
export async function completed<Payload extends object>(
  { verdicts, surplus }: BatchAnswer,
  batch: number,
  rows: readonly BulkRow<Payload>[],
  context: SendingContext<Payload>,
  mayRepeat: (row: BulkRow<Payload>) => boolean,
): Promise<readonly Verdict[]> {
  if (surplus.length > 0) context.onSurplus(surplus);
  const missing = rows.filter((_, position) => !verdicts[position]);
  if (missing.length === 0) return verdicts as readonly Verdict[];
  await settleKnown(batch, rows, verdicts, context);
  await context.ledger.ambiguous(batch, missing, 'the answer left rows out');
  const found = new Map<number, Verdict>();
  const resolved = await resolveDoubt(batch, missing, context, mayRepeat);
  for (const [position, row] of missing.entries()) found.set(row.index, resolved[position] ?? doubtful);
  return rows.map((row, position) => verdicts[position] ?? found.get(row.index) ?? doubtful);
}

/** What an answer does tell is kept before anything else is asked, which may take long. */
async function settleKnown<Payload extends object>(
  batch: number,
  rows: readonly BulkRow<Payload>[],
  verdicts: readonly (Verdict | undefined)[],
  context: SendingContext<Payload>,
): Promise<void> {
  const known = rows.flatMap((row, position) => {
    const verdict = verdicts[position];
    return verdict?.kind === 'done' || (verdict?.kind === 'failed' && !isTemporary(verdict.error))
      ? [outcomeOf(row, verdict, context.operation)]
      : [];
  });
  if (known.length > 0) await context.ledger.settled(batch, known, [], true);
}

/** What a call that failed says about its rows. What stops the run goes to `stop`. */
export async function afterFailure<Payload extends object>(
  error: CallError,
  batch: number,
  rows: readonly BulkRow<Payload>[],
  context: SendingContext<Payload>,
  mayRepeat: (row: BulkRow<Payload>) => boolean,
): Promise<readonly Verdict[]> {
  if (error.outcome === 'ambiguous') {
    await context.ledger.ambiguous(batch, rows, error.message);
    const verdicts = await resolveDoubt(batch, rows, context, (row) => !wasRepeated(error) && mayRepeat(row));
    const inDoubt = verdicts.filter((verdict) => verdict.kind === 'doubtful');
    if (inDoubt.length > 0) context.stop.request(stopOf(doubtOf(error, inDoubt)));
    return verdicts;
  }
  if (error.outcome === 'rejected' && error.apiCode === 1306 && context.operation.look && rows.length > 1) {
    return look(rows, 'missing', context);
  }
  if (stopsRun(error) && !isTooLarge(error)) {
    context.stop.request(stopOf(error));
    return rows.map(() => again);
  }
  const code = error.apiCode ?? (isTooLarge(error) ? 1310 : 0);
  return rows.map(() => ({ kind: 'failed', error: { code, message: error.said ?? error.message } }));
}

/** Whether the client sent the call again until it gave up: five attempts are enough. */
function wasRepeated({ gaveUp }: CallError): boolean {
  return gaveUp !== 'not retryable' && gaveUp !== 'not safe to repeat';
}

/** `mayRepeat`: whether a row may be sent once more. */
export async function resolveDoubt<Payload extends object>(
  batch: number,
  rows: readonly BulkRow<Payload>[],
  context: SendingContext<Payload>,
  mayRepeat: (row: BulkRow<Payload>) => boolean,
): Promise<readonly Verdict[]> {
  switch (context.operation.doubt) {
    case 'repeat':
      return rows.map((row) => (mayRepeat(row) ? again : doubtful));
    case 'look': {
      const verdicts = await look(rows, 'ambiguous', context);
      return verdicts.map((verdict, position) => {
        const row = rows[position];
        return verdict.kind !== 'again' || (row && mayRepeat(row)) ? verdict : doubtful;
      });
    }
    case 'read_back':
      return context.readBack ? context.readBack(batch, rows) : rows.map(() => doubtful);
    case 'leave':
      return rows.map(() => doubtful);
  }
}

async function look<Payload extends object>(
  rows: readonly BulkRow<Payload>[],
  reason: LookReason,
  context: SendingContext<Payload>,
): Promise<readonly Verdict[]> {
  const blind = reason === 'ambiguous' ? doubtful : again;
  if (!context.operation.look || !context.mayCall()) return rows.map(() => blind);
  try {
    const payloads = rows.map(({ payload }) => payload);
    return await context.operation.look(payloads, reason, context.signal);
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    const doubts = rows.map(() => doubtful);
    context.stop.request(stopOf(reason === 'ambiguous' ? doubtOf(error, doubts) : error));
    return rows.map(() => blind);
  }
}

function doubtOf(error: CliError, inDoubt: readonly Doubtful[]): CliError {
  const candidates = inDoubt.flatMap((verdict) => verdict.candidates ?? []);
  const subject = inDoubt.length === 1 ? 'it' : `${inDoubt.length} rows`;
  const message = error.kind === 'unknown' ? error.message : `whether ${subject} took effect is not known: ${error.message}`;
  return new UnknownOutcomeError(message, {
    hint: candidates.length > 0 ? 'look at these before repeating the command' : error.hint,
    details: [...error.details, ...candidates.map((shortUrl) => `perhaps it did: ${shortUrl}`)],
    cause: error,
  });
}
