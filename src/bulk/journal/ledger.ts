import { checksum } from '../../base/checksum.ts';
import { LocalError } from '../../base/errors.ts';
import type { ShortenItem } from '../../contract/operations.ts';
import type { KnownRecord } from '../../contract/records.ts';
import { givenColumns, shownPrints, urlPrint, type ValueColumns, valueColumns } from '../../link/prints.ts';
import { shortUrlOf } from '../matching/row-verdict.ts';
import type { SerializedBatch } from '../operations/batches.ts';
import type { BulkOperation } from '../operations/operation.ts';
import {
  type BulkRow,
  destinationOf,
  doneStatuses,
  mayBeNew,
  type RowOutcome,
  type RowStatus,
  UnrecordedError,
  unrequestedDestination,
} from '../results/row-outcome.ts';
import type { RunPlan } from '../run-plan.ts';
import { letterOf, type RecordedError, type ResultLine, rangesOf, type SettledStatus, type Watermark } from './lines.ts';
import type { BegunRun } from './new-run.ts';

export type Ledger = ReturnType<typeof journalLedger>;

interface LedgerOptions {
  readonly operation: Pick<BulkOperation, 'listed' | 'doubt'>;
  readonly priorDestinations: ReadonlyMap<number, string>;
  /** Reads the newest links for an intent; undefined if the run does not need them. */
  readonly takeWatermark: (() => Promise<Watermark | undefined>) | undefined;
  /** Receives outcomes right before they are recorded. */
  readonly listen: ((outcomes: readonly RowOutcome[]) => Promise<void>) | undefined;
}

/** Records batches before they are sent, and their results. With `--results` both include prior long URLs, which a resumed run reports. */
export function journalLedger(
  { journal, state }: BegunRun,
  { mode, results, isOneOff }: RunPlan,
  { operation, priorDestinations, takeWatermark, listen }: LedgerOptions,
) {
  const keepsPrior = results !== undefined;
  let next = state.nextBatch;
  let { given } = state;
  /** Rows that were recorded before the rest of their batch (`isPart`). */
  const early = new Set<number>();
  return {
    /** Resolves with the number of the batch when the batch may be sent. */
    async intent({ rows, json }: SerializedBatch): Promise<number> {
      const batch = next;
      next += 1;
      const mark = await takeWatermark?.();
      if (mark) operation.listed?.(mark.known);
      await journal.write({
        type: 'intent',
        batch,
        rows: rangesOf(rows),
        payload: checksum(json),
        keys: mode?.generateHashes ? rows.map(generatedHash) : undefined,
        mark,
        before: priorDestinations.size === 0 ? undefined : rows.map(({ index }) => priorDestinations.get(index) ?? ''),
        priorUrls: keepsPrior ? priorUrls(rows) : undefined,
      });
      return batch;
    },
    ambiguous: async (batch: number, rows: readonly BulkRow[], reason: string): Promise<void> =>
      await journal.write({ type: 'ambiguous', batch, rows: rangesOf(rows), reason }),
    /**
     * Resolves when the outcomes may be reported. Rows in `released` were certainly not applied. Rows in doubt are in neither list and stay
     * open. `isPart`: a later call repeats these outcomes together with the rest of the batch.
     */
    async settled(batch: number, outcomes: readonly RowOutcome[], released: readonly BulkRow[], isPart = false): Promise<void> {
      const fresh = outcomes.filter(({ index }) => !early.has(index));
      await listen?.(outcomes);
      try {
        const known = fresh.filter(isSettledRow);
        const unknown = fresh.filter(({ status }) => status === 'unknown');
        const details = unknown.map(({ error }) => error?.details ?? '');
        const line = resultLine(batch, known, released, { keepsPrior, given });
        given = line.given ?? given;
        await Promise.all([
          known.length + released.length > 0 && journal.write(line),
          unknown.length > 0 &&
            journal.write({
              type: 'unknown',
              batch,
              rows: rangesOf(unknown),
              details: details.some(Boolean) ? details : undefined,
            }),
        ]);
      } catch (error) {
        const done = fresh.filter(({ status }) => doneStatuses.has(status));
        if (!(error instanceof LocalError) || done.length === 0) throw error;
        // The error lists the links because the journal could not record them.
        const lines = done.map(({ line, status, record }) => {
          const place = line === undefined ? '' : `line ${line}: `;
          return `${place}${status}${record ? ` ${shortUrlOf(record)}` : ''}`;
        });
        const isMadeAgain = isOneOff && operation.doubt === 'read_back';
        throw new UnrecordedError(error.message, done.length, lines, isMadeAgain ? otherUrlsOnly : sameCommand);
      }
      for (const { index } of outcomes) {
        if (isPart) early.add(index);
        else early.delete(index);
      }
    },
  };
}

const sameCommand = 'keep these lines, make the journal writable, and run the same command again';

/** Such a command is never resumed: it creates new links each time. */
const otherUrlsOnly = 'keep these lines: the same command creates the links again';

type SettledRow = RowOutcome & { readonly status: SettledStatus };

function isSettledRow(outcome: RowOutcome): outcome is SettledRow {
  return outcome.status !== 'unknown' && outcome.status !== 'not_sent';
}

function resultLine(
  batch: number,
  outcomes: readonly SettledRow[],
  released: readonly BulkRow[],
  { keepsPrior, given }: { readonly keepsPrior: boolean; readonly given: ValueColumns | undefined },
): ResultLine {
  const failed = outcomes.filter(({ status }) => status === 'failed');
  const done = outcomes.filter(({ status }) => status !== 'failed');
  const byPosition = positionsOf(outcomes, ({ matchedByPosition }) => matchedByPosition);
  const perhapsNew = positionsOf(outcomes, (outcome) => outcome.perhapsNew);
  return {
    type: 'result',
    batch,
    rows: rangesOf(outcomes),
    states: outcomes.map(({ status }) => letterOf[status]).join(''),
    ...linksOfDone(done, outcomes[0], given),
    ...(keepsPrior && { priorUrls: priorUrls(outcomes) }),
    ...(failed.length > 0 && { errors: failed.map(recordedError) }),
    ...(byPosition.length > 0 && { byPosition }),
    ...(perhapsNew.length > 0 && { perhapsNew }),
    ...(released.length > 0 && { released: rangesOf(released) }),
  };
}

function generatedHash({ payload }: BulkRow): string {
  const { custom_hash = '' }: Partial<ShortenItem> = payload;
  return custom_hash;
}

function positionsOf(outcomes: readonly RowOutcome[], has: (outcome: RowOutcome) => true | undefined): number[] {
  return outcomes.flatMap((outcome, position) => (has(outcome) ? [position] : []));
}

function priorUrls(rows: readonly BulkRow[]): string[] | undefined {
  return rows.some(({ before }) => before) ? rows.map(({ before }) => before?.long_url ?? '') : undefined;
}

/** Returns a link for every done row or none at all, because readers join links and rows by position. */
function linksOfDone(
  done: readonly SettledRow[],
  first: RowOutcome | undefined,
  given: ValueColumns | undefined,
): Partial<ResultLine> {
  const records = done.flatMap(({ record }) => record ?? []);
  if (records.length === 0 || records.length < done.length) return {};
  const domain = first && 'domain' in first.payload ? first.payload.domain : undefined;
  const destinations = done.map((outcome) => (ofExisting.has(outcome.status) && unrequestedDestination(outcome)) || '');
  return {
    ...(typeof domain === 'string' && { domain }),
    hashes: records.map(({ hash }) => hash),
    shortUrls: shortUrls(records),
    longUrls: done.map(destinationPrint).join(' '),
    ...(done.some(mayBeNew) && valuesOf(done, given)),
    ...(destinations.some(Boolean) && { destinations }),
  };
}

function valuesOf(done: readonly SettledRow[], earlier: ValueColumns | undefined): Pick<ResultLine, 'values' | 'given'> {
  const values = valueColumns(done, earlier);
  const isNew = ({ status, perhapsNew, seenLate }: SettledRow): boolean => status === 'created' && !perhapsNew && !seenLate;
  return { values, given: givenColumns(done, isNew, values, earlier) };
}

/** Some servers do not show it after a change. Empty if the row does not give it either. */
function destinationPrint(outcome: RowOutcome): string {
  const url = outcome.record?.long_url ?? destinationOf(outcome);
  return url ? urlPrint(url) : '';
}

/** Statuses of links that existed before. The journal keeps their destination because the row may lack it or contain another one. */
const ofExisting: ReadonlySet<RowStatus> = new Set(['changed', 'unchanged', 'deleted', 'skipped']);

function recordedError(outcome: RowOutcome): RecordedError {
  const { code = 0, message = '', details = '' } = outcome.error ?? {};
  const { record, existed } = outcome;
  if (record) {
    const taken = {
      hash: record.hash,
      shortUrl: shortUrlOf(record),
      longUrl: unrequestedDestination(outcome),
      existed,
      values: shownPrints(record),
    };
    return [code, message, details, taken];
  }
  return details === '' ? [code, message] : [code, message, details];
}

/** Returns the common prefix if only the hash follows it, otherwise all short URLs: a million rows would repeat the prefix. */
function shortUrls(records: readonly KnownRecord[]): string | string[] {
  const all = records.map(shortUrlOf);
  const first = all[0] ?? '';
  const prefix = first.slice(0, first.length - (records[0]?.hash.length ?? 0));
  const isPlain = (shortUrl: string, { hash }: KnownRecord): boolean =>
    shortUrl.length === prefix.length + hash.length && shortUrl.startsWith(prefix) && shortUrl.endsWith(hash);
  return records.every((record, nth) => isPlain(all[nth] ?? '', record)) ? prefix : all;
}
