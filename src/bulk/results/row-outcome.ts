import { type CliError, LocalError } from '../../base/errors.ts';
import type { KnownRecord } from '../matching/row-verdict.ts';

/** Statuses of rows that are as they were asked for, or were left alone as was asked. */
export const doneKinds = ['created', 'existing', 'changed', 'unchanged', 'deleted', 'reset', 'skipped'] as const;

const rowStatuses = [...doneKinds, 'failed', 'unknown', 'not_sent'] as const;

/**
 * The final status of a row. `unchanged`: nothing was to be done; `skipped`: its hash leads elsewhere and was to be left alone, or the row
 * was to be left out; `not_sent`: certainly nothing happened; `unknown`: to be checked before it is repeated.
 */
export type RowStatus = (typeof rowStatuses)[number];

export const doneStatuses: ReadonlySet<RowStatus> = new Set(doneKinds);

export interface RowError {
  /** The service's code; 0 where the service said yes and the record says otherwise, or where it said nothing. */
  readonly code: number;
  readonly message: string;
  readonly details?: string | undefined;
}

export function errorText({ message, details }: Pick<RowError, 'message' | 'details'>): string {
  return details ? `${message} (${details})` : message;
}

/** One row of the input: what the file holds and what is sent for it. */
export interface BulkRow {
  readonly index: number;
  /** From 1, as people count; of the first line where a record has several. Not known of a row that cannot be read any more. */
  readonly line: number | undefined;
  /** The row's own columns, as they go to `--failed`. */
  readonly item: object;
  readonly payload: object;
  /** The link before the run changed it; null for one that does not exist, absent where it was not read. */
  readonly before?: KnownRecord | null | undefined;
  /** When that was read, as `System.elapsed` has it. */
  readonly readAt?: number | undefined;
  /** The link as the plan showed it, where there was one. */
  readonly listed?: KnownRecord | null | undefined;
  readonly refusal?: string | RowError | undefined;
  readonly skip?: Skip | undefined;
}

export interface Skip {
  readonly status: 'skipped' | 'unchanged';
  readonly reason?: string | undefined;
}

export interface RowOutcome extends BulkRow {
  readonly status: RowStatus;
  /** For rows that were done or not applied, if the call returns records. For a row of an earlier process: what the journal kept. */
  readonly record?: KnownRecord | undefined;
  /** For failed and unknown rows, and for those not sent because of a stop. */
  readonly error?: RowError | undefined;
  /** Said in the results: the weakest evidence of 1.5. */
  readonly matchedByPosition?: true | undefined;
  /** For unknown rows: the same command again settles them without harm (keyed and dedupe mode). */
  readonly repeatable?: true | undefined;
}

export type RunningTally = ReturnType<typeof startTally>;
export type Tally = Omit<RunningTally, 'add'>;

export function startTally() {
  const counts = Object.fromEntries(rowStatuses.map((status) => [status, 0])) as Record<RowStatus, number>;
  const failures = new Map<number, number>();
  let rows = 0;
  let repeatable = 0;
  return {
    get rows(): number {
      return rows;
    },
    /** Unknown rows that the same command again settles. */
    get repeatable(): number {
      return repeatable;
    },
    counts,
    failures,
    add({ status, error, repeatable: isRepeatable }: Pick<RowOutcome, 'status' | 'error' | 'repeatable'>): void {
      rows += 1;
      counts[status] += 1;
      if (isRepeatable) repeatable += 1;
      if (status === 'failed') failures.set(error?.code ?? 0, (failures.get(error?.code ?? 0) ?? 0) + 1);
    },
  };
}

/** Rows were done, and what they got could not be written down: `details` names each and its short URL. */
export class UnrecordedError extends LocalError {
  readonly rows: number;

  constructor(message: string, rows: number, lines: readonly string[]) {
    super(message, { details: lines, hint: 'keep these lines, make the journal writable, and run the same command again' });
    this.rows = rows;
  }

  /** Several batches may be under way when the disk is full. */
  and(other: UnrecordedError): UnrecordedError {
    return new UnrecordedError(this.message, this.rows + other.rows, [...this.details, ...other.details]);
  }
}

export type StopReason =
  | { readonly kind: 'error'; readonly error: CliError }
  | { readonly kind: 'signal' }
  | { readonly kind: 'fail_fast' };

/** True of a row that failed because no link has its hash, which `--ignore-missing` ignores. */
export function isMissing({ error }: { readonly error?: RowError | undefined }): boolean {
  return error?.code === missingHash;
}

export function missingCount({ failures }: Tally): number {
  return failures.get(missingHash) ?? 0;
}

const missingHash = 1306;

type Row = Pick<RowOutcome, 'payload' | 'record' | 'status'>;

/** The destination of the link of a row: as the row has it, or else as the server says. */
export function destinationOf(row: Row): string | undefined {
  return askedOf(row) ?? (row.record?.long_url || undefined);
}

/** The destination where the row does not say it: an edit leaves it alone, or the link leads elsewhere. */
export function unaskedDestination(row: Row): string | undefined {
  return askedOf(row) === undefined ? destinationOf(row) : undefined;
}

function askedOf({ payload, status, record }: Row): string | undefined {
  const { long_url }: { readonly long_url?: string } = payload;
  return status === 'skipped' && record ? undefined : long_url;
}
