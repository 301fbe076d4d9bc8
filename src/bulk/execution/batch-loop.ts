import { LocalError } from '../../base/errors.ts';
import type { OutcomeFiles } from '../results/outcome-files.ts';
import { type RowOutcome, type RunningTally, type StopReason, startTally } from '../results/row-outcome.ts';
import { concurrencyOf } from '../run-plan.ts';
import { isSettledLater } from '../sending/settling.ts';
import type { ExecutedRun } from '../started-run.ts';
import type { Execution } from './execution.ts';
import { segmentsOf, settleSegment } from './segments.ts';

/** Becomes known while the rows are read. */
interface RunOutput {
  /** `--results` and `--failed`, where they are asked for. */
  readonly files: OutcomeFiles | undefined;
  readonly tally: RunningTally;
  surplus: readonly string[];
  /** No call is left to be made. */
  isEnded: boolean;
  endedAt?: number;
}

/** The rows of a begun run, worked on as they are read, and its end. */
export async function executeRun<Payload extends object>(
  run: Execution<Payload>,
  batches: number,
): Promise<ExecutedRun<Payload>> {
  const { plan, system, stop, rules, calls } = run;
  const tally = startTally();
  const output: RunOutput = { files: await filesOf(run), tally, surplus: [], isEnded: false };
  const startedAt = system.elapsed();
  const { rows } = plan.input;
  return {
    rows: readToItsEnd(settledRows(run, output), () => stop.because(readerGone())),
    progress: () => ({
      rows,
      rowsSettled: tally.rows,
      batches,
      batchesSettled: Math.min(batches, Math.floor((tally.rows * batches) / Math.max(1, rows))),
      failed: tally.counts.failed,
    }),
    summary: () => ({
      tally,
      stop: stopOf(output, stop.reason),
      calls: calls.made,
      milliseconds: (output.endedAt ?? system.elapsed()) - startedAt,
      workingSize: rules.limit < plan.batchSize ? rules.limit : undefined,
      surplus: output.surplus,
    }),
  };
}

async function filesOf<Payload extends object>({
  plan,
  operation,
  system,
}: Execution<Payload>): Promise<OutcomeFiles | undefined> {
  if (plan.results === undefined && plan.failed === undefined) return undefined;
  return (await import('../results/outcome-files.ts')).openFiles(plan, operation, system);
}

/** Only rows that were sent again after a look at the listing may have links beside theirs. A one-off sends nothing again. */
async function surplusOf<Payload extends object>(run: Execution<Payload>): Promise<readonly string[] | undefined> {
  if (run.plan.mode?.name !== 'checked' || run.plan.isOneOff) return [];
  return await (await import('../checked/late-duplicates.ts')).lateDuplicates(run);
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

/** The loop of a run: segments are cut, several are under way at once, and their rows come out in the order of the input. */
async function* settledRows<Payload extends object>(
  run: Execution<Payload>,
  output: RunOutput,
): AsyncGenerator<readonly RowOutcome<Payload>[]> {
  const { plan, stop } = run;
  const { tally, files } = output;
  const underWay: Promise<readonly RowOutcome<Payload>[]>[] = [];
  const window = concurrencyOf(plan) + 2;
  const ignoreSignals = stopOnSignal(run);
  const kept = async (settled: Promise<readonly RowOutcome<Payload>[]>) => {
    const outcomes = await settled;
    for (const outcome of outcomes) {
      tally.add(outcome);
      files?.add(outcome);
    }
    return outcomes;
  };
  try {
    if (!stop.reason) await plan.steps?.before().catch(stop.because);
    for await (const segment of segmentsOf(run)) {
      // F65: a run whose file is another one meanwhile could not be resumed, so nothing more is sent.
      const change = stop.reason ? undefined : await plan.input.change?.();
      if (change) stop.because(change);
      const settled = settleSegment(segment, run);
      settled.catch(() => undefined);
      underWay.push(settled);
      if (underWay.length >= window) yield await kept(underWay.shift() ?? settled);
    }
    for (const settled of underWay) yield await kept(settled);
    const surplus = await surplusOf(run);
    output.surplus = surplus ?? [];
    const { failed, unknown, not_sent } = tally.counts;
    const isWhole = !stop.reason && failed + unknown + not_sent === 0;
    const rest = isWhole ? plan.steps?.after(() => stop.reason !== undefined) : undefined;
    const isLeft = await rest?.then(
      (isDone) => !isDone,
      (error: unknown) => stop.because(error),
    );
    output.isEnded = surplus !== undefined && !isLeft && (isWhole || !plan.steps);
  } finally {
    ignoreSignals();
    await endRun(run, output);
  }
}

/** Milliseconds that calls under way are given after a signal. */
const grace = 10_000;

/** Waits for the first signal: nothing new is started, and after a grace what is under way is given up. */
export function stopOnSignal({
  interrupt,
  system,
  stop,
  begun,
  abort,
}: Pick<Execution<object>, 'interrupt' | 'system' | 'stop' | 'begun' | 'abort'>): () => void {
  if (!interrupt) return () => {};
  const finished = new AbortController();
  const interrupted = (): void => {
    stop.request({ kind: 'signal' });
    begun.journal.write({ type: 'signal', at: new Date(system.now()).toISOString() }).catch(() => undefined);
    system.sleep(grace, finished.signal).then(abort, () => undefined);
  };
  if (interrupt.aborted) interrupted();
  else interrupt.addEventListener('abort', interrupted, { once: true });
  return () => {
    interrupt.removeEventListener('abort', interrupted);
    finished.abort();
  };
}

/** Puts the files in their places, where they hold every row (R-X9), and writes the end down. */
async function endRun<Payload extends object>(
  { plan, stop, begun, operation, recorded, images, system }: Execution<Payload>,
  output: RunOutput,
): Promise<void> {
  const { tally, files } = output;
  const { not_sent, unknown } = tally.counts;
  const isWhole = tally.rows === plan.input.rows;
  // First the files: a run that its journal calls complete is not resumed, and would never show them.
  files?.close(isWhole, stop);
  // Rows that are not settled for good make a run that can be resumed.
  const isSettled = not_sent === 0 && (unknown === 0 || !isSettledLater(operation));
  const stopped = isWhole ? stopOf(output, stop.reason) : stop.reason;
  const reason = isWhole && isSettled && !stopped ? 'complete' : nameOf(stopped);
  try {
    await begun.journal.write({ type: 'end', reason, at: new Date(system.now()).toISOString() });
  } catch (error) {
    stop.because(error);
  } finally {
    await begun.journal.close();
    await recorded?.close();
    await images?.close();
    begun.release();
    output.endedAt = system.elapsed();
  }
}

/** What the journal calls the end of a run that is not complete. */
export function nameOf(reason: StopReason | undefined): string {
  if (!reason) return 'unfinished';
  if (reason.kind !== 'error') return reason.kind;
  return reason.error.apiCode === 1303 ? 'quota' : reason.error.kind;
}
