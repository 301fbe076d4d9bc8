import { type CliError, LocalError } from '../../base/errors.ts';
import type { ErrorRecord, KnownRecord } from '../../contract/records.ts';

/** Statuses of rows whose links are as requested, or were left unchanged as requested. */
export const doneKinds = ['created', 'existing', 'changed', 'unchanged', 'deleted', 'reset', 'skipped'] as const;

const rowStatuses = [...doneKinds, 'failed', 'unknown', 'not_sent'] as const;

/**
 * The final status of a row. `unchanged`: nothing had to be done. `skipped`: the row was left out, or its hash has another destination and
 * was not to be changed. `not_sent`: certainly not applied. `unknown`: check the outcome before repeating the row.
 */
export type RowStatus = (typeof rowStatuses)[number];

export const doneStatuses: ReadonlySet<RowStatus> = new Set(doneKinds);

/** Code 0 means that the API reported no error, for example because the record has other values or there was no response. */
export type RowError = Readonly<ErrorRecord>;

export function errorText({ message, details }: Pick<RowError, 'message' | 'details'>): string {
  return details ? `${message} (${details})` : message;
}

export interface InputRow<Item extends object = object> {
  /** The first line of the row in its file, from 1; undefined without a file, or if the row can no longer be read. */
  readonly line: number | undefined;
  /** The columns of the input, as written to `--failed`. */
  readonly item: Item;
  /** The row fails with this error, and nothing is sent. */
  readonly refusal?: string | RowError | undefined;
  /** The row is left out as requested: nothing is read or sent for it. */
  readonly skip?: Skip | undefined;
}

export interface Skip {
  readonly status: 'skipped' | 'unchanged';
  readonly reason?: string | undefined;
}

export interface BulkRow extends InputRow {
  readonly index: number;
  readonly payload: object;
  /** The link before the run changed it; null if it did not exist, absent if it was not read. */
  readonly before?: KnownRecord | null | undefined;
  /** `System.elapsed` when the reading of `before` began: a slow answer may show values from then. */
  readonly readAt?: number | undefined;
  /** The link as shown in the plan, if there was one. */
  readonly listed?: KnownRecord | null | undefined;
}

export interface RowOutcome extends BulkRow {
  readonly status: RowStatus;
  /** The record that the call returned for a done or not applied row. For a row of an earlier process, what the journal kept. */
  readonly record?: KnownRecord | undefined;
  /** Present for failed and unknown rows, rows not sent because of a stop, and skipped rows with a reason. */
  readonly error?: RowError | undefined;
  /** The weakest evidence, so the results mention it. */
  readonly matchedByPosition?: true | undefined;
  /** The link counts as existing, but the run may have created it. */
  readonly perhapsNew?: true | undefined;
  /** The link is or may be new, but was first seen after an attempt in doubt, so somebody else may have changed it. */
  readonly seenLate?: true | undefined;
  /** The link of a row that was not applied as requested was there before, and the row did not change it. */
  readonly existed?: true | undefined;
  /** For unknown rows in keyed and dedupe mode: repeating the command settles them without harm. */
  readonly repeatable?: true | undefined;
  /** For unknown rows: the same command resumes the run and finds out about them. */
  readonly resumable?: true | undefined;
}

/** Counts of the rows that were read so far. */
export type Tally = ReturnType<typeof startTally>;

export function startTally() {
  return {
    rows: 0,
    /** The number of unknown rows that repeating the command settles. */
    repeatable: 0,
    /** The number of unknown rows that a resumed run settles. */
    resumable: 0,
    /** The number of failed rows that changed or created a link, but not as requested. */
    unlike: 0,
    /** The number of failed rows that the program refused, not the server: it left their links alone. */
    untouched: 0,
    counts: Object.fromEntries(rowStatuses.map((status) => [status, 0])) as Record<RowStatus, number>,
    /** Failed rows by code. */
    failures: new Map<number, number>(),
  };
}

type Counted = Pick<RowOutcome, 'status' | 'error' | 'record' | 'existed' | 'repeatable' | 'resumable'>;

export function addTo(tally: Tally, { status, error, record, existed, repeatable, resumable }: Counted): void {
  const { counts, failures } = tally;
  const code = error?.code ?? 0;
  tally.rows += 1;
  counts[status] += 1;
  if (repeatable) tally.repeatable += 1;
  if (resumable) tally.resumable += 1;
  if (status !== 'failed') return;
  if (record && !existed) tally.unlike += 1;
  if (code === 0 && !record) tally.untouched += 1;
  failures.set(code, (failures.get(code) ?? 0) + 1);
}

/** Rows were done but could not be recorded. `details` names each row with its short URL. */
export class UnrecordedError extends LocalError {
  readonly rows: number;

  constructor(message: string, rows: number, lines: readonly string[], hint?: string) {
    super(message, { details: lines, hint });
    this.rows = rows;
  }

  /** Several batches may be in flight when the disk is full. */
  and(other: UnrecordedError): UnrecordedError {
    return new UnrecordedError(this.message, this.rows + other.rows, [...this.details, ...other.details], this.hint);
  }
}

export type StopReason =
  | { readonly kind: 'error'; readonly error: CliError }
  | { readonly kind: 'signal' }
  | { readonly kind: 'fail_fast' };

/** Returns the reason for the end line of an incomplete run. */
export function endReason(reason: StopReason | undefined): string {
  if (!reason) return 'unfinished';
  if (reason.kind !== 'error') return reason.kind;
  return reason.error.apiCode === 1303 ? 'quota' : reason.error.kind;
}

/** True for a link that the run created or may have created. */
export function mayBeNew({ status, perhapsNew }: Pick<RowOutcome, 'status' | 'perhapsNew'>): boolean {
  return status === 'created' || perhapsNew === true;
}

/** Returns true if the row failed because no link has its hash, which `--ignore-missing` ignores. */
export function isMissing({ error }: { readonly error?: RowError | undefined }): boolean {
  return error?.code === missingHash;
}

export function missingCount({ failures }: Tally): number {
  return failures.get(missingHash) ?? 0;
}

const missingHash = 1306;

type Row = Pick<RowOutcome, 'payload' | 'record' | 'status'>;

/** Prefers the destination in the row to that of the server. */
export function destinationOf(row: Row): string | undefined {
  return askedOf(row) ?? (row.record?.long_url || undefined);
}

/** Returns the destination only if the row does not give it: an edit of other fields, or a skipped row. */
export function unrequestedDestination(row: Row): string | undefined {
  return askedOf(row) === undefined ? destinationOf(row) : undefined;
}

function askedOf({ payload, status, record }: Row): string | undefined {
  const { long_url }: { readonly long_url?: string } = payload;
  return status === 'skipped' && record ? undefined : long_url;
}
