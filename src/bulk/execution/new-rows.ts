import type { BulkRow, RowOutcome, Skip } from '../results/row-outcome.ts';
import type { RunPlan, RunRow } from '../run-plan.ts';
import { notSent } from '../sending/settling.ts';
import type { Execution } from './execution.ts';

interface RowMaking {
  readonly input: Pick<RunPlan['input'], 'readAt'>;
  payload(item: object, index: number): object;
}

/** A row of the input as it is worked on. */
export function newRow(
  { line, item, before, refusal, skip }: RunRow,
  index: number,
  { input: { readAt }, payload }: RowMaking,
): BulkRow {
  return {
    index,
    line,
    item,
    payload: payload(item, index),
    ...(refusal && { refusal }),
    ...(skip !== undefined && { skip }),
    ...(before !== undefined && { listed: before, before, readAt }),
  };
}

/** The outcome of a row that no earlier process sent. */
export function outcomeOfNew(row: BulkRow, sent: ReadonlyMap<number, RowOutcome>, { stop }: Pick<Execution, 'stop'>): RowOutcome {
  return row.skip ? leftOut(row, row.skip) : (sent.get(row.index) ?? notSent(row, stop));
}

function leftOut(row: BulkRow, { status, reason }: Skip): RowOutcome {
  return reason === undefined ? { ...row, status } : { ...row, status, error: { code: 0, message: reason } };
}
