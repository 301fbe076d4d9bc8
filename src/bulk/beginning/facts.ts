import type { Execution } from '../execution/execution.ts';
import { isSettled } from '../journal/journal-state.ts';
import { guarantees } from '../operations/modes.ts';
import { callsPerBatch } from '../run-plan.ts';
import { isAged } from '../sending/freshness.ts';
import type { RunFacts } from '../started-run.ts';

/** Whether links are read before the first batches. */
export function readsFirst<Payload extends object>(
  run: Pick<Execution<Payload>, 'operation' | 'reads' | 'plan' | 'system'>,
): boolean {
  const { operation, reads, plan } = run;
  if (operation.read === undefined) return false;
  return plan.input.readAt === undefined ? reads !== 'renames' : isAged(plan.input, run);
}

/**
 * Whether the newest links are to be read before the first batch: a hash that somebody typed may have had an equal link, and what was there
 * before is none of the run's to take back. Where the hashes were read themselves, that is known.
 */
export function needsMark<Payload extends object>({
  plan: { mode, undo, input },
  begun,
}: Pick<Execution<Payload>, 'plan' | 'begun'>): boolean {
  const isTypedHash = mode?.name === 'keyed' && mode.hasOwnHashes === true;
  return isTypedHash && !undo && input.readAt === undefined && begun.state.mark === undefined;
}

/** Rows that an earlier process finished. */
export function doneBefore<Payload extends object>({ begun }: Pick<Execution<Payload>, 'begun'>): number {
  let done = 0;
  for (const [state, count] of begun.state.counts) if (isSettled(state)) done += count;
  return done;
}

export function factsOf<Payload extends object>(run: Execution<Payload>, batches: number): RunFacts {
  const { plan, begun, domain, operation } = run;
  const mode = plan.mode?.name;
  return {
    run: begun.name,
    kind: operation.kind,
    resumed: begun.resumed,
    rows: plan.input.rows,
    doneBefore: doneBefore(run),
    batches,
    // 2 % are kept for reading back.
    calls: Math.ceil(batches * (callsPerBatch(plan) + Number(readsFirst(run))) * 1.02) + Number(batches > 0 && needsMark(run)),
    domain,
    guarantee: mode && `${mode}: ${guarantees[mode]}`,
    advice: mode === 'checked' && batches > 1 ? 'with --generate-hashes, failures cannot create duplicates' : undefined,
  };
}
