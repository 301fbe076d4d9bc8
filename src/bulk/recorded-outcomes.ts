import { type FileHandle, open } from 'node:fs/promises';
import { readLineAt } from './journal.ts';
import { indexesOf, type ResultLine } from './journal-lines.ts';
import { type BulkRow, doneStatuses, type RowOutcome, type RowStatus } from './row-outcome.ts';
import { type RunState, statusLetters } from './run-state.ts';
import type { KnownRecord } from './verdict.ts';

/** Outcomes of rows that an earlier process settled, read back from the journal. */
export interface RecordedOutcomes {
  /** In the order of the rows, all of which are settled. */
  outcomesOf<Payload extends object>(rows: readonly BulkRow<Payload>[]): Promise<RowOutcome<Payload>[]>;
  close(): Promise<void>;
}

interface Recorded extends Pick<RowOutcome, 'status' | 'error' | 'matchedByPosition'> {
  readonly hash?: string | undefined;
  readonly shortUrl?: string;
}

/** Result lines that are kept ready: rows come in the order of the input, and so, nearly, do the lines. */
const keptLines = 16;

export function recordedOutcomes(path: string, state: RunState): RecordedOutcomes {
  let file: Promise<FileHandle> | undefined;
  const lines = new Map<number, Map<number, Recorded>>();

  async function read(place: { readonly offset: number; readonly length: number }): Promise<Map<number, Recorded>> {
    file ??= open(path);
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
    close: async () => void (await file)?.close(),
  };
}

const statusOfLetter = new Map(Object.entries(statusLetters).map(([status, letter]) => [letter, status as RowStatus]));

function readResult({ rows, states, hashes = [], shortUrls, errors = [], byPosition = [] }: ResultLine): Map<number, Recorded> {
  const recorded = new Map<number, Recorded>();
  const positions = new Set(byPosition);
  let done = 0;
  let failed = 0;
  for (const [position, row] of [...indexesOf(rows)].entries()) {
    const status = statusOfLetter.get(states[position] ?? '') ?? 'unknown';
    const matchedByPosition = positions.has(position) ? true : undefined;
    if (status === 'failed') {
      const [code = 0, message = ''] = errors[failed] ?? [];
      failed += 1;
      recorded.set(row, { status, error: { code, message }, matchedByPosition });
    } else {
      const hash = doneStatuses.has(status) ? hashes[done] : undefined;
      const shortUrl = typeof shortUrls === 'string' ? shortUrls + (hash ?? '') : (shortUrls?.[done] ?? '');
      done += 1;
      recorded.set(row, { status, hash, shortUrl, matchedByPosition });
    }
  }
  return recorded;
}

/** Written out, as a million rows are told again when a run goes on. */
function outcomeOf<Payload extends object>(
  { index, line, item, payload }: BulkRow<Payload>,
  { status, hash, shortUrl, error, matchedByPosition }: Recorded,
): RowOutcome<Payload> {
  const { long_url } = payload as { readonly long_url?: string };
  const record = hash === undefined ? undefined : recordOf(hash, shortUrl ?? '', long_url);
  return { index, line, item, payload, status, record, error, matchedByPosition };
}

function recordOf(hash: string, shortUrl: string, long_url: string | undefined): KnownRecord {
  const scheme = /^https?:\/\//.exec(shortUrl)?.[0];
  const places = scheme
    ? { hash, short_url: shortUrl.slice(scheme.length), short_url_with_protocol: shortUrl }
    : { hash, short_url: shortUrl };
  return long_url === undefined ? places : { long_url, ...places };
}
