import { checksum } from '../base/checksum.ts';
import { LocalError } from '../base/errors.ts';
import type { ShortenItem } from '../contract/operations.ts';
import { serializeBatch } from './batches.ts';
import { readBackBatch } from './checked/batch-read-back.ts';
import { createIdempotencyProbe, type IdempotencyProbe, provenFor } from './checked/idempotency-probe.ts';
import { takeWatermark } from './checked/watermark.ts';
import { journalLedger } from './journal/ledger.ts';
import type { Watermark } from './journal/lines.ts';
import { isSettled } from './journal/run-state.ts';
import { type Segment, sharedUrls } from './journal/segments.ts';
import type { KnownRecord } from './matching/verdict.ts';
import { shortUrlOf } from './operations/short-url.ts';
import type { BulkRow, RowOutcome } from './results/row-outcome.ts';
import type { BegunRun } from './run-beginning.ts';
import { callsPerBatch, type RunPlan } from './run-plan.ts';
import { BudgetError } from './sending/counted-client.ts';
import { createKeyedMutex, createLimiter, type KeyedMutex, type Limiter } from './sending/limiter.ts';
import { notSent, unknownOutcome } from './sending/outcomes.ts';
import { sendRows } from './sending/sending.ts';
import type { DoubtfulBatch, Ledger, SendingContext } from './sending/sending-context.ts';
import type { Stop } from './sending/stop.ts';
import type { WorkMeans, WorkSettings } from './sending/work-settings.ts';

/** Does the rows of one segment after the other, several at a time. */
export interface RunWork<Payload extends object> {
  /** What became of each row of the segment, in order. Rejects only for a bug of ours. */
  process(segment: Segment<Payload>): Promise<readonly RowOutcome<Payload>[]>;
  /** Rows that fit in one call, as far as is known. */
  batchSize(): number;
}

/** In flight at once. */
const usualConcurrency = 4;
const maximalConcurrency = 16;

export function concurrencyOf<Payload extends object>({ mode, concurrency = usualConcurrency }: RunPlan<Payload>): number {
  return mode?.name === 'checked' ? 1 : Math.min(Math.max(1, concurrency), maximalConcurrency);
}

export function createWork<Payload extends object>(settings: WorkSettings<Payload>, means: WorkMeans): RunWork<Payload> {
  const { plan, operation, environment } = settings;
  const limiter = createLimiter(concurrencyOf(plan));
  settings.counted.heed(limiter.throttled);
  const ledger = ledgerOf(settings, means);
  const context: SendingContext<Payload> = {
    operation,
    ledger,
    system: environment.system,
    stop: means.stop,
    signal: means.signal,
    size: { limit: plan.batchSize },
    failFast: plan.failFast ?? false,
    enter: isStrict(plan) ? undefined : limiter.enter,
    throttle: limiter,
    // In checked mode the mark that is taken before a batch pays for both.
    mayCall: (calls = plan.mode?.name === 'checked' ? 0 : 1) => mayCall(calls, settings, means.stop),
    inDoubt: new Set(),
    before: new Map(settings.begun.state.before),
    onSurplus: (records) => keepSurplus(records, settings, means),
    readBack: (batch, rows) => readBackBatch(batch, rows, settings, means),
  };
  const runner: BatchRunner<Payload> = {
    settings,
    context,
    limiter: limiter,
    mutex: createKeyedMutex(),
    probe: probeOf(settings, context),
  };
  return {
    batchSize: () => context.size.limit,
    async process(segment) {
      const sent = await sendGuarded(segment, runner);
      return await withEarlier(segment.rows, sent, settings, means);
    },
  };
}

interface BatchRunner<Payload extends object> {
  readonly settings: WorkSettings<Payload>;
  readonly context: SendingContext<Payload>;
  readonly limiter: Limiter;
  readonly mutex: KeyedMutex;
  readonly probe: IdempotencyProbe | undefined;
}

type Outcomes<Payload extends object> = ReadonlyMap<number, RowOutcome<Payload>>;

async function sendGuarded<Payload extends object>(
  segment: Segment<Payload>,
  runner: BatchRunner<Payload>,
): Promise<Outcomes<Payload>> {
  const { stop } = runner.context;
  if (segment.free.length + segment.open.length + segment.unsure.length === 0 || stop.reason) return new Map();
  try {
    assertSamePayload(segment, runner.settings.begun);
    const release = await runner.mutex.hold(runner.settings.plan.mode?.name === 'dedupe' ? sharedUrls(segment) : []);
    const leave = isStrict(runner.settings.plan) ? await runner.limiter.enter() : undefined;
    return await send(segment, runner).finally(() => {
      leave?.();
      release();
    });
  } catch (error) {
    stop.because(error);
    return new Map();
  }
}

/** Whether what came of a batch is to be known and written down before another takes its place. */
function isStrict<Payload extends object>(plan: RunPlan<Payload>): boolean {
  return concurrencyOf(plan) === 1 || plan.failFast === true;
}

async function send<Payload extends object>(
  { free, open, unsure }: Segment<Payload>,
  runner: BatchRunner<Payload>,
): Promise<Outcomes<Payload>> {
  const { context, probe } = runner;
  const repeats = context.operation.doubt === 'repeat';
  const again = repeats ? [...open.flatMap(({ rows }) => rows), ...unsure] : [];
  for (const { index } of again) context.inDoubt.add(index);
  const rows = [...free, ...again].sort((one, other) => one.index - other.index);
  // Only a run that shortens has a canary, so these are its rows.
  const proving = ((await probe?.prove(rows as unknown as BulkRow<ShortenItem>[])) ?? new Map()) as Outcomes<Payload>;
  const inDoubt: DoubtfulBatch<Payload>[] = repeats ? [] : open.map(({ intent, rows }) => ({ batch: intent.batch, rows }));
  if (!repeats && unsure.length > 0) inDoubt.push({ batch: 0, rows: unsure });
  const rest = proving.size === 0 ? rows : rows.filter(({ index }) => !proving.has(index));
  const sent = await sendRows(rest, context, inDoubt);
  return proving.size === 0 ? sent : new Map([...proving, ...sent]);
}

/** Rows that this process did not touch have what an earlier one left of them. */
async function withEarlier<Payload extends object>(
  rows: readonly BulkRow<Payload>[],
  sent: Outcomes<Payload>,
  { begun: { state }, operation }: WorkSettings<Payload>,
  { stop, recorded }: WorkMeans,
): Promise<RowOutcome<Payload>[]> {
  const isEarlier = ({ index }: BulkRow): boolean => isSettled(state.stateOf(index));
  const earlier = (await recorded.outcomesOf(rows.filter(isEarlier))).values();
  return rows.map((row) => {
    if (isEarlier(row)) return earlier.next().value as RowOutcome<Payload>;
    return sent.get(row.index) ?? (state.stateOf(row.index) === 'free' ? notSent(row, stop) : unknownOutcome(row, operation));
  });
}

function ledgerOf<Payload extends object>(
  { plan, counted, domain, begun }: WorkSettings<Payload>,
  { journal, signal }: WorkMeans,
): Ledger<Payload> {
  const { client, calls } = counted;
  const paidWatermark = async (): Promise<Watermark> => {
    if (!calls.reserve(callsPerBatch(plan))) throw new BudgetError(plan.budget);
    return await takeWatermark({ client, domain }, signal);
  };
  return journalLedger({
    journal,
    firstBatch: begun.state.nextBatch,
    keyOf: plan.mode?.generateHashes ? ({ payload }) => (payload as { custom_hash?: string }).custom_hash ?? '' : undefined,
    takeWatermark: plan.mode?.name === 'checked' ? paidWatermark : undefined,
  });
}

/** Links that nobody asked for are named and kept in the journal; deleting them is for a person to decide (F33). */
function keepSurplus<Payload extends object>(
  records: readonly KnownRecord[],
  { environment }: WorkSettings<Payload>,
  { journal }: WorkMeans,
): void {
  const named = records.slice(0, 5).map(shortUrlOf).join(', ');
  environment.warn(`an answer held ${records.length} records that belong to no row: ${named}`);
  const found = records.map(({ hash }) => hash);
  // Whoever writes next is told if the journal is broken.
  journal.write({ type: 'reconcile', batch: 0, conclusive: true, found }).catch(() => undefined);
}

function mayCall<Payload extends object>(calls: number, { plan, counted }: WorkSettings<Payload>, stop: Stop): boolean {
  if (counted.calls.reserve(calls)) return true;
  stop.because(new BudgetError(plan.budget));
  return false;
}

function probeOf<Payload extends object>(
  { plan, counted, domain, folders, environment }: WorkSettings<Payload>,
  context: SendingContext<Payload>,
): IdempotencyProbe | undefined {
  if (plan.mode?.name !== 'keyed') return undefined;
  const { identity } = environment.client;
  return createIdempotencyProbe({
    client: counted.client,
    domain,
    // A mode is for shortening, so these are its rows.
    context: context as unknown as SendingContext<ShortenItem>,
    system: environment.system,
    folder: folders.canaries,
    subject: provenFor(identity, domain, plan.mode.generateHashes),
    generated: plan.mode.generateHashes,
  });
}

/** Rows that were on their way are sent again as they were, or not at all (J8). */
function assertSamePayload<Payload extends object>({ open }: Segment<Payload>, { name }: BegunRun): void {
  for (const { intent, rows } of open) {
    if (rows.length < intent.rows.length || checksum(serializeBatch(rows).json) === intent.payload) continue;
    throw new LocalError(`the run ${name} would send other values now than when it was begun`, {
      hint: `use the linkctl that began it, or linkctl runs forget ${name}`,
    });
  }
}
