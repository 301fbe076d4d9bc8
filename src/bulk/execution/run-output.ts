import { LocalError } from '../../base/errors.ts';
import { type BulkRow, type RowOutcome, type StopReason, startTally, type Tally } from '../results/row-outcome.ts';
import { sendRows } from '../sending/batch-sender.ts';
import { isSettledLater, outcomeOfNew } from '../sending/settling.ts';
import { type Execution, newRow, type RunOutput } from './execution.ts';

export async function executeRun(run: Execution, batches: number) {
  const { plan, system, stop, rules, calls } = run;
  const tally = startTally();
  const isWritten = plan.results !== undefined || plan.failed !== undefined;
  const files = isWritten ? (await import('../results/outcome-files.ts')).openFiles(plan, run.operation, system) : [];
  const output: RunOutput = { files, tally, surplus: [], isEnded: false };
  const startedAt = system.elapsed();
  const { rows } = plan.input;
  return {
    /**
     * Every row of the input once, in its order, with its final status, some at a time; to be read once. Nothing is sent before, and no more
     * than a few batches ahead of the reader. A reader that leaves early stops the run: what is under way is finished.
     */
    rows: readToItsEnd(settledRows(run, output), () => stop.because(readerGone())),
    progress: () => ({
      rows,
      rowsSettled: tally.rows,
      batches,
      batchesSettled: Math.min(batches, Math.floor((tally.rows * batches) / Math.max(1, rows))),
      failed: tally.counts.failed,
    }),
    /** When the rows were read. Ends with `runEnd(tally, stop)`. */
    summary: () => ({
      tally: tally as Tally,
      stop: stopOf(output, stop.reason),
      /** Calls made by this process; repeats count once. */
      calls: calls.made,
      milliseconds: (output.endedAt ?? system.elapsed()) - startedAt,
      /** Items in one call that the server turned out to take, if it took fewer than the plan has. */
      workingSize: rules.limit < plan.batchSize ? rules.limit : undefined,
      /** Short URLs of records that the run seems to have made beside those of its rows. */
      surplus: output.surplus,
    }),
  };
}

/** A signal that came after the last answer stopped nothing. */
function stopOf({ tally, isEnded }: RunOutput, reason: StopReason | undefined): StopReason | undefined {
  const { not_sent, unknown } = tally.counts;
  return reason?.kind === 'signal' && isEnded && not_sent + unknown === 0 ? undefined : reason;
}

/** The rows for a reader that may leave early: then the run is stopped, and read to its end all the same, where it is closed. */
export function readToItsEnd<Some>(source: AsyncGenerator<Some>, onLeft: () => void): AsyncIterable<Some> {
  const iterator: AsyncIterator<Some> = {
    next: () => source.next(),
    async return() {
      onLeft();
      while (!(await source.next()).done);
      return { done: true, value: undefined };
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

export function readerGone(): LocalError {
  return new LocalError('output pipe closed; requests in progress were finished', {
    hint: 'run the same command again to resume',
  });
}

async function* settledRows(run: Execution, output: RunOutput): AsyncGenerator<readonly RowOutcome[]> {
  const { plan, begun } = run;
  const { tally, files } = output;
  try {
    const isPlain = plan.fromArguments && !begun.resumed && !plan.steps && !run.prove;
    const source = isPlain ? typedRows(run) : (await import('./batch-loop.ts')).batchLoop(run, output);
    for await (const outcomes of source) {
      for (const outcome of outcomes) {
        tally.add(outcome);
        for (const file of files) file.add(outcome);
      }
      yield outcomes;
    }
  } finally {
    await endRun(run, output);
  }
}

/** Typed links that no process met before are sent together: nothing is done beside them, so what a long run needs is not loaded. */
async function* typedRows(run: Execution): AsyncGenerator<readonly RowOutcome[]> {
  const rows: BulkRow[] = [];
  for await (const some of run.plan.input.open()) for (const row of some) rows.push(newRow(row, rows.length, run.plan));
  const sent = await sendRows(
    rows.filter(({ skip }) => skip === undefined),
    run,
  );
  yield rows.map((row) => outcomeOfNew(row, sent, run));
}

/** Puts the files in their places, where they hold every row, and writes the end down. */
async function endRun(run: Execution, output: RunOutput): Promise<void> {
  const { plan, stop, operation, system } = run;
  const { tally, files } = output;
  const { not_sent, unknown } = tally.counts;
  const isWhole = tally.rows === plan.input.rows;
  // First the files: a run that its journal calls complete is not resumed, and would never show them.
  for (const file of files) file.close(isWhole, stop);
  // Rows that are not settled for good make a run that can be resumed.
  const isSettled = not_sent === 0 && (unknown === 0 || !isSettledLater(operation));
  const stopped = isWhole ? stopOf(output, stop.reason) : stop.reason;
  await closeRun(run, isWhole && isSettled && !stopped ? 'complete' : nameOf(stopped), run.recorded, run.images);
  output.endedAt = system.elapsed();
}

interface Closable {
  close(): Promise<void>;
}

/** Writes down why a run ends, closes what is open, and lets others have the run. */
export async function closeRun(
  { begun: { journal, release }, stop, system }: Pick<Execution, 'begun' | 'stop' | 'system'>,
  reason: string,
  ...open: readonly (Closable | undefined)[]
): Promise<void> {
  try {
    await journal.write({ type: 'end', reason, at: new Date(system.now()).toISOString() });
  } catch (error) {
    stop.because(error);
  } finally {
    for (const each of [journal, ...open]) await each?.close();
    release();
  }
}

/** The reason that the journal gives for the end of a run that is not complete. */
export function nameOf(reason: StopReason | undefined): string {
  if (!reason) return 'unfinished';
  if (reason.kind !== 'error') return reason.kind;
  return reason.error.apiCode === 1303 ? 'quota' : reason.error.kind;
}
