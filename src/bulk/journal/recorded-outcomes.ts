import type { FileHandle } from 'node:fs/promises';
import type { EditFields } from '../../contract/operations.ts';
import type { KnownRecord } from '../matching/verdict.ts';
import { shortUrlMembers } from '../operations/short-url.ts';
import { type BulkRow, doneStatuses, type RowOutcome, type RowStatus } from '../results/row-outcome.ts';
import { openToRead, readLineAt } from './journal.ts';
import { indexesOf, type ResultLine, statusLetters, type TakenUrl } from './lines.ts';
import type { RunState } from './run-state.ts';

/** Outcomes of rows that an earlier process settled, read back from the journal. */
export interface RecordedOutcomes {
  /** In the order of the rows, all of which are settled. */
  outcomesOf<Payload extends object>(rows: readonly BulkRow<Payload>[]): Promise<RowOutcome<Payload>[]>;
  close(): Promise<void>;
}

interface Recorded extends Pick<RowOutcome, 'status' | 'error' | 'matchedByPosition'> {
  readonly url?: TakenUrl | undefined;
}

/** Result lines that are kept ready: rows come in the order of the input, and so, nearly, do the lines. */
const keptLines = 16;

export function recordedOutcomes(path: string, state: RunState): RecordedOutcomes {
  let file: Promise<FileHandle> | undefined;
  const lines = new Map<number, Map<number, Recorded>>();

  async function read(place: { readonly offset: number; readonly length: number }): Promise<Map<number, Recorded>> {
    file ??= openToRead(path);
    const read = readResult((await readLineAt(await file, place)) as ResultLine);
    lines.set(place.offset, read);
    if (lines.size > keptLines) lines.delete(lines.keys().next().value ?? 0);
    return read;
  }

  return {
    async outcomesOf<Payload extends object>(rows: readonly BulkRow<Payload>[]) {
      const outcomes: RowOutcome<Payload>[] = [];
      for (const row of rows) {
        const place = state.placeOf(row.index);
        const line = lines.get(place.offset) ?? (await read(place));
        outcomes.push(outcomeOf(row, line.get(row.index) ?? { status: 'unknown' }));
      }
      return outcomes;
    },
    async close() {
      // Whoever asked for outcomes knows if it could not be opened.
      await (await file?.catch(() => undefined))?.close();
    },
  };
}

const statusOfLetter = new Map(Object.entries(statusLetters).map(([status, letter]) => [letter, status as RowStatus]));

function readResult(line: ResultLine): Map<number, Recorded> {
  const { rows, states, errors = [], byPosition = [] } = line;
  const recorded = new Map<number, Recorded>();
  const positions = new Set(byPosition);
  let done = 0;
  let failed = 0;
  for (const [position, row] of [...indexesOf(rows)].entries()) {
    const status = statusOfLetter.get(states[position] ?? '') ?? 'unknown';
    const matchedByPosition = positions.has(position) ? true : undefined;
    if (status === 'failed') {
      const [code = 0, message = '', details = '', url] = errors[failed] ?? [];
      failed += 1;
      recorded.set(row, {
        status,
        error: details === '' ? { code, message } : { code, message, details },
        url,
        matchedByPosition,
      });
    } else {
      const url = doneStatuses.has(status) ? doneUrl(line, done) : undefined;
      done += 1;
      recorded.set(row, { status, url, matchedByPosition });
    }
  }
  return recorded;
}

function doneUrl({ hashes, shortUrls, destinations }: ResultLine, nth: number): TakenUrl | undefined {
  const hash = hashes?.[nth];
  if (hash === undefined) return undefined;
  const shortUrl = typeof shortUrls === 'string' ? shortUrls + hash : (shortUrls?.[nth] ?? '');
  return { hash, shortUrl, longUrl: destinations?.[nth] };
}

/** Written out, as a million rows are told again when a run goes on. */
function outcomeOf<Payload extends object>(
  { index, line, item, payload }: BulkRow<Payload>,
  { status, url, error, matchedByPosition }: Recorded,
): RowOutcome<Payload> {
  const record = url && recordOf(url, status, payload);
  return { index, line, item, payload, status, record, error, matchedByPosition };
}

/** Of what the server said, what the journal keeps; of the rest, what a done row asked for. Tags of an edit are instructions. */
function recordOf({ hash, shortUrl, longUrl }: TakenUrl, status: RowStatus, payload: EditFields): KnownRecord {
  const { short_url, short_url_with_protocol } = shortUrlMembers(shortUrl);
  if (status === 'failed') return { hash, short_url, short_url_with_protocol, long_url: longUrl };
  const { long_url = longUrl || undefined, tags, expiration_date, note, email_stats, max_clicks } = payload;
  return {
    hash,
    short_url,
    short_url_with_protocol,
    long_url,
    tags: status === 'changed' || status === 'unchanged' ? undefined : tags,
    expiration_date,
    note,
    email_stats,
    max_clicks,
  };
}
