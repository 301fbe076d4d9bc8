import { isoTime } from '../../base/times.ts';
import { lateDuplicates } from '../checked/late-duplicates.ts';
import { isSettled } from '../journal/journal-state.ts';
import { doubtful } from '../matching/row-verdict.ts';
import { hashAssigner } from '../operations/made-hashes.ts';
import { renamesFollowed } from '../operations/renames.ts';
import type { RowOutcome } from '../results/row-outcome.ts';
import { concurrencyOf, type RunRow } from '../run-plan.ts';
import { sendRows } from '../sending/batch-sender.ts';
import { outcomeOfFreeRow, type RecordedBatch, unknownOutcome } from '../sending/settling.ts';
import { assertSamePayload, earlierRows } from './earlier-rows.ts';
import { type Execution, newRow, type RunOutput, type Segment } from './execution.ts';
import { stepAfter, stepBefore } from './steps.ts';

/** Settles several segments at once and yields their rows in input order. */
export async function* batchLoop(run: Execution, output: RunOutput): AsyncGenerator<readonly RowOutcome[]> {
  const { plan, stop } = run;
  const underWay: Promise<readonly RowOutcome[]>[] = [];
  const window = concurrencyOf(plan) + 2;
  const hold = createHold();
  const ignoreSignals = stopOnSignal(run);
  try {
    if (!stop.reason && plan.steps) await stepBefore(plan.steps, run).catch(stop.because);
    for await (const segment of segmentsOf(run)) {
      // A run whose file has changed cannot be resumed, so nothing more is sent.
      const changeError = stop.reason ? undefined : await plan.input.changeError?.();
      if (changeError) stop.because(changeError);
      const settled = settleSegment(segment, run, hold);
      settled.catch(() => undefined);
      underWay.push(settled);
      if (underWay.length >= window) yield await (underWay.shift() ?? settled);
    }
    for (const settled of underWay) yield await settled;
    const surplus = plan.mode?.name === 'checked' ? await lateDuplicates(run) : [];
    output.surplus = surplus ?? [];
    const { failed, unknown, not_sent } = output.tally.counts;
    const isWhole = !stop.reason && failed + unknown + not_sent === 0;
    const isDone = isWhole && (await stepAfter(run));
    output.isEnded = surplus !== undefined && (isDone || !plan.steps);
  } finally {
    ignoreSignals();
  }
}

type Hold = (names: readonly string[]) => Promise<() => void>;

/** Locks names, so that batches with a common name are not in flight together. Resolves in order, with a function that unlocks. */
function createHold(): Hold {
  const holders = new Map<string, Promise<void>>();
  return async (names) => {
    const own = new Set(names);
    const before = [...own].flatMap((name) => holders.get(name) ?? []);
    let free = (): void => {};
    const held = new Promise<void>((resolve) => {
      free = resolve;
    });
    for (const name of own) holders.set(name, held);
    await Promise.all(new Set(before));
    return () => {
      for (const name of own) if (holders.get(name) === held) holders.delete(name);
      free();
    };
  };
}

/** Maximum number of rows in a segment beyond a batch, if nothing is sent for them. */
const settledTogether = 1000;

async function* segmentsOf(run: Execution): AsyncGenerator<Segment> {
  const { rules, plan } = run;
  const making = { input: plan.input, payload: payloadMaker(run) };
  const followed = renamesFollowed(run.operation);
  const earlier = run.begun.resumed ? earlierRows(run) : undefined;
  let segment = emptySegment();
  let index = 0;
  for await (const rows of inputRows(run)) {
    for (const read of rows) {
      const row = followed(newRow(read, index, making));
      const isFree = earlier?.isFree(index) ?? true;
      index += 1;
      segment.rows.push(isFree ? row : ((await earlier?.assigned(row, segment)) ?? row));
      if (isFree && row.skip === undefined) segment.free.push(row);
      const isFull = segment.free.length >= rules.limit || segment.rows.length >= rules.limit + settledTogether;
      if (!isFull || earlier?.isExpecting()) continue;
      yield segment;
      segment = emptySegment();
    }
  }
  if (segment.rows.length > 0) yield segment;
}

/** If rows can no longer be read, the run stops and reports them without values. */
async function* inputRows({ plan: { input }, stop }: Execution): AsyncGenerator<readonly RunRow[]> {
  let count = 0;
  try {
    for await (const rows of input.open()) {
      count += rows.length;
      yield rows;
    }
  } catch (error) {
    stop.because(error);
  }
  for (; count < input.rows; count += 1) yield [{ line: undefined, item: {} }];
}

function emptySegment(): Segment {
  return { rows: [], free: [], open: new Map() };
}

/** Settled rows are not sent and need no hash. */
function payloadMaker({ plan, begun, system }: Execution) {
  if (!plan.mode?.generateHashes) return plan.payload;
  const { state } = begun;
  const assignHash = hashAssigner(plan.mode, system);
  return (item: object, index: number): object => {
    const payload = plan.payload(item);
    return isSettled(state.stateOf(index)) ? payload : assignHash(payload, state.keys.get(index));
  };
}

/** Returns the outcomes of all rows in order. `hold` separates batches that share a link. Errors of sending stop the run. */
async function settleSegment(segment: Segment, run: Execution, hold: Hold): Promise<readonly RowOutcome[]> {
  const sent = await sendSegment(segment, run, hold);
  const { state } = run.begun;
  // The journal has the outcomes of rows that an earlier process settled.
  const settled = segment.rows.filter(({ index }) => isSettled(state.stateOf(index)));
  const recorded = await run.recorded?.outcomesOf(settled).catch((error: unknown) => run.stop.because(error));
  const earlier = (recorded ?? []).values();
  return segment.rows.map((row) => {
    const rowState = state.stateOf(row.index);
    if (rowState === 'free') return outcomeOfFreeRow(row, sent, run);
    const outcome = isSettled(rowState) ? earlier.next().value : sent.get(row.index);
    if (outcome) return outcome;
    if (rowState !== 'unknown') return unknownOutcome(row, run.operation);
    return unknownOutcome(row, run.operation, doubtful, state.unknownDetails.get(row.index));
  });
}

type Outcomes = ReadonlyMap<number, RowOutcome>;

async function sendSegment({ free, open }: Segment, run: Execution, hold: Hold): Promise<Outcomes> {
  const { operation, limiter, stop } = run;
  const inDoubt: RecordedBatch[] = [...open].map(([{ batch }, rows]) => ({ batch, rows }));
  if (free.length + inDoubt.length === 0 || stop.reason) return new Map();
  const ends: (() => void)[] = [];
  try {
    assertSamePayload(open, run);
    const doubtful = inDoubt.flatMap(({ rows }) => rows);
    if (operation.sharedBy)
      ends.push(await hold([...free, ...doubtful].flatMap(({ payload }) => operation.sharedBy?.(payload) ?? [])));
    if (run.holdsPermit) ends.push(await limiter.acquire());
    const repeats = operation.doubt === 'repeat';
    if (repeats) for (const { index } of doubtful) run.inDoubt.add(index);
    const rows = repeats ? [...free, ...doubtful].sort((one, other) => one.index - other.index) : free;
    if (!run.prove) return await sendRows(rows, run, repeats ? [] : inDoubt);
    // Rows in doubt are settled before new rows are sent, so that links are created in order.
    const settled = await sendRows([], run, repeats ? [] : inDoubt);
    const proving = await run.prove(rows);
    const rest = rows.filter(({ index }) => !proving.has(index));
    return new Map([...settled, ...proving, ...(await sendRows(rest, run))]);
  } catch (error) {
    stop.because(error);
    return new Map();
  } finally {
    for (const end of ends.reverse()) end();
  }
}

/** Milliseconds before calls in flight are aborted after a signal. */
const grace = 10_000;

/** After the first signal, starts nothing new and aborts calls in flight after a grace period. Returns a function that stops listening. */
export function stopOnSignal(run: Pick<Execution, 'interrupt' | 'system' | 'stop' | 'begun' | 'abort'>): () => void {
  const { interrupt, system, stop, begun, abort } = run;
  if (!interrupt) return () => {};
  const finished = new AbortController();
  const interrupted = (): void => {
    stop.request({ kind: 'signal' });
    begun.journal.write({ type: 'signal', at: isoTime(system.now()) }).catch(() => undefined);
    system.sleep(grace, finished.signal).then(abort, () => undefined);
  };
  if (interrupt.aborted) interrupted();
  else interrupt.addEventListener('abort', interrupted, { once: true });
  return () => {
    interrupt.removeEventListener('abort', interrupted);
    finished.abort();
  };
}
