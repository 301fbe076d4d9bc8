import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checksum } from '../../base/checksum.ts';
import { CliError, UnavailableError } from '../../base/errors.ts';
import { grouped } from '../../base/group-by.ts';
import { CallError, lastOf } from '../../client/call-error.ts';
import { errorTraits } from '../../contract/errors.ts';
import { foldedHash, type LinkKey } from '../../contract/link.ts';
import { atomicWrite } from '../../files/atomic-write.ts';
import { makePrivateFolder } from '../../files/folders.ts';
import { rowKey } from '../../link/same.ts';
import type { Execution } from '../execution/execution.ts';
import type { Watermark } from '../journal/lines.ts';
import type { BatchAnswer, Verdict } from '../matching/row-verdict.ts';
import { serializeBatch } from '../operations/batches.ts';
import { type BulkOperation, kindOf } from '../operations/operation.ts';
import type { BulkRow, RowOutcome } from '../results/row-outcome.ts';
import { sendRows } from '../sending/batch-sender.ts';
import { newerThan, scanFront, takeWatermark } from './newest-links.ts';

/**
 * Proves, once per server and account, that rule 4.3.4 holds, on which keyed mode rests: sends the first rows, at first one
 * and then twice as many, until one is taken, and then the same again on purpose. Answers with the outcomes of the rows that it
 * sent; of none once the proof is there. What fails goes to the run's `stop`.
 *
 * A run that reads in doubt, and does not repeat, only has to know that links get the hashes that they are made with: of its rows
 * those that make links are sent first, once.
 */
export function createIdempotencyProbe(run: Execution): NonNullable<Execution['prove']> {
  const note = noteOf(run);
  let proven = existsSync(note);
  let turn: Promise<unknown> = Promise.resolve();

  async function prove(rows: readonly BulkRow[]): Promise<Map<number, RowOutcome>> {
    const outcomes = new Map<number, RowOutcome>();
    const made = repeats(run) ? rows : rows.filter(({ payload }) => kindOf(payload, run.operation) === 'shorten');
    for (let start = 0, size = 1; start < made.length && !proven && !run.stop.reason; start += size, size *= 2) {
      const result = await proveWith(made.slice(start, start + size), run);
      for (const outcome of result.outcomes) outcomes.set(outcome.index, outcome);
      proven = result.proven;
    }
    if (proven && repeats(run)) {
      makePrivateFolder(run.folders.proofs);
      atomicWrite(note, 'rule 4.3.4 holds\n', run.system);
    }
    return outcomes;
  }

  return (rows) => {
    const next = turn.then(() => (proven ? new Map() : prove(rows)));
    turn = next.catch(() => undefined);
    return next;
  };
}

function repeats({ operation }: Execution): boolean {
  return operation.doubt === 'repeat';
}

/** Two readings of the total, and the second request. */
const ownCalls = 3;

/** Calls that the proof needs beside those of its rows; none if it is already stored. */
export function callsToProve(run: Execution): number {
  return existsSync(noteOf(run)) ? 0 : ownCalls;
}

/** A proof holds for one account on one server and domain, with hashes of our own making or of others'. */
function noteOf({ client, domain, plan, folders }: Execution): string {
  const { server, username } = client.identity;
  const subject = JSON.stringify([server, username, domain ?? null, plan.mode?.generateHashes ?? false]);
  return join(folders.proofs, checksum(subject));
}

interface Proof {
  readonly outcomes: readonly RowOutcome[];
  readonly proven: boolean;
}

async function proveWith(rows: readonly BulkRow[], run: Execution): Promise<Proof> {
  const generated = run.plan.mode?.generateHashes;
  let outcomes: readonly RowOutcome[] = [];
  try {
    if (repeats(run) && !run.mayCall(ownCalls)) return { outcomes, proven: false };
    const before = repeats(run) ? await takeWatermark(run, run.signal) : undefined;
    outcomes = [...(await sendRows(rows, { ...run, operation: watched(run) })).values()];
    const taken = outcomes.filter(({ status }) => status === 'created' || status === 'existing');
    if (generated && outcomes.some(({ error }) => error?.code === 1215 || error?.code === 1218)) {
      run.stop.because(refusal('it does not accept generated hashes'));
    }
    if (taken.length === 0 || run.stop.reason) return { outcomes, proven: false };
    if (!before) return { outcomes, proven: true };
    // A call is for one domain.
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

/** A record under another hash than was sent ends it with the first answer, before anything is sent once more. */
function watched({ operation, stop }: Execution): BulkOperation {
  return {
    ...operation,
    call: async (items, ...rest) => {
      const answer = await operation.call(items, ...rest);
      const hashes = items.map((item: Partial<LinkKey>) => operation.hashOf?.(item) ?? item.hash ?? '');
      const foreign = foreignHash(hashes, answer);
      if (foreign) stop.because(refusal(`it created ${foreign.made} instead of ${foreign.asked}`));
      return answer;
    },
  };
}

function foreignHash(hashes: readonly string[], { verdicts, surplus }: BatchAnswer): { asked: string; made: string } | undefined {
  for (const [position, asked] of hashes.entries()) {
    const verdict = verdicts[position];
    // A row without a record, beside a record without a row: they belong together.
    const isOwn = verdict?.kind === 'done' && !verdict.renamed;
    const made = verdict === undefined ? surplus[0]?.hash : isOwn ? verdict.record?.hash : undefined;
    if (made !== undefined && foldedHash(made) !== foldedHash(asked)) return { asked, made };
  }
  return undefined;
}

type Second = 'same' | 'unanswered' | { readonly fault: string };

/** Sends the rows a second time, with a second intent. */
async function sendAgain(taken: readonly RowOutcome[], before: Watermark, run: Execution): Promise<Second> {
  const serialized = serializeBatch(taken);
  const batch = await run.ledger.intent(serialized);
  const { verdicts } = await run.operation.call(serialized.payloads, run.signal, serialized.json);
  await run.ledger.settled(batch, taken, []);
  // A refusal of the account says nothing of the rule: the quota may be used up meanwhile, as every further call says, too.
  if (verdicts.some(isUnanswered)) return 'unanswered';
  const isSame = taken.every(({ record }, position) => {
    const verdict = verdicts[position];
    return verdict?.kind === 'done' && verdict.record?.hash === record?.hash;
  });
  if (!isSame) return { fault: 'sending the same request twice did not return the same link' };
  const after = await scanFront(run, run.signal);
  if (before.total === undefined || after.total === undefined || after.total - before.total <= taken.length) return 'same';
  // The count grew by more than it should: our own doing, or somebody else writes. Only the former makes equal records.
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
  return new UnavailableError(`this server does not behave as rule 4.3.4 says: ${fault}`, {
    hint: 'do not use --generate-hashes or custom hashes, or use --dedupe',
  });
}
