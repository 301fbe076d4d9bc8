import { checksum } from '../../base/checksum.ts';
import { LocalError } from '../../base/errors.ts';
import { isSettled, type OpenIntent, type RunState } from '../journal/journal-state.ts';
import { knownBefore } from '../matching/row-verdict.ts';
import { serializeBatch } from '../operations/batches.ts';
import { hashGiver } from '../operations/generated-hash.ts';
import type { BulkRow, RowOutcome, Skip } from '../results/row-outcome.ts';
import type { RunRow } from '../run-plan.ts';
import { sendRows } from '../sending/sending.ts';
import { type DoubtfulBatch, isSettledLater, notSent, unknownOutcome } from '../sending/settling.ts';
import type { Execution } from './execution.ts';

/** Neighbouring rows that are worked on together; what comes out is in the order of what goes in. */
export interface Segment<Payload extends object> {
  readonly rows: BulkRow<Payload>[];
  /** Rows to send. */
  readonly free: BulkRow<Payload>[];
  /** Batches that an earlier process left open, with their unsettled rows (J6). All of a batch is in one segment. */
  readonly open: Map<OpenIntent, BulkRow<Payload>[]>;
  /** Rows that an earlier process left in doubt without a batch to ask for. */
  readonly unsure: BulkRow<Payload>[];
}

/** Rows without anything to send that are passed on together. */
const settledRows = 1000;

/**
 * Reads every row of the input once and cuts it, one segment at a time. Where rows cannot be read any more the run stops, and they
 * are reported without their values (R-X9).
 */
export async function* segmentsOf<Payload extends object>(run: Execution<Payload>): AsyncGenerator<Segment<Payload>> {
  const { input } = run.plan;
  const cutter = createCutter(run);
  try {
    for await (const rows of input.open()) {
      for (const row of rows) {
        const segment = cutter.add(row);
        if (segment) yield segment;
      }
    }
  } catch (error) {
    run.stop.because(error);
  }
  while (cutter.added() < input.rows) {
    const segment = cutter.add({ line: undefined, item: {} });
    if (segment) yield segment;
  }
  const last = cutter.rest();
  if (last.rows.length > 0) yield last;
}

interface Cutter<Payload extends object> {
  /** The segment that this row completes, if it does. */
  add(row: RunRow): Segment<Payload> | undefined;
  added(): number;
  rest(): Segment<Payload>;
}

function createCutter<Payload extends object>(run: Execution<Payload>): Cutter<Payload> {
  const { rules, operation, begun } = run;
  const { state } = begun;
  const { readAt } = run.plan.input;
  const intentOf = openIntents(state);
  const payloadOf = payloadMaker(run);
  let segment = emptySegment<Payload>();
  let index = 0;
  /** Rows of open batches of this segment that are still to come. */
  let expected = 0;

  function addOpen(intent: OpenIntent, row: BulkRow<Payload>): void {
    const known = segment.open.get(intent);
    if (known) known.push(row);
    else {
      segment.open.set(intent, [row]);
      // A row that was sent twice belongs to its newest batch.
      for (const sent of intent.unsettled) if (intentOf.get(sent) === intent) expected += 1;
    }
    expected -= 1;
  }

  const linkOf = (before: RunRow['before']) => before !== undefined && { listed: before, before, readAt };
  // What is read of a link in doubt may be what this run made of it.
  const linkBefore = (row: number, payload: Payload) => {
    const priorUrl = state.priorUrls.get(row);
    return priorUrl === undefined ? undefined : { before: knownBefore(priorUrl, payload) };
  };

  return {
    add({ line, item, before, refusal, skip }) {
      const found = state.stateOf(index);
      const payload = payloadOf(item, index);
      const row: BulkRow<Payload> = {
        index,
        line,
        item,
        payload,
        ...(refusal && { refusal }),
        ...(skip !== undefined && found === 'free' && !intentOf.has(index) && { skip }),
        ...(found === 'free' ? linkOf(before) : { listed: before, ...linkBefore(index, payload) }),
      };
      const intent = intentOf.get(index);
      index += 1;
      segment.rows.push(row);
      if (intent) addOpen(intent, row);
      else if (found === 'free' && row.skip === undefined) segment.free.push(row);
      else if (found === 'unknown' && isSettledLater(operation)) segment.unsure.push(row);
      const isFull = segment.free.length >= rules.limit || segment.rows.length >= rules.limit + settledRows;
      if (!isFull || expected > 0) return undefined;
      const full = segment;
      segment = emptySegment();
      return full;
    },
    added: () => index,
    rest: () => segment,
  };
}

function emptySegment<Payload extends object>(): Segment<Payload> {
  return { rows: [], free: [], open: new Map(), unsure: [] };
}

function openIntents({ open }: RunState): Map<number, OpenIntent> {
  const intents = new Map<number, OpenIntent>();
  for (const intent of open.values()) for (const row of intent.unsettled) intents.set(row, intent);
  return intents;
}

/** What is sent for a row. One that is settled is not sent, and needs no hash. */
function payloadMaker<Payload extends object>({ plan, begun, system }: Execution<Payload>) {
  if (!plan.mode?.generateHashes) return plan.payload;
  const { state } = begun;
  const giveHash = hashGiver(plan.mode, system);
  return (item: object, index: number): Payload => {
    const payload = plan.payload(item);
    return isSettled(state.stateOf(index)) ? payload : giveHash(payload, state.keys.get(index));
  };
}

/** The outcome of every row of a segment, in order. Rejects only for a bug of ours. */
export async function settleSegment<Payload extends object>(
  segment: Segment<Payload>,
  run: Execution<Payload>,
): Promise<readonly RowOutcome<Payload>[]> {
  const sent = await sendSegment(segment, run);
  const { state } = run.begun;
  // Rows that this process did not touch have what an earlier one left of them.
  const settled = segment.rows.filter(({ index }) => isSettled(state.stateOf(index)));
  const earlier = ((await run.recorded?.outcomesOf(settled)) ?? []).values();
  return segment.rows.map((row) => {
    const of = state.stateOf(row.index);
    if (row.skip) return leftOut(row, row.skip);
    if (isSettled(of)) return earlier.next().value ?? unknownOutcome(row, run.operation);
    return sent.get(row.index) ?? (of === 'free' ? notSent(row, run.stop) : unknownOutcome(row, run.operation));
  });
}

function leftOut<Payload extends object>(row: BulkRow<Payload>, { status, reason }: Skip): RowOutcome<Payload> {
  return reason === undefined ? { ...row, status } : { ...row, status, error: { code: 0, message: reason } };
}

type Outcomes<Payload extends object> = ReadonlyMap<number, RowOutcome<Payload>>;

async function sendSegment<Payload extends object>(
  { free, open, unsure }: Segment<Payload>,
  run: Execution<Payload>,
): Promise<Outcomes<Payload>> {
  const { operation, limiter, stop } = run;
  const inDoubt: DoubtfulBatch<Payload>[] = [...open].map(([{ batch }, rows]) => ({ batch, rows }));
  if (unsure.length > 0) inDoubt.push({ batch: 0, rows: unsure });
  if (free.length + inDoubt.length === 0 || stop.reason) return new Map();
  const ends: (() => void)[] = [];
  try {
    assertSamePayload(open, run);
    const doubtful = inDoubt.flatMap(({ rows }) => rows);
    if (operation.sharedBy)
      ends.push(await run.mutex.hold([...free, ...doubtful].flatMap(({ payload }) => operation.sharedBy?.(payload) ?? [])));
    if (run.holdsPermit) ends.push(await limiter.acquire());
    const repeats = operation.doubt === 'repeat';
    if (repeats) for (const { index } of doubtful) run.inDoubt.add(index);
    const isMixed = repeats && doubtful.length > 0;
    const rows = isMixed ? [...free, ...doubtful].sort((one, other) => one.index - other.index) : free;
    if (!run.prove) return await sendRows(rows, run, repeats ? [] : inDoubt);
    // What is in doubt comes before what was never sent, so that links are made in their order (P4).
    const settled = repeats || inDoubt.length === 0 ? [] : await sendRows([], run, inDoubt);
    const proving = await run.prove(rows);
    const rest = proving.size === 0 ? rows : rows.filter(({ index }) => !proving.has(index));
    return new Map([...settled, ...proving, ...(await sendRows(rest, run))]);
  } catch (error) {
    stop.because(error);
    return new Map();
  } finally {
    for (const end of ends.reverse()) end();
  }
}

/** Rows that were on their way are sent again as they were, or not at all (J8). */
function assertSamePayload<Payload extends object>(
  open: Segment<Payload>['open'],
  { begun: { name } }: Execution<Payload>,
): void {
  for (const [intent, rows] of open) {
    if (rows.length < intent.rows.length || checksum(serializeBatch(rows).json) === intent.payload) continue;
    throw new LocalError(`run ${name} would now send other values than when it started`, {
      hint: `use the linkctl version that started it; to discard the run: linkctl runs forget ${name}`,
    });
  }
}
