import { CallError, refusesRun } from '../../client/call-error.ts';
import type { Execution } from '../execution/execution.ts';
import { callsPerBatch } from '../run-plan.ts';
import { BudgetError } from '../sending/limiter.ts';
import { takeWatermark, type Watermark } from './newest-links.ts';

/** Reads the newest links before the intent of a batch, as the run needs it. */
export function watermarksOf(run: Execution): () => Promise<Watermark | undefined> {
  return run.plan.mode?.name === 'checked' ? () => paidWatermark(run) : firstWatermark(run);
}

/** In checked mode, before every batch. Throws where the budget does not hold it. */
async function paidWatermark(run: Execution): Promise<Watermark> {
  if (!run.calls.reserve(callsPerBatch(run.plan))) throw new BudgetError(run.plan.budget);
  return await takeWatermark(run, run.signal);
}

/** Before the first batch alone: later ones wait for it. Where it cannot be read, `undo` takes nothing for the run's own. */
function firstWatermark(run: Execution): () => Promise<Watermark | undefined> {
  let first: Promise<Watermark | undefined> | undefined;
  const read = async (): Promise<Watermark | undefined> => {
    if (!run.calls.reserve(1)) return undefined;
    return await takeWatermark(run, run.signal).catch((error: unknown) => {
      // Beside hashes that were made here, nothing else tells those that were not.
      if (!(error instanceof CallError) || refusesRun(error) || run.plan.mode?.generateHashes) throw error;
      run.warn(`could not list the newest links, so undo will need --force: ${error.message}`);
      return undefined;
    });
  };
  return async () => {
    if (first) return await first.then(() => undefined);
    first = read();
    return await first;
  };
}
