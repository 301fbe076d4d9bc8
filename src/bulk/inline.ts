import type { System } from '../base/system.ts';
import { foldedHash } from '../contract/link.ts';
import type { ShortenItem } from '../contract/operations.ts';
import { createStop, type Execution, type Ledger } from './execution/execution.ts';
import type { Done, Verdict } from './matching/row-verdict.ts';
import { rulesOf } from './operations/batches.ts';
import type { BulkOperation } from './operations/operation.ts';
import type { ConflictPolicy } from './operations/shorten.ts';
import { shortenOperation } from './operations/shorten.ts';
import { type BulkRow, type RowOutcome, type StopReason, startTally, type Tally } from './results/row-outcome.ts';
import type { RunRow } from './run-plan.ts';
import { createLimiter } from './sending/limiter.ts';
import { sendRows } from './sending/sending.ts';
import { leftAside } from './sending/settling.ts';
import { type TypedRecord, type TypedSettings, typedRecord } from './typed-record.ts';

interface TypedShortening extends TypedSettings, Omit<InlineSettings<ShortenItem>, 'system' | 'before' | 'record' | 'readBack'> {
  readonly tellsNew: boolean;
  readonly onConflict: Exclude<ConflictPolicy, 'update'> | undefined;
  warn(message: string): void;
}

/**
 * Makes links as they were typed. Of a hash that was typed is read first what has it, so that `undo` knows whose the link is; the hash that a
 * renamed link gets is known only later, so there the newest links are read.
 */
export async function shortenTyped(items: readonly ShortenItem[], settings: TypedShortening): Promise<TypedResult<ShortenItem>> {
  const { client, domain, system, mode, onConflict, signal, warn } = settings;
  const isTypedHash = mode.name === 'keyed' && mode.hasOwnHashes === true;
  const isRenamed = isTypedHash && onConflict === 'rename';
  const before = isTypedHash && !isRenamed ? await linksThere(items, settings) : [];
  const takeMark = async () => (await import('./checked/newest-links.ts')).takeWatermark({ client, domain }, signal);
  const record = typedRecord(items, { ...settings, takeMark: isRenamed ? takeMark : undefined });
  const operation = shortenOperation(settings);
  const readBack: InlineSettings<ShortenItem>['readBack'] = async (doubted, ends) =>
    await (await import('./checked/candidates.ts')).typedDoubt({ client, domain, system, warn })(doubted, ends);
  const { statusOf } = operation;
  const done = await runInline(
    before[0] ? { ...operation, statusOf: (item, one) => (hasHash(item, one) ? 'existing' : statusOf(item, one)) } : operation,
    items,
    { ...settings, before, record, readBack },
  );
  return { ...done, run: record.run, undo: true };
}

async function linksThere(
  items: readonly ShortenItem[],
  { client, domain, signal }: TypedShortening,
): Promise<RunRow['before'][]> {
  const { urlsByHash } = await import('../client/named-urls.ts');
  const hashes = items.map(({ custom_hash = '' }) => custom_hash);
  const found = await urlsByHash(hashes, { client, domain, batchSize: hashes.length, signal });
  return hashes.map((hash) => found.get(hash) ?? null);
}

function hasHash({ custom_hash = '' }: ShortenItem, { record }: Done): boolean {
  return record !== undefined && foldedHash(record.hash) === foldedHash(custom_hash);
}

export interface InlineSettings<Payload extends object> {
  readonly system: Pick<System, 'elapsed' | 'sleep' | 'random'>;
  /** Items in one call at most. */
  readonly batchSize: number;
  /** Ends waits and calls: the command's time is over. */
  readonly signal: AbortSignal;
  readonly failFast?: boolean | undefined;
  /** The links of the payloads, where they were read already (W3). */
  readonly before?: readonly RunRow['before'][] | undefined;
  /** When they were, as `System.elapsed` has it. */
  readonly readAt?: number | undefined;
  /** Keeps what is done; nothing without it. */
  readonly record?: TypedRecord | undefined;
  /** Inspects rows in doubt, where the operation's policy is `read_back`; one verdict per payload. */
  readonly readBack?: ((payloads: readonly Payload[], signal: AbortSignal) => Promise<readonly Verdict[]>) | undefined;
  /** Something odd that changes nothing: the answer held records that nobody asked for. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** What was done with links that were typed. */
export interface TypedResult<Payload extends object> extends InlineResult<Payload> {
  /** The name of its record. */
  readonly run: string;
  /** It keeps what the links were before. */
  readonly undo: boolean;
}

export interface InlineResult<Payload extends object> {
  /** In the order of the payloads. */
  readonly outcomes: readonly RowOutcome<Payload>[];
  readonly tally: Tally;
  readonly stop: StopReason | undefined;
}

/**
 * Makes links that were typed: with the matching and the classes of a long run, and a record that nothing resumes, because the same URL may be
 * shortened twice. `line` is the number of the operand. Ends with `runEnd(tally, stop)`.
 */
export async function runInline<Payload extends object>(
  operation: BulkOperation<Payload>,
  payloads: readonly Payload[],
  { system, batchSize, signal, failFast = false, before = [], readAt, readBack, warn, record }: InlineSettings<Payload>,
): Promise<InlineResult<Payload>> {
  const rows = payloads.map((payload, index): BulkRow<Payload> => {
    const link = before[index];
    return { index, line: index + 1, item: payload, payload, ...(link !== undefined && { before: link, listed: link, readAt }) };
  });
  const run: Execution<Payload> = {
    operation,
    ledger: record?.ledger(rows) ?? noLedger,
    system,
    stop: createStop(),
    signal,
    rules: rulesOf(operation, batchSize),
    failFast,
    limiter: createLimiter(1),
    holdsPlace: true,
    mayCall: () => true,
    inDoubt: new Set(),
    before: new Map(),
    reads: 'renames',
    rounds: new Map(),
    readBack:
      readBack &&
      ((_batch, inDoubt) =>
        readBack(
          inDoubt.map(({ payload }) => payload),
          signal,
        )),
    onSurplus: (records) => warn?.(`the response contains ${records.length} unrequested records`),
  };
  await record?.before(rows);
  const found = await sendRows(rows, run);
  const outcomes = rows.flatMap((row) => found.get(row.index) ?? leftAside([row], run).outcomes);
  const tally = startTally();
  for (const outcome of outcomes) tally.add(outcome);
  await record?.end(tally, run.stop.reason);
  return { outcomes, tally, stop: run.stop.reason };
}

const noLedger: Ledger<object> = {
  intent: async () => 0,
  ambiguous: async () => {},
  settled: async () => {},
};
