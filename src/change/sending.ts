import { UsageError } from '../base/errors.ts';
import type { RunPlan } from '../bulk/run-plan.ts';
import type { Session } from '../cli/session.ts';
import { batchSizeOf } from '../client/batch-limits.ts';
import type { BulkOptions } from '../flags/bulk-flags.ts';

type Sending = Pick<
  RunPlan<object>,
  'batchSize' | 'concurrency' | 'budget' | 'failFast' | 'again' | 'force' | 'overwrite' | 'results' | 'failed'
>;

/** Whether a change keeps what the links were. */
export async function keepsUndo({ undo = true }: BulkOptions, session: Session): Promise<boolean> {
  if (!undo) await session.note('--no-undo: this change cannot be undone');
  return undo;
}

/** How the rows go out, by flags and profile. Throws a UsageError for a batch that no server of this edition takes. */
export function sendingOf(options: BulkOptions, session: Session): Sending {
  const { batchSize, concurrency, budget, failFast, again, force, results, failed } = options;
  if (concurrency !== undefined && concurrency > 16) throw new UsageError('--concurrency: expected at most 16');
  return {
    batchSize: batchSizeOf(session, batchSize),
    concurrency,
    budget,
    failFast,
    again,
    force,
    overwrite: session.global.yes,
    results,
    failed,
  };
}
