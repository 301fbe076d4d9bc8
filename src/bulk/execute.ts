import { setMaxListeners } from 'node:events';
import { type CliError, LocalError } from '../base/errors.ts';
import { everyRow, stopWhenChanged } from './every-row.ts';
import { openJournal } from './journal/journal.ts';
import { recordedOutcomes } from './journal/recorded-outcomes.ts';
import { isSettled } from './journal/run-state.ts';
import { segmentsOf } from './journal/segments.ts';
import { hashGiver } from './operations/generated-hash.ts';
import { type OutcomeFile, openFailed, openResults } from './results/results.ts';
import { type RowOutcome, type RunningTally, type StopReason, startTally, type Tally } from './results/row-outcome.ts';
import { audit, close, listen } from './run-ending.ts';
import { concurrencyOf, createWork, type RunWork } from './run-work.ts';
import { createStop, type Stop } from './sending/stop.ts';
import type { WorkSettings } from './sending/work-settings.ts';

export interface RunProgress {
  readonly rows: number;
  readonly rowsSettled: number;
  readonly batches: number;
  readonly batchesSettled: number;
  readonly failed: number;
}

export interface RunSummary {
  readonly tally: Tally;
  readonly stop: StopReason | undefined;
  /** Calls made by this process; repeats count once. */
  readonly calls: number;
  readonly milliseconds: number;
  /** Items in one call that the server turned out to take, where it took fewer than the plan has. */
  readonly workingSize: number | undefined;
  /** Short URLs of records that the run seems to have made beside those of its rows (1.2, F07). */
  readonly surplus: readonly string[];
}

export interface ExecutedRun<Payload extends object> {
  /**
   * Every row of the input once, in its order, with its final status, some at a time; to be read once. Nothing is sent before it
   * is read, and no more than a few batches ahead of the reader. A reader that leaves early stops the run: what is under way is
   * finished.
   */
  readonly rows: AsyncIterable<readonly RowOutcome<Payload>[]>;
  progress(): RunProgress;
  /** When the rows were read. Ends with `runEnd(tally, stop)`. */
  summary(): RunSummary;
}

/** The rows of a begun run, worked on as they are read, and its end. */
export function executeRun<Payload extends object>(
  settings: WorkSettings<Payload> & { readonly batches: number; readonly refusal?: CliError | undefined },
): ExecutedRun<Payload> {
  const { plan, environment, counted, batches, refusal } = settings;
  const execution: ExecutedWork<Payload> = {
    settings,
    files: openFiles(settings),
    stop: createStop(),
    tally: startTally(),
    surplus: [],
    workingSize: undefined,
    endedAt: undefined,
  };
  if (refusal) execution.stop.because(refusal);
  const startedAt = environment.system.now();
  return {
    rows: rowsOf(execution),
    progress: () => ({
      rows: plan.input.rows,
      rowsSettled: execution.tally.rows,
      batches,
      batchesSettled: Math.min(batches, Math.floor((execution.tally.rows * batches) / Math.max(1, plan.input.rows))),
      failed: execution.tally.counts.failed,
    }),
    summary: () => ({
      tally: execution.tally,
      stop: execution.stop.reason,
      calls: counted.calls.made,
      milliseconds: (execution.endedAt ?? environment.system.now()) - startedAt,
      workingSize: execution.workingSize,
      surplus: execution.surplus,
    }),
  };
}

interface ExecutedWork<Payload extends object> {
  readonly settings: WorkSettings<Payload>;
  readonly files: readonly OutcomeFile[];
  readonly stop: Stop;
  readonly tally: RunningTally;
  surplus: readonly string[];
  workingSize: number | undefined;
  endedAt: number | undefined;
}

async function* rowsOf<Payload extends object>(execution: ExecutedWork<Payload>): AsyncGenerator<readonly RowOutcome<Payload>[]> {
  const source = segments(execution);
  let isRead = false;
  try {
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
    isRead = true;
  } finally {
    if (!isRead) {
      execution.stop.because(readerGone());
      while (!(await source.next()).done);
    }
  }
}

/** To be read to its end, also when nobody wants the rows any more: that is where the run is closed. */
async function* segments<Payload extends object>(
  execution: ExecutedWork<Payload>,
): AsyncGenerator<readonly RowOutcome<Payload>[]> {
  const { settings, files, stop, tally } = execution;
  const { plan, environment, begun } = settings;
  const journal = await openJournal(begun.journal, begun.state.size, environment.openJournalFile).catch((error: unknown) => {
    begun.release();
    throw error;
  });
  const recorded = recordedOutcomes(begun.journal, begun.state);
  const abort = new AbortController();
  // Each call under way listens to it, and Node takes more than ten for a leak.
  setMaxListeners(0, abort.signal);
  const ignore = listen(settings, stop, abort, journal);
  let isWhole = false;
  try {
    const work = createWork(settings, { journal, recorded, stop, signal: abort.signal });
    for await (const outcomes of inOrder(settings, work, stop)) {
      for (const outcome of outcomes) {
        tally.add(outcome);
        for (const file of files) file.add(outcome);
      }
      yield outcomes;
    }
    isWhole = tally.rows === plan.input.rows;
    if (work.batchSize() < plan.batchSize) execution.workingSize = work.batchSize();
    execution.surplus = await audit(settings, stop, abort.signal);
  } finally {
    ignore();
    await close(journal, files, isWhole, { ...settings, stop, isComplete: isComplete(execution) });
    await recorded.close();
    begun.release();
    execution.endedAt = environment.system.now();
  }
}

/** Rows that are not settled for good make a run that can be gone on with. */
function isComplete<Payload extends object>({ settings, stop, tally }: ExecutedWork<Payload>): boolean {
  const { not_sent, unknown } = tally.counts;
  return !stop.reason && not_sent === 0 && (unknown === 0 || unknownNow[settings.operation.doubt] === 'final');
}

/** Keeps some segments under way, and hands out their outcomes in the order of the input. */
async function* inOrder<Payload extends object>(
  settings: WorkSettings<Payload>,
  work: RunWork<Payload>,
  stop: Stop,
): AsyncGenerator<readonly RowOutcome<Payload>[]> {
  const { plan, begun, operation } = settings;
  const underWay: Promise<readonly RowOutcome<Payload>[]>[] = [];
  const window = concurrencyOf(plan) + 2;
  const source = segmentsOf({
    input: everyRow(plan.input, stop),
    state: begun.state,
    size: work.batchSize,
    payloadOf: payloadMaker(settings),
    unknownIs: unknownNow[operation.doubt],
  });
  for await (const segment of source) {
    await stopWhenChanged(plan.input, stop);
    const outcomes = work.process(segment);
    outcomes.catch(() => undefined);
    underWay.push(outcomes);
    while (underWay.length >= window) yield (await underWay.shift()) ?? [];
  }
  for (let next = underWay.shift(); next; next = underWay.shift()) yield await next;
}

const unknownNow = { repeat: 'open', look: 'open', read_back: 'final', leave: 'final' } as const;

/** What is sent for a row. One that is settled is not sent, and needs no hash. */
function payloadMaker<Payload extends object>({ plan, begun, environment }: WorkSettings<Payload>) {
  if (!plan.mode?.generateHashes) return plan.payload;
  const { state } = begun;
  const giveHash = hashGiver(plan.mode, environment.system);
  return (item: object, index: number): Payload => {
    const payload = plan.payload(item);
    return isSettled(state.stateOf(index)) ? payload : giveHash(payload, state.keys.get(index));
  };
}

function openFiles<Payload extends object>({ plan, environment }: WorkSettings<Payload>): OutcomeFile[] {
  const { results, failed, columns } = plan;
  const files: OutcomeFile[] = [];
  if (results !== undefined) files.push(openResults(results, environment.system));
  if (failed !== undefined) files.push(openFailed(failed, environment.system, columns));
  return files;
}

function readerGone(): LocalError {
  return new LocalError('nobody reads the output any more; what was under way is finished', {
    hint: 'run the same command again to go on',
  });
}
