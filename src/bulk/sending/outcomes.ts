import { doubtful, type Verdict } from '../matching/verdict.ts';
import type { BulkOperation } from '../operations/operation.ts';
import { type BulkRow, doneStatuses, type RowError, type RowOutcome } from '../results/row-outcome.ts';
import type { SendingContext } from './sending-context.ts';
import type { Stop } from './stop.ts';

/** What a verdict makes of a row: done, unless a field that was asked for came back different (CLI.md 3.5). */
export function outcomeOf<Payload extends object>(
  row: BulkRow<Payload>,
  verdict: Verdict,
  operation: BulkOperation<Payload>,
): RowOutcome<Payload> {
  if (verdict.kind === 'failed') return { ...row, status: 'failed', error: verdict.error };
  if (verdict.kind !== 'done') return unknownOutcome(row, operation, verdict);
  const { record, evidence } = verdict;
  const matchedByPosition = evidence === 'position' ? true : undefined;
  const differences = record ? (operation.notApplied?.(row.payload, record) ?? []) : [];
  if (differences.length === 0) {
    const { index, line, item, payload } = row;
    return { index, line, item, payload, status: operation.statusOf(payload, verdict), record, matchedByPosition };
  }
  return { ...row, status: 'failed', record, matchedByPosition, error: notAppliedError(differences) };
}

/** A row that is not worked on any more: unknown where an attempt of it may have been applied, not sent otherwise (D2). */
export function leftAside<Payload extends object>(
  row: BulkRow<Payload>,
  { inDoubt, operation, stop }: Pick<SendingContext<Payload>, 'inDoubt' | 'operation' | 'stop'>,
): RowOutcome<Payload> {
  return inDoubt.has(row.index) ? unknownOutcome(row, operation) : notSent(row, stop);
}

/** A row that was certainly not applied, or not reached. */
export function notSent<Payload extends object>(row: BulkRow<Payload>, { reason }: Stop): RowOutcome<Payload> {
  const error = reason?.kind === 'error' ? { code: reason.error.apiCode ?? 0, message: reason.error.message } : undefined;
  return { ...row, status: 'not_sent', error };
}

/** A row of which nobody knows whether it took effect. */
export function unknownOutcome<Payload extends object>(
  row: BulkRow<Payload>,
  { doubt }: Pick<BulkOperation<Payload>, 'doubt'>,
  verdict: Verdict = doubtful,
): RowOutcome<Payload> {
  return { ...row, status: 'unknown', error: doubtError(verdict), ...(doubt === 'repeat' && { repeatable: true }) };
}

/** J2: what is not written down is not told as done. */
export function unrecorded<Payload extends object>(outcome: RowOutcome<Payload>): RowOutcome<Payload> {
  if (!doneStatuses.has(outcome.status)) return outcome;
  return { ...outcome, status: 'unknown', error: { code: 0, message: 'it was done, but could not be written down' } };
}

function doubtError(verdict: Verdict): RowError {
  const seen = verdict.kind === 'doubtful' && verdict.candidates ? verdict.candidates : [];
  return {
    code: 0,
    message: 'whether it took effect is not known',
    ...(seen.length > 0 && { details: `perhaps it did: ${seen.join(', ')}` }),
  };
}

function notAppliedError(differences: readonly { field: string; asked: unknown; got: unknown }[]): RowError {
  return {
    code: 0,
    message: `not applied: ${differences.map(({ field }) => field).join(', ')}`,
    details: differences
      .map(({ field, asked, got }) => `${field}: asked for ${JSON.stringify(asked)}, got ${JSON.stringify(got)}`)
      .join('; '),
  };
}
