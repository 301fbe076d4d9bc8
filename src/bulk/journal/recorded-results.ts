import type { RecordField } from '../../contract/fields.ts';
import { type LinkKey, linkText, recordDomain, withoutScheme } from '../../contract/link.ts';
import type { EditFields } from '../../contract/operations.ts';
import type { KnownRecord } from '../../contract/records.ts';
import { isColumn } from '../../link/prints.ts';
import type { BulkRow, RowError, RowOutcome } from '../results/row-outcome.ts';
import type { Images } from './images.ts';
import type { RunState } from './journal-state.ts';
import { parsedLines } from './line-reader.ts';
import {
  indexesOf,
  isRanges,
  letterOf,
  type ResultLine,
  type SettledStatus,
  settledStatuses,
  sizeOf,
  type TakenUrl,
  takenUrls,
} from './lines.ts';

const statusOf: ReadonlyMap<string, SettledStatus> = new Map(settledStatuses.map((status) => [letterOf[status], status]));

export function statusesOf({ states }: ResultLine): SettledStatus[] {
  return Array.from(states, (letter) => statusOf.get(letter) ?? 'failed');
}

/** Returns the links of done rows, then those of rows that were not applied as requested, which have no fingerprint. */
export function linksOf(line: ResultLine): { readonly hash: string; readonly print: string | undefined }[] {
  const prints = line.longUrls?.split(' ') ?? [];
  return recordedHashes(line).map((hash, nth) => ({ hash, print: prints[nth] }));
}

/** Returns the domain that the server answered; undefined if its short URL had none. */
export function answeredDomain({ shortUrl }: TakenUrl): string | undefined {
  return recordDomain({ short_url: withoutScheme(shortUrl) });
}

export function recordedHashes(line: ResultLine): readonly string[] {
  const { hashes = [] } = line;
  const taken = takenUrls(line);
  return taken.length === 0 ? hashes : [...hashes, ...taken.map(({ hash }) => hash)];
}

/** Rows and what the line says of them are joined by position, so their numbers must agree. */
export function isSoundResult(line: ResultLine, total: number): boolean {
  const { rows, states, hashes, values, errors = [], destinations, priorUrls, released = [] } = line;
  if (!isRanges(rows, total) || !isRanges(released, total) || states.length !== sizeOf(rows)) return false;
  const failed = states.split(letterOf.failed).length - 1;
  const done = states.length - failed;
  return (
    [...states].every((letter) => statusOf.has(letter)) &&
    isListOf(errors, failed) &&
    [hashes, destinations].every((list) => list === undefined || isListOf(list, done)) &&
    (priorUrls === undefined || isListOf(priorUrls, states.length)) &&
    Object.values(values ?? {}).every((column) => isColumn(column, done))
  );
}

export function isListOf(value: unknown, length: number): boolean {
  return Array.isArray(value) && value.length === length;
}

export type RecordedOutcomes = ReturnType<typeof recordedOutcomes>;

export function recordedOutcomes(path: string, state: RunState, images?: Pick<Images, 'earlier'>) {
  const lines = parsedLines(path, 'result', resultsOf);
  return {
    async outcomesOf(rows: readonly BulkRow[]): Promise<RowOutcome[]> {
      const outcomes: RowOutcome[] = [];
      for (const row of rows) {
        const result = (await lines.at(state.locationOf(row.index))).get(row.index);
        const priorUrl = result?.priorUrl || (await images?.earlier?.of(row.index))?.record?.long_url;
        outcomes.push(recordedOutcome(row, priorUrl, result));
      }
      return outcomes;
    },
    close: lines.close,
  };
}

interface Result {
  readonly status: SettledStatus;
  /** The position of the row among the failed or the done rows of the line. */
  readonly nth: number;
  readonly error?: RowError | undefined;
  readonly url?: TakenUrl | undefined;
  readonly priorUrl?: string | undefined;
  readonly matchedByPosition?: true | undefined;
  readonly perhapsNew: boolean;
}

/** Returns the results of a line by row, in the order of the line. */
export function resultsOf(line: ResultLine): Map<number, Result> {
  const { errors = [], priorUrls } = line;
  const rows = indexesOf(line.rows);
  const byPosition = new Set(line.byPosition);
  const uncertain = new Set(line.perhapsNew);
  const results = new Map<number, Result>();
  let failed = 0;
  for (const [position, status] of statusesOf(line).entries()) {
    const matchedByPosition = byPosition.has(position) ? true : undefined;
    const perhapsNew = uncertain.has(position);
    const row = rows[position] ?? -1;
    const priorUrl = priorUrls?.[position];
    if (status === 'failed') {
      const [code, message, details = '', url] = errors[failed] ?? [0, ''];
      const error = details === '' ? { code, message } : { code, message, details };
      results.set(row, { status, nth: failed, error, url, priorUrl, matchedByPosition, perhapsNew });
      failed += 1;
    } else {
      const nth = position - failed;
      results.set(row, { status, nth, url: doneUrl(line, nth), priorUrl, matchedByPosition, perhapsNew });
    }
  }
  return results;
}

function doneUrl({ hashes, shortUrls: urls, destinations }: ResultLine, nth: number): TakenUrl | undefined {
  const hash = hashes?.[nth];
  if (hash === undefined) return undefined;
  const shortUrl = typeof urls === 'string' ? urls + hash : (urls?.[nth] ?? '');
  return { hash, shortUrl, longUrl: destinations?.[nth] };
}

/** Copies single members, which is faster than a spread: a resumed run can report a million rows again. */
function recordedOutcome(
  { index, line, item, payload }: BulkRow,
  priorUrl: string | undefined,
  { status, url, error, matchedByPosition }: Partial<Result> = {},
): RowOutcome {
  const record = url && recordOf(url, status, payload);
  const before = priorUrl ? knownBefore(priorUrl, payload) : undefined;
  return { index, line, item, payload, before, status: status ?? 'unknown', record, error, matchedByPosition };
}

/** Returns the recorded members and, if the row is done, those of its payload. Tags of an edit are instructions and left out. */
function recordOf({ hash, shortUrl, longUrl }: TakenUrl, status: SettledStatus | undefined, payload: EditFields): KnownRecord {
  const bare = withoutScheme(shortUrl);
  // Where the server showed no short URL, the journal has the hash.
  const short_url = bare === hash ? undefined : bare;
  const short_url_with_protocol = bare === shortUrl ? undefined : shortUrl;
  if (status === 'failed' || status === 'skipped') return { hash, short_url, short_url_with_protocol, long_url: longUrl };
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
  } satisfies KnownRecord & Record<RecordField, unknown>;
}

export function knownBefore(priorUrl: string, link: Partial<LinkKey>, working?: string): KnownRecord {
  const { hash = '', domain = working } = link;
  return { hash, long_url: priorUrl, ...(domain !== undefined && { short_url: linkText({ domain, hash }) }) };
}
