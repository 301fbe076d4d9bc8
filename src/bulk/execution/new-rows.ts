import type { BulkRow, RowOutcome, Skip } from '../results/row-outcome.ts';
import type { RunPlan, RunRow } from '../run-plan.ts';
import { notSent } from '../sending/settling.ts';
import type { Execution } from './execution.ts';

interface RowMaking<Payload extends object> {
  readonly input: Pick<RunPlan<Payload>['input'], 'readAt'>;
  payload(item: object, index: number): Payload;
}

/** A row of the input as it is worked on. */
export function newRow<Payload extends object>(
  { line, item, before, refusal, skip }: RunRow,
  index: number,
  { input: { readAt }, payload }: RowMaking<Payload>,
): BulkRow<Payload> {
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
export function outcomeOfNew<Payload extends object>(
  row: BulkRow<Payload>,
  sent: ReadonlyMap<number, RowOutcome<Payload>>,
  { stop }: Pick<Execution<Payload>, 'stop'>,
): RowOutcome<Payload> {
  return row.skip ? leftOut(row, row.skip) : (sent.get(row.index) ?? notSent(row, stop));
}

function leftOut<Payload extends object>(row: BulkRow<Payload>, { status, reason }: Skip): RowOutcome<Payload> {
  return reason === undefined ? { ...row, status } : { ...row, status, error: { code: 0, message: reason } };
}
