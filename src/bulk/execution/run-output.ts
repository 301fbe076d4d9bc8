import { LocalError } from '../../base/errors.ts';
import { isoTime } from '../../base/times.ts';
import type { JournalLine } from '../journal/lines.ts';
import { addTo, type BulkRow, endReason, type RowOutcome, type StopReason, startTally } from '../results/row-outcome.ts';
import type { RunPlan } from '../run-plan.ts';
import { sendRows } from '../sending/batch-sender.ts';
import { isSettledLater, outcomeOfFreeRow } from '../sending/settling.ts';
import type { Stop } from '../sending/stop.ts';
import { type Execution, newRow, type RunOutput } from './execution.ts';

/** More links make a hint unreadable. */
const maximalUnknown = 5;

export async function executeRun(run: Execution, batches: number) {
  const { plan, system, stop, rules, calls } = run;
  const tally = startTally();
  const isWritten = plan.results !== undefined || plan.failed !== undefined;
  const files = isWritten ? (await import('../results/outcome-files.ts')).openFiles(plan, run.operation, run) : [];
  const output: RunOutput = { files, tally, surplus: [], unknown: [], isEnded: false };
  const startedAt = system.elapsed();
  const { rows } = plan.input;
  return {
    /**
     * Yields each row once, in input order, with its final status. Can be read only once; this starts the run, which stays at most a few
     * batches ahead. If the reader stops early, the run stops after the calls in flight.
     */
    rows: readToItsEnd(settledRows(run, output), stop),
    progress: () => ({
      rows,
      rowsSettled: tally.rows,
      batches,
      batchesSettled: Math.min(batches, Math.floor((tally.rows * batches) / Math.max(1, rows))),
      failed: tally.counts.failed,
    }),
    /** Available after all rows were read. `runEnd(tally, stop)` decides how the run ends. */
    summary: () => ({
      tally,
      stop: stopOf(output, stop.reason),
      /** Calls of this process, without retries. */
      calls: calls.made,
      milliseconds: (output.endedAt ?? system.elapsed()) - startedAt,
      /** The batch size that the server accepted, if smaller than planned. */
      workingSize: rules.limit < plan.batchSize ? rules.limit : undefined,
      /** Short URLs of links that the run may have created besides those of its rows. */
      surplus: output.surplus,
      /** What the command that checks unknown outcomes is about. */
      unknown: { rows: output.unknown, operation: run.operation, domain: run.domain },
    }),
  };
}

/** The reader stopped early. */
class UnreadError extends LocalError {}

/** Ignores a failure in the last batch, and what came after the last response: a signal, or a reader that left. They stopped nothing. */
function stopOf({ tally, isEnded }: RunOutput, reason: StopReason | undefined): StopReason | undefined {
  const { not_sent, unknown } = tally.counts;
  const isLate = isEnded && (reason?.kind === 'signal' || (reason?.kind === 'error' && reason.error instanceof UnreadError));
  const isIgnored = isLate || reason?.kind === 'fail_fast';
  return isIgnored && not_sent + unknown === 0 ? undefined : reason;
}

/** If the reader stops early, stops the run, calls `onLeft` and reads the source to its end, where the run is closed. */
export function readToItsEnd<Some>(source: AsyncGenerator<Some>, stop: Stop, onLeft?: () => void): AsyncIterable<Some> {
  const iterator: AsyncIterator<Some> = {
    next: () => source.next(),
    async return() {
      const hint = 'run the same command again to resume';
      // A run that was stopped before still ends for that reason.
      if (!stop.reason) stop.because(new UnreadError('stopped after the requests in progress', { hint }));
      onLeft?.();
      while (!(await source.next()).done);
      return { done: true, value: undefined };
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

async function* settledRows(run: Execution, output: RunOutput): AsyncGenerator<readonly RowOutcome[]> {
  const { plan, begun } = run;
  const { tally, files } = output;
  try {
    const isPlain = plan.fromArguments && !begun.resumed && !plan.steps && !run.prove;
    const source = isPlain ? typedRows(run) : (await import('./batch-loop.ts')).batchLoop(run, output);
    for await (const outcomes of source) {
      for (const outcome of outcomes) {
        addTo(tally, outcome);
        if (outcome.status === 'unknown' && output.unknown.length < maximalUnknown) output.unknown.push(outcome);
        for (const file of files) file.add(outcome);
      }
      yield outcomes;
    }
  } finally {
    await endRun(run, output);
  }
}

/** Sends new typed links together. They need no batch loop, so it is not loaded. */
async function* typedRows(run: Execution): AsyncGenerator<readonly RowOutcome[]> {
  const rows: BulkRow[] = [];
  for await (const some of run.plan.input.open()) for (const row of some) rows.push(newRow(row, rows.length, run.plan));
  const sent = await sendRows(
    rows.filter(({ skip }) => skip === undefined),
    run,
  );
  yield rows.map((row) => outcomeOfFreeRow(row, sent, run));
}

/** Replaces the output files if they have every row, and records the end of the run. */
async function endRun(run: Execution, output: RunOutput): Promise<void> {
  const { plan, stop, operation, system } = run;
  const { tally, files } = output;
  const { not_sent, unknown } = tally.counts;
  const isWhole = tally.rows === plan.input.rows;
  // The files come first: a run that is recorded as complete is not resumed, so it would never write them.
  for (const file of files) file.close(isWhole);
  // A run can be resumed if rows are not settled for good.
  const isSettled = not_sent === 0 && (unknown === 0 || !isSettledLater(operation));
  const stopped = isWhole ? stopOf(output, stop.reason) : stop.reason;
  const reason = isWhole && isSettled && !stopped ? 'complete' : endReason(stopped);
  // Only a checked run that can be resumed waits for the listing.
  const waits = plan.mode?.name === 'checked' && !plan.isOneOff;
  const clock = waits ? (await import('../../files/process-mark.ts')).machineTime(system) : undefined;
  await closeRun(run, { reason, kept: plan.kept?.(), clock }, run.recorded, run.images);
  output.endedAt = system.elapsed();
}

interface Closable {
  close(): Promise<void>;
}

interface Closed extends Pick<Execution, 'begun' | 'stop' | 'system'> {
  readonly plan: Partial<Pick<RunPlan, 'profile' | 'isOneOff'>>;
}

/** Records why the run ends, closes its files and releases its lock. */
export async function closeRun(
  { begun: { journal, order, release }, plan, stop, system }: Closed,
  end: Pick<JournalLine<'end'>, 'reason'> & Partial<JournalLine<'end'>>,
  ...open: readonly (Closable | undefined)[]
): Promise<void> {
  try {
    await journal.write({ type: 'end', ...end, at: isoTime(system.now()), order });
  } catch (error) {
    // Other commands are repeated to close their run.
    const isDone = error instanceof LocalError && end.reason === 'complete' && plan.isOneOff;
    stop.because(isDone ? new LocalError(error.message, { cause: error, hint: doneHint }) : error);
  } finally {
    for (const each of [journal, ...open]) await each?.close();
    release();
  }
}

const doneHint = 'every row is done';
