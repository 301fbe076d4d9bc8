import { checksum } from '../../base/checksum.ts';
import { LocalError } from '../../base/errors.ts';
import { shortPrint } from '../../base/fingerprint.ts';
import type { KnownRecord } from '../matching/verdict.ts';
import { unaskedDestination } from '../operations/destination.ts';
import { shortUrlOf } from '../operations/short-url.ts';
import { type BulkRow, doneStatuses, type RowOutcome, UnrecordedError } from '../results/row-outcome.ts';
import type { Ledger } from '../sending/execution.ts';
import type { Journal } from './journal.ts';
import { type RecordedError, type ResultLine, rangesOf, statusLetters, type Watermark } from './lines.ts';

export interface JournalLedgerOptions<Payload extends object> {
  readonly journal: Journal;
  readonly firstBatch: number;
  /** `Execution.before` of the run. */
  readonly before: ReadonlyMap<number, string>;
  /** The hash that was generated for a row, where the run generates hashes (J9). */
  readonly keyOf?: ((row: BulkRow<Payload>) => string) | undefined;
  /** Checked mode: reads where the listing stands (1.6). */
  readonly takeWatermark?: (() => Promise<Watermark>) | undefined;
}

/** Writes down what a run is about to do and what came of it, in the order of J1 and J2. */
export function journalLedger<Payload extends object>(options: JournalLedgerOptions<Payload>): Ledger<Payload> {
  const { journal, before, keyOf, takeWatermark } = options;
  let next = options.firstBatch;
  /** What is settled already of batches whose answer left rows out. */
  const partly = new Map<number, readonly RowOutcome<Payload>[]>();
  return {
    async intent({ rows, json }) {
      const batch = next;
      next += 1;
      const watermark = await takeWatermark?.();
      await journal.write({
        type: 'intent',
        batch,
        rows: rangesOf(rows.map(({ index }) => index)),
        payload: checksum(json),
        keys: keyOf && rows.map(keyOf),
        watermark,
        before: before.size === 0 ? undefined : rows.map(({ index }) => before.get(index) ?? ''),
      });
      return batch;
    },
    ambiguous: (batch, rows, reason) =>
      journal.write({ type: 'ambiguous', batch, rows: rangesOf(rows.map(({ index }) => index)), reason }),
    async settled(batch, outcomes, released, isPart = false) {
      const earlier = partly.get(batch) ?? [];
      const settledRows = new Set(earlier.map(({ index }) => index));
      const fresh = settledRows.size === 0 ? outcomes : outcomes.filter(({ index }) => !settledRows.has(index));
      try {
        await writeOutcomes(journal, batch, fresh, released);
      } catch (error) {
        const done = fresh.filter(({ status }) => doneStatuses.has(status));
        throw error instanceof LocalError && done.length > 0 ? unrecorded(error, done) : error;
      }
      if (isPart) partly.set(batch, [...earlier, ...fresh]);
      else partly.delete(batch);
    },
  };
}

async function writeOutcomes(
  journal: Journal,
  batch: number,
  outcomes: readonly RowOutcome[],
  released: readonly BulkRow[],
): Promise<void> {
  const unknown = outcomes.filter(({ status }) => status === 'unknown');
  const known = outcomes.filter(({ status }) => status !== 'unknown');
  const lines: Promise<void>[] = [];
  if (known.length > 0 || released.length > 0) lines.push(journal.write(resultLine(batch, known, released)));
  if (unknown.length > 0) {
    const reason = unknown[0]?.error?.details ?? unknown[0]?.error?.message ?? '';
    lines.push(journal.write({ type: 'unknown', batch, rows: rangesOf(unknown.map(({ index }) => index)), reason }));
  }
  await Promise.all(lines);
}

/** J7: whoever reads this keeps the links, if nothing else does. */
function unrecorded(cause: LocalError, done: readonly RowOutcome[]): UnrecordedError {
  const lines = done.map(({ line, status, record }) => `line ${line}: ${status}${record ? ` ${shortUrlOf(record)}` : ''}`);
  return new UnrecordedError(cause.message, done.length, lines);
}

function resultLine(batch: number, outcomes: readonly RowOutcome[], released: readonly BulkRow[]): ResultLine {
  const failed = outcomes.filter(({ status }) => status === 'failed');
  const done = outcomes.filter(({ status }) => status !== 'failed');
  // One for each done row, or none: they are found by their places.
  const records = done.every(({ record }) => record) ? done.flatMap(({ record }) => record ?? []) : [];
  const changed = done.filter(({ status }) => ofExisting.has(status));
  const destinations = changed.map((outcome) => unaskedDestination(outcome) ?? '');
  const { domain } = (outcomes[0]?.payload ?? {}) as { readonly domain?: string };
  const byPosition = outcomes.flatMap(({ matchedByPosition }, position) => (matchedByPosition ? [position] : []));
  return {
    type: 'result',
    batch,
    rows: rangesOf(outcomes.map(({ index }) => index)),
    states: outcomes.map(({ status }) => statusLetters[status as keyof typeof statusLetters]).join(''),
    ...(records.length > 0 && {
      ...(domain !== undefined && { domain }),
      hashes: records.map(({ hash }) => hash),
      shortUrls: shortUrls(records),
      longUrls: records.map(({ long_url }) => shortPrint(long_url ?? '')).join(' '),
      ...(destinations.some(Boolean) && { destinations }),
    }),
    ...(failed.length > 0 && { errors: failed.map(recordedError) }),
    ...(byPosition.length > 0 && { byPosition }),
    ...(released.length > 0 && { released: rangesOf(released.map(({ index }) => index)) }),
  };
}

/** Rows of these need not say where their links lead. */
const ofExisting: ReadonlySet<string> = new Set(['changed', 'unchanged', 'deleted']);

function recordedError(outcome: RowOutcome): RecordedError {
  const { code = 0, message = '', details = '' } = outcome.error ?? {};
  const { record } = outcome;
  if (record) {
    return [code, message, details, { hash: record.hash, shortUrl: shortUrlOf(record), longUrl: unaskedDestination(outcome) }];
  }
  return details === '' ? [code, message] : [code, message, details];
}

/** The common beginning, where there is one: a million rows repeat it otherwise. */
function shortUrls(records: readonly KnownRecord[]): string | string[] {
  const all = records.map(shortUrlOf);
  const first = all[0] ?? '';
  const prefix = first.slice(0, first.length - (records[0]?.hash.length ?? 0));
  const isPlain = (shortUrl: string, { hash }: KnownRecord): boolean =>
    shortUrl.length === prefix.length + hash.length && shortUrl.startsWith(prefix) && shortUrl.endsWith(hash);
  return records.every((record, nth) => isPlain(all[nth] ?? '', record)) ? prefix : all;
}
