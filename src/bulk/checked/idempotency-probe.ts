import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checksum } from '../../base/checksum.ts';
import { CliError, UnavailableError } from '../../base/errors.ts';
import { grouped } from '../../base/group-by.ts';
import { CallError, lastOf } from '../../client/call-error.ts';
import { errorTraits } from '../../contract/errors.ts';
import { foldedHash, type LinkKey } from '../../contract/link.ts';
import type { ShortenItem } from '../../contract/operations.ts';
import { atomicWrite } from '../../files/atomic-write.ts';
import { makePrivateFolder } from '../../files/folders.ts';
import { rowKey } from '../../link/same.ts';
import type { Execution } from '../execution/execution.ts';
import type { Watermark } from '../journal/lines.ts';
import type { BatchAnswer, Verdict } from '../matching/row-verdict.ts';
import { serializeBatch } from '../operations/batches.ts';
import { type BulkOperation, kindOf } from '../operations/operation.ts';
import type { BulkRow, RowOutcome } from '../results/row-outcome.ts';
import type { RunPlan } from '../run-plan.ts';
import { sendRows } from '../sending/batch-sender.ts';
import { newerThan, scanFront, takeWatermark } from './newest-links.ts';

/**
 * Proves once per server and account that a repeated request creates no second link (4.3.4), as keyed mode requires. Sends one row, then
 * twice as many each time until a row is accepted, and repeats that request on purpose. Returns the outcomes of the sent rows; empty if the
 * proof exists. Failures stop the run.
 *
 * A run that inspects doubt instead of repeating only needs proof that links get the requested hashes. It sends its rows that create links
 * first, once.
 */
export function createIdempotencyProbe(run: Execution): NonNullable<Execution['prove']> {
  let proven = isProven(run);
  let turn: Promise<unknown> = Promise.resolve();

  async function prove(rows: readonly BulkRow[]): Promise<Map<number, RowOutcome>> {
    const outcomes = new Map<number, RowOutcome>();
    for (const some of probesOf(rows, run.operation)) {
      if (proven || run.stop.reason) break;
      const result = await proveWith(some, run);
      for (const outcome of result.outcomes) outcomes.set(outcome.index, outcome);
      proven = result.proven;
    }
    if (proven && repeats(run)) keepProof();
    return outcomes;
  }

  /** Where this fails, the next line of the journal may fail too. The run stops before it, while all its rows are recorded. */
  function keepProof(): void {
    try {
      makePrivateFolder(run.folders.proofs);
      atomicWrite(noteOf(run), 'rule 4.3.4 holds\n', run.system);
    } catch (error) {
      run.stop.because(error);
    }
  }

  return (rows) => {
    const next = turn.then(() => (proven ? new Map() : prove(rows)));
    turn = next.catch(() => undefined);
    return next;
  };
}

/** Yields the rows of each probe: one, then twice as many each time. The last one that is sent is repeated if that is harmless. */
export function* probesOf(rows: readonly BulkRow[], operation: BulkOperation): Generator<readonly BulkRow[]> {
  const made = repeats({ operation }) ? rows : rows.filter(({ payload }) => kindOf(payload, operation) === 'shorten');
  for (let start = 0, size = 1; start < made.length; start += size, size *= 2) yield made.slice(start, start + size);
}

export function repeats({ operation }: Pick<Execution, 'operation'>): boolean {
  return operation.doubt === 'repeat';
}

/** Also the run that a dry run stands for. */
export type RunToProve = Pick<Execution, 'client' | 'domain' | 'folders'> & {
  readonly plan: Pick<RunPlan, 'mode' | 'isOneOff'>;
};

export function isProven(run: RunToProve): boolean {
  return existsSync(noteOf(run));
}

/** Two readings of the total, and the second request. */
const ownCalls = 3;

/** Returns the number of calls that the proof needs besides those of its rows; 0 if the proof exists. */
export function callsToProve(run: Execution): number {
  return isProven(run) ? 0 : ownCalls;
}

/** A proof holds for one server, account and domain, and either with or without generated hashes. */
function noteOf({ client, domain, plan, folders }: RunToProve): string {
  const { server, username } = client.identity;
  const subject = JSON.stringify([server, username, domain ?? null, plan.mode?.generateHashes ?? false]);
  return join(folders.proofs, checksum(subject));
}

async function proveWith(rows: readonly BulkRow[], run: Execution) {
  const generated = run.plan.mode?.generateHashes;
  let outcomes: readonly RowOutcome[] = [];
  try {
    if (repeats(run) && !run.reserveCalls(ownCalls)) return { outcomes, proven: false };
    const before = repeats(run) ? await takeWatermark(run, run.signal) : undefined;
    outcomes = [...(await sendRows(rows, { ...run, operation: watched(run) })).values()];
    const taken = outcomes.filter(({ status }) => status === 'created' || status === 'existing');
    if (generated && outcomes.some(({ error }) => error?.code === 1215 || error?.code === 1218)) {
      run.stop.because(refusal('it does not accept generated hashes'));
    }
    if (taken.length === 0 || run.stop.reason) return { outcomes, proven: false };
    if (!before) return { outcomes, proven: true };
    // A call covers one domain.
    const [together = []] = [...grouped(taken, ({ payload }) => run.operation.group?.(payload) ?? '').values()];
    const found = await sendAgain(together, before, run);
    if (found !== 'same' && found !== 'unanswered') run.stop.because(refusal(found.fault));
    return { outcomes, proven: found === 'same' };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    run.stop.because(error instanceof CallError ? lastOf(error) : error);
    return { outcomes, proven: false };
  }
}

/** Stops the run if an answer has another hash than requested, before the request is repeated. */
function watched({ operation, stop }: Execution): BulkOperation {
  return {
    ...operation,
    call: async (items, ...rest) => {
      const answer = await operation.call(items, ...rest);
      const hashes = items.map((item: Partial<LinkKey & ShortenItem>) => item.custom_hash ?? item.hash ?? '');
      const foreign = foreignHash(hashes, answer);
      if (foreign) stop.because(refusal(`it created ${foreign.made} instead of ${foreign.asked}`));
      return answer;
    },
  };
}

function foreignHash(hashes: readonly string[], { verdicts, surplus }: BatchAnswer): { asked: string; made: string } | undefined {
  for (const [position, asked] of hashes.entries()) {
    const verdict = verdicts[position];
    // A row without a record and a record without a row belong together.
    const isOwn = verdict?.kind === 'done' && !verdict.renamed;
    const made = verdict === undefined ? surplus[0]?.hash : isOwn ? verdict.record?.hash : undefined;
    if (made !== undefined && foldedHash(made) !== foldedHash(asked)) return { asked, made };
  }
  return undefined;
}

type Second = 'same' | 'unanswered' | { readonly fault: string };

/** Repeats the request under a second intent. */
async function sendAgain(taken: readonly RowOutcome[], before: Watermark, run: Execution): Promise<Second> {
  const serialized = serializeBatch(taken);
  const batch = await run.ledger.intent(serialized);
  const { verdicts } = await run.operation.call(serialized.payloads, run.signal, serialized.json);
  await run.ledger.settled(batch, taken, []);
  // A temporary refusal, or one that concerns the account, proves nothing: the quota may be used up by now.
  if (verdicts.some(isUnanswered)) return 'unanswered';
  const isSame = taken.every(({ record }, position) => {
    const verdict = verdicts[position];
    return verdict?.kind === 'done' && verdict.record?.hash === record?.hash;
  });
  if (!isSame) return { fault: 'sending the same request twice did not return the same link' };
  const after = await scanFront(run, run.signal);
  if (before.total === undefined || after.total === undefined || after.total - before.total <= taken.length) return 'same';
  // The total grew too much: the repetition or someone else created links. Only the repetition creates equal records.
  const given = new Set(taken.map(({ record }) => record?.hash));
  const ours = new Set(taken.map(({ payload }) => rowKey(payload)));
  const hasTwin = newerThan(before, after).some((record) => !given.has(record.hash) && ours.has(rowKey(record)));
  return hasTwin ? { fault: 'sending the same request twice created two links' } : 'same';
}

function isUnanswered(verdict: Verdict | undefined): boolean {
  if (verdict?.kind === 'again') return true;
  if (verdict?.kind !== 'failed') return false;
  const { temporary, refuses } = errorTraits(verdict.error.code);
  return temporary === true || refuses !== undefined;
}

function refusal(fault: string): UnavailableError {
  return new UnavailableError(`requests with custom hashes cannot be repeated safely on this server: ${fault}`, {
    hint: 'do not use --generate-hashes or custom hashes, or use --dedupe',
  });
}
