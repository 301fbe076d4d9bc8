import { type FileHandle, open } from 'node:fs/promises';
import { readLineAt } from './journal.ts';
import { indexesOf, type ResultLine } from './journal-lines.ts';
import { type BulkRow, doneStatuses, type RowOutcome, type RowStatus } from './row-outcome.ts';
import { type RunState, statusLetters } from './run-state.ts';

/** Outcomes of rows that an earlier process settled, read back from the journal. */
export interface RecordedOutcomes {
  outcomeOf<Payload extends object>(row: BulkRow<Payload>): Promise<RowOutcome<Payload>>;
  close(): Promise<void>;
}

type Recorded = Pick<RowOutcome, 'status' | 'record' | 'error' | 'matchedByPosition'>;

/** Result lines that are kept ready: rows come in the order of the input, and so, nearly, do the lines. */
const keptLines = 16;

export function recordedOutcomes(path: string, state: RunState): RecordedOutcomes {
  let file: Promise<FileHandle> | undefined;
  const lines = new Map<number, Map<number, Recorded>>();

  async function lineOf(row: number): Promise<Map<number, Recorded>> {
    const place = state.placeOf(row);
    const known = lines.get(place.offset);
    if (known) return known;
    file ??= open(path);
    const read = readResult((await readLineAt(await file, place)) as ResultLine);
    lines.set(place.offset, read);
    if (lines.size > keptLines) lines.delete(lines.keys().next().value ?? 0);
    return read;
  }

  return {
    async outcomeOf(row) {
      const recorded = (await lineOf(row.index)).get(row.index) ?? { status: 'unknown' as const };
      if (!recorded.record) return { ...row, ...recorded };
      const { long_url } = row.payload as { long_url?: string };
      return { ...row, ...recorded, record: { ...(long_url !== undefined && { long_url }), ...recorded.record } };
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
      recorded.set(row, { status, record: hash === undefined ? undefined : recordOf(hash, shortUrl), matchedByPosition });
    }
  }
  return recorded;
}

function recordOf(hash: string, shortUrl: string): { hash: string; short_url: string; short_url_with_protocol?: string } {
  const scheme = /^https?:\/\//.exec(shortUrl)?.[0];
  return scheme
    ? { hash, short_url: shortUrl.slice(scheme.length), short_url_with_protocol: shortUrl }
    : { hash, short_url: shortUrl };
}
