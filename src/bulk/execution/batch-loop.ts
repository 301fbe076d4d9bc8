import { lateDuplicates } from '../checked/late-duplicates.ts';
import type { RowOutcome } from '../results/row-outcome.ts';
import { concurrencyOf } from '../run-plan.ts';
import { createKeyedMutex } from '../sending/keyed-mutex.ts';
import type { Execution, RunOutput } from './execution.ts';
import { segmentsOf, settleSegment } from './segments.ts';
import { stopOnSignal } from './signals.ts';

/** The loop of a run: segments are cut, several are under way at once, and their rows come out in the order of the input. */
export async function* batchLoop(run: Execution, output: RunOutput): AsyncGenerator<readonly RowOutcome[]> {
  const { plan, stop } = run;
  const underWay: Promise<readonly RowOutcome[]>[] = [];
  const window = concurrencyOf(plan) + 2;
  const mutex = createKeyedMutex();
  const ignoreSignals = stopOnSignal(run);
  try {
    if (!stop.reason) await plan.steps?.before().catch(stop.because);
    for await (const segment of segmentsOf(run)) {
      // A run whose file is another one meanwhile could not be resumed, so nothing more is sent.
      const change = stop.reason ? undefined : await plan.input.change?.();
      if (change) stop.because(change);
      const settled = settleSegment(segment, run, mutex);
      settled.catch(() => undefined);
      underWay.push(settled);
      if (underWay.length >= window) yield await (underWay.shift() ?? settled);
    }
    for (const settled of underWay) yield await settled;
    const surplus = plan.mode?.name === 'checked' ? await lateDuplicates(run) : [];
    output.surplus = surplus ?? [];
    const { failed, unknown, not_sent } = output.tally.counts;
    const isWhole = !stop.reason && failed + unknown + not_sent === 0;
    const rest = isWhole ? plan.steps?.after(() => stop.reason !== undefined) : undefined;
    const isLeft = await rest?.then(
      (isDone) => !isDone,
      (error: unknown) => stop.because(error),
    );
    output.isEnded = surplus !== undefined && !isLeft && (isWhole || !plan.steps);
  } finally {
    ignoreSignals();
  }
}
