import { checksum } from '../../base/checksum.ts';
import { LocalError } from '../../base/errors.ts';
import { shortUrlOf } from '../operations/short-url.ts';
import { type BulkRow, doneStatuses, type RowOutcome, UnrecordedError } from '../results/row-outcome.ts';
import type { Ledger } from '../sending/execution.ts';
import type { Journal } from './journal.ts';
import type { Watermark } from './lines.ts';
import { rangesOf } from './ranges.ts';
import { isSettledRow, resultLine } from './result-line.ts';

interface JournalLedgerOptions<Payload extends object> {
  readonly journal: Journal;
  readonly firstBatch: number;
  /** `Execution.before` of the run. */
  readonly before: ReadonlyMap<number, string>;
  /** The hash that was generated for a row, where the run generates hashes (J9). */
  readonly keyOf?: ((row: BulkRow<Payload>) => string) | undefined;
  /** Checked mode: reads the newest links (R 1.6). */
  readonly takeWatermark?: (() => Promise<Watermark>) | undefined;
}

/** Writes what a run is about to send, and the results, in the order of J1 and J2. */
export function journalLedger<Payload extends object>(options: JournalLedgerOptions<Payload>): Ledger<Payload> {
  const { journal, before, keyOf, takeWatermark } = options;
  let next = options.firstBatch;
  /** By batch: rows that were recorded before the rest of their batch (`isPart`). */
  const partly = new Map<number, ReadonlySet<number>>();
  return {
    async intent({ rows, json }) {
      const batch = next;
      next += 1;
      const mark = await takeWatermark?.();
      await journal.write({
        type: 'intent',
        batch,
        rows: rangesOf(rows),
        payload: checksum(json),
        keys: keyOf && rows.map(keyOf),
        mark,
        before: before.size === 0 ? undefined : rows.map(({ index }) => before.get(index) ?? ''),
      });
      return batch;
    },
    ambiguous: (batch, rows, reason) => journal.write({ type: 'ambiguous', batch, rows: rangesOf(rows), reason }),
    async settled(batch, outcomes, released, isPart = false) {
      const earlier = partly.get(batch);
      const fresh = earlier ? outcomes.filter(({ index }) => !earlier.has(index)) : outcomes;
      try {
        await writeOutcomes(journal, batch, fresh, released);
      } catch (error) {
        const done = fresh.filter(({ status }) => doneStatuses.has(status));
        throw error instanceof LocalError && done.length > 0 ? unrecorded(error, done) : error;
      }
      if (isPart) partly.set(batch, new Set([...(earlier ?? []), ...fresh.map(({ index }) => index)]));
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
  const known = outcomes.filter(isSettledRow);
  const lines: Promise<void>[] = [];
  if (known.length > 0 || released.length > 0) lines.push(journal.write(resultLine(batch, known, released)));
  if (unknown.length > 0) {
    const reason = unknown[0]?.error?.details ?? unknown[0]?.error?.message ?? '';
    lines.push(journal.write({ type: 'unknown', batch, rows: rangesOf(unknown), reason }));
  }
  await Promise.all(lines);
}

/** J7: the error names the links, because the journal does not. */
function unrecorded(cause: LocalError, done: readonly RowOutcome[]): UnrecordedError {
  const lines = done.map(({ line, status, record }) => `line ${line}: ${status}${record ? ` ${shortUrlOf(record)}` : ''}`);
  return new UnrecordedError(cause.message, done.length, lines);
}
