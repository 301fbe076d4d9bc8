import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checksum } from '../../base/checksum.ts';
import { CliError, UnavailableError } from '../../base/errors.ts';
import { CallError, lastOf } from '../../client/call-error.ts';
import type { Identity } from '../../client/subject.ts';
import { foldedHash } from '../../contract/link.ts';
import type { ShortenItem } from '../../contract/operations.ts';
import { atomicWrite, type WriteSystem } from '../../files/atomic-write.ts';
import { makePrivateFolder } from '../../files/folders.ts';
import { serializeBatch } from '../batches.ts';
import type { Watermark } from '../journal/lines.ts';
import { foldedKey } from '../matching/row-keys.ts';
import type { BatchAnswer } from '../matching/verdict.ts';
import type { BulkOperation } from '../operations/operation.ts';
import { type BulkRow, doneStatuses, type RowOutcome } from '../results/row-outcome.ts';
import { sendRows } from '../sending/sending.ts';
import type { SendingContext } from '../sending/sending-context.ts';
import { type ListingSettings, scanFront } from './newest-links.ts';
import { newerThan, takeWatermark } from './watermark.ts';

/** Proof, once per server and account, that rule 4.3.4 holds: the keyed mode stands on it (R-X7). */
export interface IdempotencyProbe {
  /**
   * Sends the first rows, few at a time, until one is taken, and then the same again on purpose. Answers with what became of
   * the rows that it sent; no row once the proof is there. What fails goes to the run's `stop`.
   */
  prove(rows: readonly BulkRow<ShortenItem>[]): Promise<ReadonlyMap<number, RowOutcome<ShortenItem>>>;
}

export interface IdempotencyProbeSettings extends ListingSettings {
  readonly context: SendingContext<ShortenItem>;
  readonly system: WriteSystem;
  /** Whose proof it is, and where it is remembered. */
  readonly folder: string;
  readonly subject: string;
  /** Hashes of our own making: a refusal of one means that the alphabet is not accepted. */
  readonly generated: boolean;
}

export function createIdempotencyProbe(settings: IdempotencyProbeSettings): IdempotencyProbe {
  const note = noteOf(settings);
  let proven = existsSync(note);
  let turn: Promise<unknown> = Promise.resolve();

  async function prove(rows: readonly BulkRow<ShortenItem>[]): Promise<Map<number, RowOutcome<ShortenItem>>> {
    const outcomes = new Map<number, RowOutcome<ShortenItem>>();
    for (let start = 0, size = 1; start < rows.length && !proven && !settings.context.stop.reason; start += size, size *= 2) {
      const few = rows.slice(start, start + size);
      const result = await proveWith(few, settings);
      for (const outcome of result.outcomes) outcomes.set(outcome.index, outcome);
      proven = result.proven;
    }
    if (proven) remember(note, settings);
    return outcomes;
  }

  return {
    prove(rows) {
      const next = turn.then(() => (proven ? new Map() : prove(rows)));
      turn = next.catch(() => undefined);
      return next;
    },
  };
}

/** The two looks and the second time. */
const ownCalls = 3;

/** Calls that the proof takes beside those of its rows; none once it is there. */
export function callsToProve(whose: Pick<IdempotencyProbeSettings, 'folder' | 'subject'>): number {
  return existsSync(noteOf(whose)) ? 0 : ownCalls;
}

/** Whose proof it is: of one account on one server and domain, with hashes of our own making or of others'. */
export function provenFor({ server, username }: Identity, domain: string | undefined, generated: boolean): string {
  return JSON.stringify([server, username, domain ?? null, generated]);
}

function noteOf({ folder, subject }: Pick<IdempotencyProbeSettings, 'folder' | 'subject'>): string {
  return join(folder, checksum(subject));
}

interface Proof {
  readonly outcomes: readonly RowOutcome<ShortenItem>[];
  readonly proven: boolean;
}

async function proveWith(rows: readonly BulkRow<ShortenItem>[], settings: IdempotencyProbeSettings): Promise<Proof> {
  const { context, generated } = settings;
  let outcomes: readonly RowOutcome<ShortenItem>[] = [];
  try {
    if (!context.mayCall(ownCalls)) return { outcomes, proven: false };
    const before = await takeWatermark(settings, context.signal);
    outcomes = [...(await sendRows(rows, { ...context, operation: watched(context) })).values()];
    const taken = outcomes.filter(({ status }) => doneStatuses.has(status));
    if (generated && outcomes.some(({ error }) => error?.code === 1215 || error?.code === 1218)) {
      context.stop.because(refusal('it does not take hashes of our making'));
    }
    if (taken.length === 0 || context.stop.reason) return { outcomes, proven: false };
    const fault = await sendAgain(taken, before, settings);
    if (fault) context.stop.because(refusal(fault));
    return { outcomes, proven: fault === undefined };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    context.stop.because(error instanceof CallError ? lastOf(error) : error);
    return { outcomes, proven: false };
  }
}

/** `D27`: a record under another hash than was sent ends it with the first answer, before anything is sent once more. */
function watched({ operation, stop }: SendingContext<ShortenItem>): BulkOperation<ShortenItem> {
  return {
    ...operation,
    call: async (items, ...rest) => {
      const answer = await operation.call(items, ...rest);
      const foreign = foreignHash(items, answer);
      if (foreign) stop.because(refusal(`it made ${foreign.made} where ${foreign.asked} was asked for`));
      return answer;
    },
  };
}

function foreignHash(
  items: readonly ShortenItem[],
  { verdicts, surplus }: BatchAnswer,
): { asked: string; made: string } | undefined {
  for (const [position, { custom_hash: asked = '' }] of items.entries()) {
    const verdict = verdicts[position];
    // A row without a record, beside a record without a row: they belong together.
    const made = verdict === undefined ? surplus[0]?.hash : verdict.kind === 'done' ? verdict.record?.hash : undefined;
    if (made !== undefined && foldedHash(made) !== foldedHash(asked)) return { asked, made };
  }
  return undefined;
}

/** The second time, with an intent of its own (J1). Answers with what is wrong. */
async function sendAgain(
  taken: readonly RowOutcome<ShortenItem>[],
  before: Watermark,
  settings: IdempotencyProbeSettings,
): Promise<string | undefined> {
  const { context } = settings;
  const serialized = serializeBatch(taken);
  const batch = await context.ledger.intent(serialized);
  const { verdicts } = await context.operation.call(serialized.payloads, context.signal, serialized.json);
  await context.ledger.settled(batch, taken, []);
  const isSame = taken.every(({ record }, position) => {
    const verdict = verdicts[position];
    return verdict?.kind === 'done' && verdict.record?.hash === record?.hash;
  });
  if (!isSame) return 'the same request twice did not give the same link';
  const after = await takeWatermark(settings, context.signal);
  if (before.total === undefined || after.total === undefined || after.total - before.total <= taken.length) return undefined;
  return (await hasTwin(taken, before, settings)) ? 'the same request twice made two links' : undefined;
}

/** The count grew by more than it should: our own doing, or somebody else writes. Only the former makes equal records. */
async function hasTwin(
  taken: readonly RowOutcome<ShortenItem>[],
  before: Watermark,
  settings: IdempotencyProbeSettings,
): Promise<boolean> {
  const scan = await scanFront(settings, settings.context.signal);
  const given = new Set(taken.map(({ record }) => record?.hash));
  const ours = new Set(taken.map(({ payload }) => foldedKey(payload)));
  return newerThan(before, scan).some((record) => !given.has(record.hash) && ours.has(foldedKey(record)));
}

function refusal(fault: string): UnavailableError {
  return new UnavailableError(`this server does not behave as rule 4.3.4 says: ${fault}`, {
    hint: 'leave out --generate-hashes and custom hashes, or use --dedupe',
  });
}

function remember(note: string, { folder, system }: IdempotencyProbeSettings): void {
  makePrivateFolder(folder);
  atomicWrite(note, 'rule 4.3.4 holds\n', system);
}
