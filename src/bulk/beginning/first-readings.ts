import type { Execution } from '../execution/execution.ts';
import { isAged } from '../sending/freshness.ts';

/** A plan that has just read its links needs no reading before the first batches. */
export function readsFirst(run: Pick<Execution, 'operation' | 'reads' | 'plan' | 'system'>): boolean {
  const { operation, reads, plan } = run;
  if (operation.read === undefined) return false;
  return plan.input.readAt === undefined ? reads !== 'renames' : isAged(plan.input, run);
}

/**
 * True of a run that reads the newest links before its first batch: a hash that somebody typed may have had an equal link, and a link that was
 * there before is none of the run's to take back. If the hashes were read themselves, that is known.
 */
export function needsMark({ plan: { mode, undo, input }, begun }: Pick<Execution, 'plan' | 'begun'>): boolean {
  const isTypedHash = mode?.name === 'keyed' && mode.hasOwnHashes === true;
  return isTypedHash && !undo && input.readAt === undefined && begun.state.mark === undefined;
}
