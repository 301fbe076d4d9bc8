import type { ShortenItem } from '../contract/operations.ts';
import { CliError, LocalError } from '../errors.ts';
import { findSurplus } from './audit.ts';
import { generateHash } from './generated-hash.ts';
import { type Journal, openJournal } from './journal.ts';
import { recordedOutcomes } from './recorded-outcomes.ts';
import { type OutcomeFile, openFailed, openResults } from './results.ts';
import { doneStatuses, type RowOutcome, type RowStatus, type StopReason, startTally, type Tally } from './row-outcome.ts';
import type { RunEnvironment } from './run-plan.ts';
import { concurrencyOf, createWork, type RunWork, type WorkSettings } from './run-work.ts';
import { segmentsOf } from './segments.ts';
import { createStop, type Stop, stopOf } from './stop.ts';

/** Milliseconds that calls under way are given after a signal. */
const grace = 10_000;

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
  /** Short URLs of records that the run seems to have made beside those of its rows (1.2, F07). */
  readonly surplus: readonly string[];
}

export interface RunWalk<Payload extends object> {
  /**
   * Every row of the input once, in its order, with its final status; to be read once. Nothing is sent before it is read, and no
   * more than a few batches ahead of the reader. A reader that leaves early stops the run: what is under way is finished.
   */
  readonly rows: AsyncIterable<RowOutcome<Payload>>;
  progress(): RunProgress;
  /** When the rows were read. Ends with `runEnd(tally, stop)`. */
  summary(): RunSummary;
}

/** The rows of a begun run, worked on as they are read, and its end. */
export function walkRun<Payload extends object>(
  settings: WorkSettings<Payload> & { readonly batches: number },
): RunWalk<Payload> {
  const { plan, environment, begun, counted, batches } = settings;
  const { system } = environment;
  const files = openFiles(settings);
  const stop = createStop();
  const tally = startTally();
  const startedAt = system.now();
  let surplus: readonly string[] = [];
  let end: number | undefined;

  async function* segments(): AsyncGenerator<readonly RowOutcome<Payload>[]> {
    const journal = await openJournal(begun.journal, begun.state.size, environment.openJournalFile);
    const recorded = recordedOutcomes(begun.journal, begun.state);
    const abort = new AbortController();
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
      surplus = await audit(settings, work, stop, abort.signal);
    } finally {
      ignore();
      await close(journal, files, isWhole, { ...settings, stop, isComplete: tally.counts.not_sent === 0 && !stop.reason });
      await recorded.close();
      begun.release();
      end = system.now();
    }
  }

  async function* rows(): AsyncGenerator<RowOutcome<Payload>> {
    const source = segments();
    let isRead = false;
    try {
      for (let next = await source.next(); !next.done; next = await source.next()) yield* next.value;
      isRead = true;
    } finally {
      if (!isRead) {
        stop.request(stopOf(readerGone()));
        while (!(await source.next()).done);
      }
    }
  }

  return {
    rows: rows(),
    progress: () => ({
      rows: plan.input.rows,
      rowsSettled: tally.rows,
      batches,
      batchesSettled: Math.min(batches, Math.floor((tally.rows * batches) / Math.max(1, plan.input.rows))),
      failed: tally.counts.failed,
    }),
    summary: (): RunSummary => ({
      tally,
      stop: stop.reason,
      calls: counted.calls.made,
      milliseconds: (end ?? system.now()) - startedAt,
      surplus,
    }),
  };
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
    input: plan.input,
    state: begun.state,
    size: work.batchSize,
    payloadOf: payloadMaker(settings),
    unknownIs: unknownNow[operation.doubt],
  });
  try {
    for await (const segment of source) {
      const outcomes = work.process(segment);
      outcomes.catch(() => undefined);
      underWay.push(outcomes);
      while (underWay.length >= window) yield (await underWay.shift()) ?? [];
    }
  } catch (error) {
    // F65: the file changed while it was read. What is under way is finished.
    if (!(error instanceof CliError)) throw error;
    stop.request(stopOf(error));
  }
  for (let next = underWay.shift(); next; next = underWay.shift()) yield await next;
}

const unknownNow = { repeat: 'free', look: 'open', read_back: 'final', leave: 'final' } as const;

/** A row without a hash of its own gets one, where hashes are generated: its old one, if it was ever sent (J9). */
function payloadMaker<Payload extends object>({ plan, begun, environment }: WorkSettings<Payload>) {
  const { state } = begun;
  return (item: object, index: number): Payload => {
    const payload = plan.payload(item);
    if (!plan.mode?.generateHashes || (payload as Partial<ShortenItem>).custom_hash !== undefined) return payload;
    if (doneStatuses.has(state.stateOf(index) as RowStatus) || state.stateOf(index) === 'failed') return payload;
    return { ...payload, custom_hash: state.keys.get(index) ?? generateHash((count) => environment.system.randomBytes(count)) };
  };
}

function openFiles<Payload extends object>({ plan, environment }: WorkSettings<Payload>): OutcomeFile[] {
  const { results, failed, columns } = plan;
  const files: OutcomeFile[] = [];
  if (results !== undefined) files.push(openResults(results, environment.system));
  if (failed !== undefined) files.push(openFailed(failed, environment.system, columns));
  return files;
}

/** Hears the first signal: nothing new is started, and after a grace what is under way is given up. */
function listen<Payload extends object>(
  { environment }: WorkSettings<Payload>,
  stop: Stop,
  abort: AbortController,
  journal: Journal,
): () => void {
  const { interrupt, system } = environment;
  if (!interrupt) return () => {};
  const finished = new AbortController();
  const hear = (): void => {
    stop.request({ kind: 'signal' });
    journal.write({ type: 'signal', at: new Date(system.now()).toISOString() }).catch(() => undefined);
    system.sleep(grace, finished.signal).then(
      () => abort.abort(),
      () => undefined,
    );
  };
  if (interrupt.aborted) hear();
  else interrupt.addEventListener('abort', hear, { once: true });
  return () => {
    interrupt.removeEventListener('abort', hear);
    finished.abort();
  };
}

async function audit<Payload extends object>(
  { plan, environment, counted, domain, begun }: WorkSettings<Payload>,
  { past }: RunWork<Payload>,
  stop: Stop,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (past.length === 0 || stop.reason) return [];
  const { client } = counted;
  const settings = { client, domain, journal: begun.journal, rows: plan.input.rows, signal };
  try {
    const surplus = await findSurplus(past, settings);
    for (const shortUrl of surplus) environment.warn(`${shortUrl} looks like a second link of a row: nothing was deleted`);
    return surplus;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    environment.warn(`the final look for links made twice failed: ${error.message}`);
    return [];
  }
}

interface Ending {
  readonly stop: Stop;
  readonly isComplete: boolean;
  readonly environment: RunEnvironment;
}

/** Writes the end down and puts the files in their places; a file that does not hold every row is not shown (R-X9). */
async function close(journal: Journal, files: readonly OutcomeFile[], isWhole: boolean, ending: Ending): Promise<void> {
  const { stop, isComplete, environment } = ending;
  try {
    const reason = isWhole && isComplete ? 'complete' : reasonOf(stop.reason);
    await journal.write({ type: 'end', reason, at: new Date(environment.system.now()).toISOString() });
  } catch (error) {
    if (error instanceof CliError) stop.request(stopOf(error));
  } finally {
    await journal.close();
  }
  for (const file of files) {
    try {
      if (isWhole) file.commit();
      else file.discard();
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      stop.request(stopOf(error));
    }
  }
}

function reasonOf(reason: StopReason | undefined): string {
  if (!reason) return 'unfinished';
  if (reason.kind !== 'error') return reason.kind;
  return reason.error.apiCode === 1303 ? 'quota' : reason.error.kind;
}

function readerGone(): LocalError {
  return new LocalError('nobody reads the output any more; what was under way is finished', {
    hint: 'run the same command again to go on',
  });
}
