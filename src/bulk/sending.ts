import { CallError } from '../client/call-error.ts';
import { CliError, LimitError, UnavailableError, UnknownOutcomeError } from '../errors.ts';
import type { System } from '../system.ts';
import { isTooLarge, stopsRun } from './call-failure.ts';
import type { BatchAnswer, BulkOperation } from './operation.ts';
import { type BulkRow, doneStatuses, type RowError, type RowOutcome } from './row-outcome.ts';
import { type Stop, stopOf } from './stop.ts';
import { again, type Doubtful, doubtful, type KnownRecord, type Verdict } from './verdict.ts';

/** What a batch leaves behind. The journal of a long run, or nothing for a few rows typed by hand. */
export interface Ledger<Payload extends object> {
  /** Before a batch is sent; resolves when it may be (J1). What it returns is handed to `readBack` in doubt. */
  intent(rows: readonly BulkRow<Payload>[]): Promise<number>;
  ambiguous(batch: number, rows: readonly BulkRow<Payload>[], reason: string): Promise<void>;
  /**
   * Resolves when the outcomes may be told (J2). Rows in `released` were certainly not applied. `isPart`: more of the batch will
   * follow, and what was settled is given again then.
   */
  settled(
    batch: number,
    outcomes: readonly RowOutcome<Payload>[],
    released: readonly BulkRow<Payload>[],
    isPart?: boolean,
  ): Promise<void>;
}

/** How many calls are under way at once is decided by this. */
export interface Pace {
  throttled(): void;
  succeeded(): void;
}

/** What the batches of one run share. */
export interface SendingContext<Payload extends object> {
  readonly operation: BulkOperation<Payload>;
  readonly ledger: Ledger<Payload>;
  readonly system: Pick<System, 'sleep' | 'random'>;
  readonly stop: Stop;
  /** Aborts calls under way: when the grace after a signal is over. */
  readonly signal: AbortSignal;
  /** The largest batch that this server takes; it only shrinks. */
  readonly size: { limit: number };
  readonly failFast: boolean;
  /** Counts a call and answers whether it may be made (`--budget`). */
  readonly mayCall: () => boolean;
  /** Told how the server bears the calls. */
  readonly pace?: Pace;
  /** Resolves doubt where the operation's policy is `read_back`; one verdict per row. */
  readonly readBack?: (batch: number, rows: readonly BulkRow<Payload>[]) => Promise<readonly Verdict[]>;
  /** Records that no row accounts for. */
  readonly onSurplus: (records: readonly KnownRecord[]) => void;
}

/** A batch that an earlier process left in doubt (J6), and its rows without a result. */
export interface DoubtfulBatch<Payload extends object> {
  readonly batch: number;
  readonly rows: readonly BulkRow<Payload>[];
}

/** How often a row is sent at most because it was left out, cooled down or found not to have happened. */
const maximalRounds = 5;

/**
 * Sends rows of one segment in as many calls as it takes and says what became of each. Never throws for what a server does;
 * what stops the run goes to `stop`, and the rows that were not reached are `not_sent`.
 */
export async function sendRows<Payload extends object>(
  rows: readonly BulkRow<Payload>[],
  context: SendingContext<Payload>,
  inDoubt: readonly DoubtfulBatch<Payload>[] = [],
): Promise<Map<number, RowOutcome<Payload>>> {
  const outcomes = new Map<number, RowOutcome<Payload>>();
  const rounds = new Map<number, number>();
  const queue: (readonly BulkRow<Payload>[])[] = [];
  for (const doubt of inDoubt) {
    const round = await clearDoubt(doubt, context, rounds);
    for (const outcome of round.outcomes) outcomes.set(outcome.index, outcome);
    queue.push(...groupsOf(round.repeat, context.operation));
  }
  queue.push(...groupsOf(rows, context.operation));
  for (let next = queue.shift(); next; next = queue.shift()) {
    const [batch, rest] = cut(next, context);
    if (rest.length > 0) queue.unshift(rest);
    if (context.stop.reason || !context.mayCall()) {
      for (const row of batch) outcomes.set(row.index, notSent(row, context.stop));
      continue;
    }
    const round = await sendBatch(batch, context, rounds).catch((error: unknown) => lostTrack(error, batch, context));
    for (const outcome of round.outcomes) outcomes.set(outcome.index, outcome);
    if (round.repeat.length > 0) queue.unshift(round.repeat);
    if (context.failFast && round.outcomes.some(({ status }) => status === 'failed')) context.stop.request({ kind: 'fail_fast' });
  }
  return outcomes;
}

/** The journal broke while a batch was in doubt. */
function lostTrack<Payload extends object>(
  error: unknown,
  rows: readonly BulkRow<Payload>[],
  { stop }: SendingContext<Payload>,
): Round<Payload> {
  if (!(error instanceof CliError)) throw error;
  stop.request(stopOf(error));
  return { outcomes: rows.map((row) => ({ ...row, status: 'unknown', error: unknownRow(doubtful) })), repeat: [] };
}

export function notSent<Payload extends object>(row: BulkRow<Payload>, { reason }: Stop): RowOutcome<Payload> {
  const error = reason?.kind === 'error' ? { code: reason.error.apiCode ?? 0, message: reason.error.message } : undefined;
  return { ...row, status: 'not_sent', error };
}

async function clearDoubt<Payload extends object>(
  { batch, rows }: DoubtfulBatch<Payload>,
  context: SendingContext<Payload>,
  rounds: Map<number, number>,
): Promise<Round<Payload>> {
  if (context.stop.reason) {
    const outcomes = rows.map((row): RowOutcome<Payload> => ({ ...row, status: 'unknown', error: unknownRow(doubtful) }));
    return { outcomes, repeat: [] };
  }
  return conclude(batch, rows, await resolveDoubt(batch, rows, context, () => true), context, rounds);
}

interface Round<Payload extends object> {
  readonly outcomes: readonly RowOutcome<Payload>[];
  /** Rows to send once more, or in smaller batches. */
  readonly repeat: readonly BulkRow<Payload>[];
}

function groupsOf<Payload extends object>(
  rows: readonly BulkRow<Payload>[],
  { group }: BulkOperation<Payload>,
): (readonly BulkRow<Payload>[])[] {
  if (!group) return rows.length > 0 ? [rows] : [];
  const groups = new Map<string, BulkRow<Payload>[]>();
  for (const row of rows) {
    const key = group(row.payload);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()];
}

function cut<Payload extends object>(
  rows: readonly BulkRow<Payload>[],
  { size, operation }: SendingContext<Payload>,
): [readonly BulkRow<Payload>[], readonly BulkRow<Payload>[]] {
  const bounded = rows.slice(0, size.limit);
  const fitting = operation.fitting?.(bounded.map(({ payload }) => payload)) ?? bounded.length;
  const count = Math.max(1, fitting);
  return [rows.slice(0, count), rows.slice(count)];
}

async function sendBatch<Payload extends object>(
  rows: readonly BulkRow<Payload>[],
  context: SendingContext<Payload>,
  rounds: Map<number, number>,
): Promise<Round<Payload>> {
  const batch = await begin(rows, context);
  if (batch === undefined) return { outcomes: rows.map((row) => notSent(row, context.stop)), repeat: [] };
  let verdicts: readonly Verdict[];
  try {
    const answer = await context.operation.call(payloadsOf(rows), context.signal);
    verdicts = await completed(answer, batch, rows, context, rounds);
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    if (error.throttled) context.pace?.throttled();
    if (isTooLarge(error) && rows.length > 1) {
      context.size.limit = Math.min(context.size.limit, Math.ceil(rows.length / 2));
      return (await record(batch, [], rows, context))
        ? { outcomes: [], repeat: rows }
        : { outcomes: rows.map((row) => notSent(row, context.stop)), repeat: [] };
    }
    verdicts = await afterFailure(error, batch, rows, context);
  }
  return conclude(batch, rows, verdicts, context, rounds);
}

/** Undefined where the batch may not be sent: its intent could not be written (J7), or the listing not be read before it. */
async function begin<Payload extends object>(
  rows: readonly BulkRow<Payload>[],
  { ledger, stop }: SendingContext<Payload>,
): Promise<number | undefined> {
  try {
    return await ledger.intent(rows);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    stop.request(stopOf(error));
    return undefined;
  }
}

/** Gives a verdict to the rows that the answer left out: they are class A (1.5 rule 6). */
async function completed<Payload extends object>(
  { verdicts, surplus }: BatchAnswer,
  batch: number,
  rows: readonly BulkRow<Payload>[],
  context: SendingContext<Payload>,
  rounds: ReadonlyMap<number, number>,
): Promise<readonly Verdict[]> {
  if (surplus.length > 0) context.onSurplus(surplus);
  const missing = rows.filter((_, position) => !verdicts[position]);
  if (missing.length === 0) return verdicts as readonly Verdict[];
  await settleKnown(batch, rows, verdicts, context);
  await context.ledger.ambiguous(batch, missing, 'the answer left rows out');
  const found = new Map<number, Verdict>();
  const resolved = await resolveDoubt(batch, missing, context, (row) => (rounds.get(row.index) ?? 1) < maximalRounds);
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

async function afterFailure<Payload extends object>(
  error: CallError,
  batch: number,
  rows: readonly BulkRow<Payload>[],
  context: SendingContext<Payload>,
): Promise<readonly Verdict[]> {
  if (error.outcome === 'ambiguous') {
    await context.ledger.ambiguous(batch, rows, error.message);
    const verdicts = await resolveDoubt(batch, rows, context, () => false);
    const inDoubt = verdicts.filter((verdict) => verdict.kind === 'doubtful');
    if (inDoubt.length > 0) context.stop.request(stopOf(unknownOutcome(error, inDoubt)));
    return verdicts;
  }
  if (error.outcome === 'rejected' && error.apiCode === 1306 && context.operation.look) {
    return look(rows, 'missing', context);
  }
  if (stopsRun(error) && !isTooLarge(error)) {
    context.stop.request(stopOf(error));
    return rows.map(() => again);
  }
  const code = error.apiCode ?? (isTooLarge(error) ? 1310 : 0);
  return rows.map(() => ({ kind: 'failed', error: { code, message: error.message } }));
}

/** `mayRepeat`: whether a row that an answer left out may be sent again; a call without an answer was repeated by the client. */
async function resolveDoubt<Payload extends object>(
  batch: number,
  rows: readonly BulkRow<Payload>[],
  context: SendingContext<Payload>,
  mayRepeat: (row: BulkRow<Payload>) => boolean,
): Promise<readonly Verdict[]> {
  switch (context.operation.doubt) {
    case 'repeat':
      return rows.map((row) => (mayRepeat(row) ? again : doubtful));
    case 'look':
      return look(rows, 'ambiguous', context);
    case 'read_back':
      return context.readBack ? context.readBack(batch, rows) : rows.map(() => doubtful);
    case 'leave':
      return rows.map(() => doubtful);
  }
}

async function look<Payload extends object>(
  rows: readonly BulkRow<Payload>[],
  reason: 'ambiguous' | 'missing',
  context: SendingContext<Payload>,
): Promise<readonly Verdict[]> {
  const blind = reason === 'ambiguous' ? doubtful : again;
  if (!context.operation.look || !context.mayCall()) return rows.map(() => blind);
  try {
    return await context.operation.look(payloadsOf(rows), reason, context.signal);
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    context.stop.request(
      stopOf(
        reason === 'ambiguous'
          ? unknownOutcome(
              error,
              rows.map(() => doubtful),
            )
          : error,
      ),
    );
    return rows.map(() => blind);
  }
}

async function conclude<Payload extends object>(
  batch: number,
  rows: readonly BulkRow<Payload>[],
  verdicts: readonly Verdict[],
  context: SendingContext<Payload>,
  rounds: Map<number, number>,
): Promise<Round<Payload>> {
  const outcomes: RowOutcome<Payload>[] = [];
  const repeat: BulkRow<Payload>[] = [];
  let cooling = 0;
  for (const [position, row] of rows.entries()) {
    const verdict = verdicts[position] ?? doubtful;
    if (verdict.kind === 'failed' && verdict.error.code === 1219) cooling += 1;
    if (verdict.kind === 'failed' && verdict.error.code === 1220) context.stop.request(stopOf(linksUsedUp()));
    if (verdict.kind === 'again' || (verdict.kind === 'failed' && isTemporary(verdict.error))) repeat.push(row);
    else outcomes.push(outcomeOf(row, verdict, context.operation));
  }
  if (!(await record(batch, outcomes, repeat, context)))
    return { outcomes: [...outcomes.map(unrecorded), ...repeat.map((row) => notSent(row, context.stop))], repeat: [] };
  const exhausted = repeat.filter((row) => nextRound(rounds, row.index) > maximalRounds);
  if (exhausted.length > 0) context.stop.request(stopOf(notTaken(exhausted.length, cooling)));
  if (cooling > 0) context.pace?.throttled();
  else if (outcomes.length > 0) context.pace?.succeeded();
  if (cooling > 0 && !context.stop.reason) await coolDown(rounds.get(repeat[0]?.index ?? -1) ?? 1, context);
  return { outcomes, repeat };
}

/** Whether it could be written down; where not, the run stops (J7). */
async function record<Payload extends object>(
  batch: number,
  outcomes: readonly RowOutcome<Payload>[],
  released: readonly BulkRow<Payload>[],
  { ledger, stop }: SendingContext<Payload>,
): Promise<boolean> {
  try {
    await ledger.settled(batch, outcomes, released);
    return true;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    stop.request(stopOf(error));
    return false;
  }
}

/** J2: what is not written down is not told as done. */
function unrecorded<Payload extends object>(outcome: RowOutcome<Payload>): RowOutcome<Payload> {
  if (!doneStatuses.has(outcome.status)) return outcome;
  return { ...outcome, status: 'unknown', error: { code: 0, message: 'it was done, but could not be written down' } };
}

function nextRound(rounds: Map<number, number>, index: number): number {
  const round = (rounds.get(index) ?? 1) + 1;
  rounds.set(index, round);
  return round;
}

/** 1219 and 1220 on an item: not applied, and not the row's fault. */
function isTemporary({ code }: { readonly code: number }): boolean {
  return code === 1219 || code === 1220;
}

/** Full jitter on the base of throttling. */
async function coolDown<Payload extends object>(round: number, { system, signal }: SendingContext<Payload>): Promise<void> {
  const cap = Math.min(1000 * 2 ** (round - 1), 20_000);
  await system.sleep(Math.ceil(system.random() * cap), signal).catch(() => undefined);
}

function outcomeOf<Payload extends object>(
  row: BulkRow<Payload>,
  verdict: Verdict,
  operation: BulkOperation<Payload>,
): RowOutcome<Payload> {
  if (verdict.kind === 'failed') return { ...row, status: 'failed', error: verdict.error };
  if (verdict.kind !== 'done') return { ...row, status: 'unknown', error: unknownRow(verdict) };
  const { record, evidence } = verdict;
  const matchedByPosition = evidence === 'position' ? true : undefined;
  const differences = record ? (operation.notApplied?.(row.payload, record) ?? []) : [];
  if (differences.length === 0) return { ...row, status: operation.statusOf(row.payload, verdict), record, matchedByPosition };
  return { ...row, status: 'failed', record, matchedByPosition, error: notAppliedError(differences) };
}

function unknownRow(verdict: Verdict): RowError {
  const seen = verdict.kind === 'doubtful' && verdict.candidates ? verdict.candidates : [];
  return {
    code: 0,
    message: 'whether it took effect is not known',
    ...(seen.length > 0 && { details: `perhaps it did: ${seen.join(', ')}` }),
  };
}

function notAppliedError(differences: readonly { field: string; asked: unknown; got: unknown }[]): RowError {
  return {
    code: 0,
    message: `not applied: ${differences.map(({ field }) => field).join(', ')}`,
    details: differences
      .map(({ field, asked, got }) => `${field}: asked for ${JSON.stringify(asked)}, got ${JSON.stringify(got)}`)
      .join('; '),
  };
}

function unknownOutcome(error: CliError, inDoubt: readonly Doubtful[]): CliError {
  const candidates = inDoubt.flatMap((verdict) => verdict.candidates ?? []);
  const subject = inDoubt.length === 1 ? 'it' : `${inDoubt.length} rows`;
  const message = error.kind === 'unknown' ? error.message : `whether ${subject} took effect is not known: ${error.message}`;
  return new UnknownOutcomeError(message, {
    hint: candidates.length > 0 ? 'look at these before repeating the command' : error.hint,
    details: [...error.details, ...candidates.map((shortUrl) => `perhaps it did: ${shortUrl}`)],
    cause: error,
  });
}

function linksUsedUp(): CliError {
  return new LimitError('the account holds as many URLs as it may', {
    apiCode: 1220,
    hint: 'delete URLs or raise the limit, then run the same command again',
  });
}

function notTaken(count: number, cooling: number): CliError {
  return cooling > 0
    ? new UnavailableError(`the server still cools down (${count} rows)`, {
        apiCode: 1219,
        hint: 'run the same command again later',
      })
    : new UnavailableError(`the server did not take ${count} rows in ${maximalRounds} attempts`, {
        hint: 'run the same command again later',
      });
}

function payloadsOf<Payload extends object>(rows: readonly BulkRow<Payload>[]): Payload[] {
  return rows.map(({ payload }) => payload);
}
