import { lacksKey } from '../../contract/records.ts';
import type { Execution } from '../execution/execution.ts';
import { kindOf } from '../operations/operation.ts';
import type { BulkRow } from '../results/row-outcome.ts';
import type { RunPlan } from '../run-plan.ts';

/** A run, or that for which a dry run stands. */
export interface PlannedChange extends Pick<Execution, 'operation' | 'inDoubt' | 'images'> {
  readonly plan: Pick<RunPlan, 'isSelected' | 'undoes'>;
}

/** Names a value that was read without the key in it and would be sent, or that undo would have to write back. */
export function keyRemoved(
  { index, payload, before }: BulkRow,
  { operation, images, inDoubt, plan }: PlannedChange,
): string | undefined {
  const requested = operation.requestedFields?.(payload);
  const lost = incompleteField(requested ?? payload);
  if (lost) return `the API key was removed from its ${lost}`;
  // The redo of an undo would send such a value, and is refused then. A row in doubt was sent before.
  if (!images || !before || plan.undoes || inDoubt.has(index)) return undefined;
  const isDeleted = kindOf(payload, operation) === 'delete';
  const unrecorded = incompleteField(before, isDeleted ? before : (requested ?? {}));
  return (
    unrecorded &&
    `undo could not restore the API key in its ${unrecorded}: turn undo off (--no-undo, or linkctl config set undo off)`
  );
}

function incompleteField(values: object, among: object = values): string | undefined {
  const isIncomplete = (value: unknown): boolean =>
    typeof value === 'string' ? lacksKey(value) : Array.isArray(value) && value.some(isIncomplete);
  return Object.entries(values).find(([field, value]) => field in among && isIncomplete(value))?.[0];
}
