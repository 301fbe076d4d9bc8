import { isColumn } from '../../link/prints.ts';
import { letterOf, type SettledStatus, settledStatuses } from './ledger.ts';
import type { ResultLine } from './lines.ts';
import { isRanges, sizeOf } from './ranges.ts';

const statusOf: ReadonlyMap<string, SettledStatus> = new Map(settledStatuses.map((status) => [letterOf[status], status]));

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

export function isSoundResult(line: ResultLine, total: number): boolean {
  const { rows, states, hashes, values, errors = [], destinations, priorUrls, byPosition = [], released = [] } = line;
  if (!isRanges(rows, total) || !isRanges(released, total) || !isText(states) || states.length !== sizeOf(rows)) return false;
  if (![...states].every((letter) => statusOf.has(letter))) return false;
  const failed = states.split(letterOf.failed).length - 1;
  const done = states.length - failed;
  const isPosition = (position: unknown): boolean => Number.isSafeInteger(position) && Number(position) < states.length;
  return (
    isListOf(errors, failed, isError) &&
    (hashes === undefined || isListOf(hashes, done, isText)) &&
    (values === undefined || areColumns(values, done)) &&
    (destinations === undefined || isListOf(destinations, done, isText)) &&
    (priorUrls === undefined || isListOf(priorUrls, states.length, isText)) &&
    Array.isArray(byPosition) &&
    byPosition.every(isPosition)
  );
}

function areColumns(value: unknown, links: number): boolean {
  return typeof value === 'object' && value !== null && Object.values(value).every((column) => isColumn(column, links));
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

export function isListOf(value: unknown, length: number, isEntry: (entry: unknown) => boolean = isText): boolean {
  return Array.isArray(value) && value.length === length && value.every(isEntry);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
