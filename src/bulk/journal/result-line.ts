import { shortPrint } from '../../base/fingerprint.ts';
import type { KnownRecord } from '../matching/verdict.ts';
import { unaskedDestination } from '../operations/destination.ts';
import { shortUrlOf } from '../operations/short-url.ts';
import type { BulkRow, RowOutcome, RowStatus } from '../results/row-outcome.ts';
import type { RecordedError, ResultLine } from './lines.ts';
import { isRanges, rangesOf, sizeOf } from './ranges.ts';

export type SettledStatus = Exclude<RowStatus, 'unknown' | 'not_sent'>;

const letterOf: Readonly<Record<SettledStatus, string>> = {
  created: 'c',
  existing: 'e',
  changed: 'h',
  unchanged: 's',
  deleted: 'd',
  reset: 'r',
  failed: 'f',
};

export const settledStatuses: readonly SettledStatus[] = [
  'created',
  'existing',
  'changed',
  'unchanged',
  'deleted',
  'reset',
  'failed',
];

const statusOf: ReadonlyMap<string, SettledStatus> = new Map(settledStatuses.map((status) => [letterOf[status], status]));

/** A row whose status is final. */
type SettledRow = RowOutcome & { readonly status: SettledStatus };

export function isSettledRow(outcome: RowOutcome): outcome is SettledRow {
  return outcome.status !== 'unknown' && outcome.status !== 'not_sent';
}

export function resultLine(batch: number, outcomes: readonly SettledRow[], released: readonly BulkRow[]): ResultLine {
  const failed = outcomes.filter(({ status }) => status === 'failed');
  const done = outcomes.filter(({ status }) => status !== 'failed');
  const byPosition = outcomes.flatMap(({ matchedByPosition }, position) => (matchedByPosition ? [position] : []));
  return {
    type: 'result',
    batch,
    rows: rangesOf(outcomes),
    states: outcomes.map(({ status }) => letterOf[status]).join(''),
    ...linksOfDone(done, outcomes[0]),
    ...(failed.length > 0 && { errors: failed.map(recordedError) }),
    ...(byPosition.length > 0 && { byPosition }),
    ...(released.length > 0 && { released: rangesOf(released) }),
  };
}

/** A link for each done row, or none at all: readers join links and rows by position. */
function linksOfDone(done: readonly SettledRow[], first: RowOutcome | undefined): Partial<ResultLine> {
  const records = done.flatMap(({ record }) => record ?? []);
  if (records.length === 0 || records.length < done.length) return {};
  const domain = first && 'domain' in first.payload ? first.payload.domain : undefined;
  const destinations = done.map((outcome) => (ofExisting.has(outcome.status) && unaskedDestination(outcome)) || '');
  return {
    ...(typeof domain === 'string' && { domain }),
    hashes: records.map(({ hash }) => hash),
    shortUrls: shortUrls(records),
    longUrls: records.map(({ long_url }) => shortPrint(long_url ?? '')).join(' '),
    ...(destinations.some(Boolean) && { destinations }),
  };
}

/** Changes of links that exist: their rows need not give the destination, so the journal keeps it. */
const ofExisting: ReadonlySet<RowStatus> = new Set(['changed', 'unchanged', 'deleted']);

function recordedError(outcome: RowOutcome): RecordedError {
  const { code = 0, message = '', details = '' } = outcome.error ?? {};
  const { record } = outcome;
  if (record) {
    return [code, message, details, { hash: record.hash, shortUrl: shortUrlOf(record), longUrl: unaskedDestination(outcome) }];
  }
  return details === '' ? [code, message] : [code, message, details];
}

/** The beginning that all share, if only the hash follows it; else each whole. A million rows would repeat it. */
function shortUrls(records: readonly KnownRecord[]): string | string[] {
  const all = records.map(shortUrlOf);
  const first = all[0] ?? '';
  const prefix = first.slice(0, first.length - (records[0]?.hash.length ?? 0));
  const isPlain = (shortUrl: string, { hash }: KnownRecord): boolean =>
    shortUrl.length === prefix.length + hash.length && shortUrl.startsWith(prefix) && shortUrl.endsWith(hash);
  return records.every((record, nth) => isPlain(all[nth] ?? '', record)) ? prefix : all;
}

/** The status of each row of a sound line. */
export function statusesOf({ states }: ResultLine): SettledStatus[] {
  return Array.from(states, (letter) => statusOf.get(letter) ?? 'failed');
}

/** The links of a line: those of done rows, then those that were made but not as asked, which have no fingerprint. */
export function linksOf(line: ResultLine): { readonly hash: string; readonly print: string | undefined }[] {
  const prints = line.longUrls?.split(' ') ?? [];
  return hashesOf(line).map((hash, nth) => ({ hash, print: prints[nth] }));
}

export function hashesOf({ hashes = [], errors = [] }: ResultLine): readonly string[] {
  const taken = errors.flatMap(([, , , url]) => url?.hash ?? []);
  return taken.length === 0 ? hashes : [...hashes, ...taken];
}

/** `total`: rows of the run. */
export function isSoundResult(line: ResultLine, total: number): boolean {
  const { rows, states, hashes, errors = [], destinations, byPosition = [], released = [] } = line;
  if (!isRanges(rows, total) || !isRanges(released, total) || !isText(states) || states.length !== sizeOf(rows)) return false;
  if (![...states].every((letter) => statusOf.has(letter))) return false;
  const failed = states.split(letterOf.failed).length - 1;
  const done = states.length - failed;
  const isPosition = (position: unknown): boolean => Number.isSafeInteger(position) && Number(position) < states.length;
  return (
    isListOf(errors, failed, isError) &&
    (hashes === undefined || isListOf(hashes, done, isText)) &&
    (destinations === undefined || isListOf(destinations, done, isText)) &&
    Array.isArray(byPosition) &&
    byPosition.every(isPosition)
  );
}

function isError(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  const [code, message, details = '', taken, ...more] = value;
  return Number.isSafeInteger(code) && isText(message) && isText(details) && isTaken(taken) && more.length === 0;
}

function isTaken(value: unknown): boolean {
  if (value === undefined) return true;
  if (typeof value !== 'object' || value === null || !('hash' in value && 'shortUrl' in value)) return false;
  return isText(value.hash) && value.hash !== '' && isText(value.shortUrl) && (!('longUrl' in value) || isText(value.longUrl));
}

/** Whether a value is a list of this length whose entries are all sound. */
export function isListOf(value: unknown, length: number, isEntry: (entry: unknown) => boolean = isText): boolean {
  return Array.isArray(value) && value.length === length && value.every(isEntry);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
