import { type CallError, isTooLarge, lastOf, stopsRun } from '../../client/call-error.ts';
import { errorTraits } from '../../contract/errors.ts';
import type { KnownRecord } from '../../contract/records.ts';
import type { Execution } from '../execution/execution.ts';
import { again, type BatchAnswer, doubtful, type Failed, shortUrlOf, type Verdict } from '../matching/row-verdict.ts';
import { kindOf } from '../operations/operation.ts';
import type { BulkRow } from '../results/row-outcome.ts';
import { mergeVerdicts } from './links-before.ts';
import { inspect, resolveDoubt, unknownOutcomeError } from './resolving.ts';
import { isTemporary, outcomeOf, type RecordedBatch } from './settling.ts';

type Rows = readonly BulkRow[];

/** Puts rows without an item in doubt. Reads the links of refused rows in doubt, because an earlier attempt may have caused the refusal. */
export async function verdictsOfAnswer(answer: BatchAnswer, sent: RecordedBatch, run: Execution): Promise<readonly Verdict[]> {
  const { verdicts: answered, surplus } = answer;
  const { batch, rows } = sent;
  if (surplus.length > 0) keepSurplus(surplus, run);
  const verdicts =
    run.inDoubt.size === 0 ? answered : answered.map((verdict, nth) => verdict && doneByUs(verdict, rows[nth], run));
  const missing = { batch, rows: rows.filter((_, position) => !verdicts[position]) };
  const refused = refusedInDoubt(rows, verdicts, run);
  if (missing.rows.length === 0 && refused.size === 0) return mergeVerdicts(verdicts, []);
  // Final verdicts are recorded first, because further requests may take long.
  const known = rows.flatMap((row, position) => {
    const verdict = verdicts[position];
    const isKnown = verdict?.kind === 'done' || (verdict?.kind === 'failed' && !isTemporary(verdict) && !refused.has(row));
    return isKnown ? [outcomeOf(row, verdict, run)] : [];
  });
  if (known.length > 0) await run.ledger.settled(batch, known, [], true);
  const found = await verdictsOfRefused(refused, run);
  const seen = rows.map((row, position) => found.get(row) ?? verdicts[position]);
  if (missing.rows.length === 0) return mergeVerdicts(seen, []);
  await enterDoubt(missing, 'the response has no entry for these rows', run);
  return mergeVerdicts(seen, await resolveDoubt(missing, run));
}

/** If a row in doubt has its requested values or its numbered hash, an earlier attempt did it, so the row counts as changed or created. */
function doneByUs(verdict: Verdict, row: BulkRow | undefined, run: Execution): Verdict {
  const { inDoubt, operation } = run;
  if (verdict.kind !== 'done' || !row || !inDoubt.has(row.index)) return verdict;
  const { unchanged: _, shared, ...done } = verdict;
  // The link is that of an earlier row.
  if (shared && verdict.existed) return { ...done, shared };
  const found = shared && !verdict.renamed ? { ...done, shared } : done;
  // An earlier attempt may have created the link, and others may have visited it since.
  return operation.statusOf(row.payload, found) === 'existing' ? { ...found, perhapsNew: true } : found;
}

/** Records that an attempt of these rows may have been applied, before anything else is done. */
export async function enterDoubt({ batch, rows }: RecordedBatch, reason: string, { inDoubt, ledger }: Execution): Promise<void> {
  for (const { index } of rows) inDoubt.add(index);
  await ledger.ambiguous(batch, rows, reason);
}

/** Returns verdicts for a failed call; if its outcome is unknown, the rows are already in doubt. Stops the run for some errors. */
export async function verdictsOfFailure(error: CallError, sent: RecordedBatch, run: Execution): Promise<readonly Verdict[]> {
  const { last } = error;
  const { rows } = sent;
  const { operation, stop } = run;
  const tooLarge: boolean = isTooLarge(error);
  if (last.outcome === 'ambiguous') {
    // The client has already retried the call, so these rows are not sent again.
    const wasRepeated = error.gaveUp !== 'not retryable' && error.gaveUp !== 'not safe to repeat';
    const verdicts = await resolveDoubt(sent, run, wasRepeated);
    const inDoubt = verdicts.filter((verdict) => verdict.kind === 'doubtful');
    if (inDoubt.length > 0) stop.because(unknownOutcomeError(error, inDoubt));
    return verdicts;
  }
  if (stopsRun(last) && !tooLarge) {
    // If nothing is in doubt, or repeating the command settles it, only the last error is reported.
    const isSettledByRepeating = error.outcome !== 'ambiguous' || operation.doubt === 'repeat';
    stop.because(isSettledByRepeating ? lastOf(error) : unknownOutcomeError(error, []));
    return rows.map(() => again);
  }
  const isCreation = rows.some(({ payload }) => kindOf(payload, operation) === 'shorten');
  if (last.apiCode === 1306 && !isCreation && operation.inspect && rows.length > 1) return inspectRefused(sent, run);
  const code = last.apiCode ?? (tooLarge ? 1310 : 0);
  const refusal: Failed = { kind: 'failed', error: { code, message: last.serverMessage ?? last.message } };
  const refused = rows.map(() => refusal);
  const found = await verdictsOfRefused(refusedInDoubt(rows, refused, run), run);
  return rows.map((row) => found.get(row) ?? refusal);
}

/**
 * An unknown hash refused the call, and nobody knows whether the server has changed the links that it knows. So edits of links that were
 * read right before are in doubt, except those of links that are gone. For deletions, the links are evidence: one that is gone was deleted
 * by this call, or by somebody else since; one that is there was not deleted. A link that was not read may never have existed. A reset is
 * sent again: nothing shows whether it was done.
 */
async function inspectRefused({ batch, rows }: RecordedBatch, run: Execution): Promise<readonly Verdict[]> {
  const { operation, inDoubt, ledger } = run;
  const isKnown = ({ index, before }: BulkRow) => operation.doubt === 'inspect' && before && !inDoubt.has(index);
  const known = new Set(rows.filter(isKnown));
  const isDeletion = [...known].some(({ payload }) => kindOf(payload, operation) === 'delete');
  if (!isDeletion) for (const { index } of known) inDoubt.add(index);
  const verdicts = await inspect(rows, run, isDeletion ? known : undefined);
  const unread: BulkRow[] = [];
  for (const [nth, row] of rows.entries()) {
    if (!known.has(row)) continue;
    if (verdicts[nth]?.kind === 'doubtful') unread.push(row);
    else if (isMissing(verdicts[nth])) inDoubt.delete(row.index);
  }
  if (unread.length > 0) await ledger.ambiguous(batch, unread, 'the call was refused, and the links could not be read');
  return verdicts;
}

function isMissing(verdict: Verdict | undefined): boolean {
  return verdict?.kind === 'failed' && verdict.error.code === 1306;
}

/** Returns rows in doubt whose refusal may have been caused by an earlier attempt. */
function refusedInDoubt(rows: Rows, verdicts: readonly (Verdict | undefined)[], { inDoubt }: Execution): Map<BulkRow, Failed> {
  const refused = new Map<BulkRow, Failed>();
  if (inDoubt.size === 0) return refused;
  for (const [position, row] of rows.entries()) {
    const verdict = verdicts[position];
    if (verdict?.kind !== 'failed' || !inDoubt.has(row.index)) continue;
    // Invalid values were refused in the first attempt too. Other codes may be an effect of that attempt.
    if (!isTemporary(verdict) && errorTraits(verdict.error.code).about !== 'values') refused.set(row, verdict);
  }
  return refused;
}

/**
 * A link to delete that is missing was deleted by an earlier attempt. Otherwise reads the links: a refusal is final only if it is about the
 * hash and the links show no effect of an earlier attempt.
 */
async function verdictsOfRefused(refused: ReadonlyMap<BulkRow, Failed>, run: Execution): Promise<Map<BulkRow, Verdict>> {
  const found = new Map<BulkRow, Verdict>();
  for (const [row, refusal] of refused)
    if (isMissing(refusal) && kindOf(row.payload, run.operation) === 'delete') found.set(row, { kind: 'done' });
  const rows = [...refused.keys()].filter((row) => !found.has(row));
  if (rows.length === 0) return found;
  const seen = await inspect(rows, run);
  for (const [position, row] of rows.entries()) {
    const verdict = seen[position] ?? doubtful;
    const refusal = refused.get(row);
    const isSeen = verdict.kind === 'done' || verdict.kind === 'doubtful';
    found.set(
      row,
      isSeen ? doneByUs(verdict, row, run) : refusal && errorTraits(refusal.error.code).about === 'hash' ? refusal : doubtful,
    );
  }
  return found;
}

/** Warns about links that belong to no row and records them. Only the user decides about deleting them. */
function keepSurplus(records: readonly KnownRecord[], { warn, begun }: Execution): void {
  const named = records.slice(0, 5).map(shortUrlOf).join(', ');
  warn(`a response contained ${records.length} records that belong to no row: ${named}`);
  const found = records.map(({ hash }) => hash);
  // The next write fails as well if the journal is broken.
  begun.journal.write({ type: 'reconcile', batch: 0, conclusive: true, found }).catch(() => undefined);
}
