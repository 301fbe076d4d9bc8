import { UnavailableError } from '../../base/errors.ts';
import { CallError, refusesRun } from '../../client/call-error.ts';
import type { KnownRecord, UrlRecord } from '../../contract/records.ts';
import { fieldsSince, foreignFields } from '../../link/same.ts';
import { type Execution, isStale } from '../execution/execution.ts';
import { changedSince, destinationFingerprint, doubtful, type Failed, type Verdict } from '../matching/row-verdict.ts';
import { missing } from '../operations/named-links.ts';
import { type BulkOperation, kindOf } from '../operations/operation.ts';
import type { BulkRow, RowError } from '../results/row-outcome.ts';
import type { Reserved } from './limiter.ts';
import { keyRemoved, type PlannedChange } from './removed-key.ts';

/**
 * Reads links that must be read before their batch is sent, and stores them for `undo`, except those in doubt: they were read when the
 * doubt was resolved. `onReserved` receives the following call, which was reserved in the budget together with the reading. Undefined if
 * the batch must not be sent. Throws if the run must stop; nothing is sent then.
 */
export async function readBefore(
  rows: readonly BulkRow[],
  run: Execution,
  onReserved: (reserved: Reserved) => void,
): Promise<readonly BulkRow[] | undefined> {
  const { operation, priorDestinations, inDoubt, images } = run;
  const unread = rows.filter((row) => isToRead(row, run));
  let prepared = rows;
  if (unread.length > 0) {
    const reserved = await reserveReading(run);
    if (!reserved) return undefined;
    onReserved(reserved);
    prepared = await read(rows, unread, run);
  }
  const anew = new Set(unread.map(({ index }) => index));
  for (const { index, payload, before: link } of prepared) {
    if (link === undefined || inDoubt.has(index)) continue;
    operation.onRead?.(payload, link);
    if (operation.needsPriorDestination?.(payload) && (anew.has(index) || !priorDestinations.has(index)))
      priorDestinations.set(index, destinationFingerprint(link));
  }
  const isToKeep = ({ index, refusal }: BulkRow) =>
    refusal === undefined && !inDoubt.has(index) && (!images?.has(index) || anew.has(index));
  const unkept = images ? prepared.filter(isToKeep) : [];
  if (unkept.length > 0) await images?.keep(unkept);
  return prepared;
}

/** Reserves a reading and the call after it. Waits while other batches may give theirs back. Undefined if the run stops. */
async function reserveReading({ calls, stop, undecided, reserveCalls }: Execution): Promise<Reserved | undefined> {
  while (!stop.reason) {
    if (calls.reserve(2)) {
      let reserved: Reserved | undefined;
      const decision = new Promise<void>((resolve) => {
        reserved = (isMade) => {
          if (undecided.delete(decision) && !isMade) calls.reserve(-1);
          resolve();
        };
      });
      undecided.add(decision);
      return reserved;
    }
    if (undecided.size > 0) await Promise.race(undecided);
    // Stops the run.
    else reserveCalls(2);
  }
  return undefined;
}

/** Readings in a row that may take too long to be current. Then the run stops, because the server may never be faster. */
const maximalReadings = 3;

/**
 * Returns a check for before each attempt of a call: true if the links are as they were read. Links that were read too long ago, for
 * example before a wait for the server, are read again. False also if the run stops or the budget is exhausted; the call is not made then.
 */
export function freshnessCheck(rows: readonly BulkRow[], run: Execution): () => Promise<boolean> {
  const { operation, system, stop, reserveCalls } = run;
  const read = operation.read ? rows.filter(({ readAt, before }) => readAt !== undefined && before !== undefined) : [];
  let readAt = Number.NEGATIVE_INFINITY;
  return async () => {
    for (let readings = 0; ; readings += 1) {
      const stale = read.filter((row) => isStale({ readAt: Math.max(readAt, row.readAt ?? 0) }, run));
      if (stale.length === 0) return true;
      if (readings === maximalReadings) stop.because(tooSlow(stale.length));
      if (stop.reason || !reserveCalls()) return false;
      const startedAt = system.elapsed();
      if (!(await areAsRead(stale, run))) return false;
      readAt = startedAt;
    }
  };
}

/** Reads the links again. False also if that fails, which stops the run. */
async function areAsRead(rows: readonly BulkRow[], run: Execution): Promise<boolean> {
  const { operation, stop, signal } = run;
  const payloads = rows.map(({ payload }) => payload);
  try {
    const links = (await operation.read?.(payloads, signal)) ?? [];
    return rows.every((row, nth) => isAsRead(row, links[nth], run));
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    stop.because(error);
    return false;
  }
}

function tooSlow(count: number): UnavailableError {
  const what = count === 1 ? 'a link' : `${count} links`;
  const message = `the server takes more than ten seconds to read ${what}, so newer changes could be overwritten`;
  return new UnavailableError(message, { hint: 'run the same command again later' });
}

function isAsRead(
  { index, payload, before, listed }: BulkRow,
  now: KnownRecord | null | undefined,
  { operation, inDoubt, plan }: Execution,
): boolean {
  const isDone = kindOf(payload, operation) === 'delete' ? !now : now && operation.notApplied?.(payload, now).length === 0;
  // An attempt with a lost answer may have applied it.
  if (inDoubt.has(index) && isDone) return true;
  if (!before || !now) return !before && !now;
  return fieldsSince(before, now).length === 0 && (!listed || isStillSelected(now, plan));
}

/** Without undo and results, only what doubt needs is read. */
function isToRead(row: BulkRow, { operation, images, plan, inDoubt, priorDestinations, system }: Execution): boolean {
  const { index, payload, before: known, refusal } = row;
  if (refusal !== undefined || inDoubt.has(index)) return false;
  if (known !== undefined) return isStale(row, { system });
  if (images || plan.results !== undefined) return true;
  return operation.needsPriorDestination?.(payload) === true && !priorDestinations.has(index);
}

async function read(
  rows: readonly BulkRow[],
  unread: readonly BulkRow[],
  { operation, images, plan, signal, system }: Execution,
): Promise<readonly BulkRow[]> {
  const payloads = unread.map(({ payload }) => payload);
  // If links are read only for results, rows are changed even if the reading fails.
  const isOptional =
    !images &&
    plan.results !== undefined &&
    !unread.some(({ payload, listed }) => listed !== undefined || operation.needsPriorDestination?.(payload));
  // The server may answer with values from before a wait.
  const readAt = system.elapsed();
  const links = await operation.read?.(payloads, signal).catch((error: unknown) => {
    if (!isOptional || !(error instanceof CallError) || refusesRun(error)) throw error;
  });
  if (!links) return rows;
  const found = new Map(unread.map(({ index }, nth) => [index, links[nth] ?? null]));
  return rows.map((row) => (found.has(row.index) ? { ...row, before: found.get(row.index), readAt } : row));
}

/** Returns verdicts that are certain before sending; undefined for rows to send. */
export function knownVerdicts(rows: readonly BulkRow[], run: PlannedChange): readonly (Verdict | undefined)[] {
  return rows.map((row) => {
    const refused = (refusal: string | RowError): Failed => ({ kind: 'failed', error: refusalError(refusal) });
    if (row.refusal !== undefined) return refused(row.refusal);
    const verdict = verdictBefore(row, run);
    // What is as asked is not sent.
    const lost = verdict ? undefined : keyRemoved(row, run);
    return lost === undefined ? verdict : refused(`not sent: ${lost}`);
  });
}

function verdictBefore({ index, payload, before, listed }: BulkRow, run: PlannedChange): Verdict | undefined {
  const { operation, inDoubt } = run;
  if (!operation.read || before === undefined) return undefined;
  if (inDoubt.has(index)) {
    const isSeen = kindOf(payload, operation) === 'delete' && before !== null && listed;
    return isSeen ? sinceListed(payload, listed, before, run) : undefined;
  }
  const kind = kindOf(payload, operation);
  const isNew = kind === 'shorten';
  if (before === null && kind === 'delete' && operation.mayBeGone) return { kind: 'done', unchanged: true };
  if (before === null) return isNew ? undefined : missing;
  if (operation.isDone?.(payload, before)) return { kind: 'done', record: before, unchanged: true };
  if (isNew || (listed === null && operation.kind === 'shorten'))
    return { kind: 'failed', error: { code: 0, message: 'created since it was listed' } };
  return listed ? sinceListed(payload, listed, before, run) : undefined;
}

export function refusalError(refusal: string | RowError): RowError {
  return typeof refusal === 'string' ? { code: 0, message: refusal } : refusal;
}

/** Fails a row whose link changed since it was listed, unless the changed fields have the requested values. */
function sinceListed(
  payload: object,
  listed: KnownRecord,
  before: KnownRecord,
  { operation, plan }: PlannedChange,
): Failed | undefined {
  if (listed === before) return undefined;
  const fields = foreignFieldsOf(payload, { before: listed, now: before }, operation);
  return fields.length === 0 && isStillSelected(before, plan) ? undefined : changedSince(fields);
}

/** A partial record cannot be tested, so it counts as selected. */
function isStillSelected(record: KnownRecord, { isSelected }: PlannedChange['plan']): boolean {
  return !isSelected || !isWhole(record) || isSelected(record);
}

function isWhole(record: KnownRecord): record is UrlRecord {
  return record.long_url !== undefined && record.tags !== undefined;
}

/** Returns the fields that somebody else changed since. */
export function foreignFieldsOf(
  payload: object,
  { before, now }: { readonly before: KnownRecord; readonly now: KnownRecord },
  { requestedFields, notApplied }: BulkOperation,
) {
  return foreignFields(requestedFields?.(payload) ?? {}, { before, now }, notApplied?.(payload, now) ?? []);
}

/** Inserts the verdicts of the sent rows between the known ones. */
export function mergeVerdicts(known: readonly (Verdict | undefined)[], sent: readonly Verdict[]): readonly Verdict[] {
  const answers = sent.values();
  return known.map((verdict) => verdict ?? answers.next().value ?? doubtful);
}
