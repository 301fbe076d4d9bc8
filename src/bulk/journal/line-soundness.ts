import { type JournalLine, type Ranges, type ResultLine, statusLetters, type TakenUrl } from './lines.ts';

/**
 * Whether a line says of the rows of its run what a line can say. A sum that fits proves only that it is as somebody wrote it.
 * `total`: rows of the run.
 */
export function isSound(line: JournalLine, total: number): boolean {
  switch (line.type) {
    case 'intent':
      return isRanges(line.rows, total) && [line.keys, line.before].every((list) => isListOfRows(list, line.rows));
    case 'unknown':
    case 'ambiguous':
      return isRanges(line.rows, total);
    case 'result':
      return isSoundResult(line, total);
    default:
      return types.has(line.type);
  }
}

const types: ReadonlySet<unknown> = new Set<JournalLine['type']>(['begin', 'reconcile', 'signal', 'end']);
const letters = new Set(Object.values(statusLetters));

function isSoundResult(
  { rows, states, hashes, errors = [], destinations, byPosition = [], released = [] }: ResultLine,
  total: number,
) {
  if (!isRanges(rows, total) || !isRanges(released, total) || !isText(states) || states.length !== sizeOf(rows)) return false;
  if (![...states].every((letter) => letters.has(letter))) return false;
  const failed = states.split(statusLetters.failed).length - 1;
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

/** Whether all are rows that the run has. */
function isRanges(value: unknown, total: number): value is Ranges {
  return Array.isArray(value) && value.every((range) => isRange(range, total));
}

function isRange(value: unknown, total: number): boolean {
  if (!Array.isArray(value) || value.length !== 2 || !value.every(Number.isSafeInteger)) return false;
  const [first, last] = value as [number, number];
  return first >= 0 && first <= last && last < total;
}

function sizeOf(ranges: Ranges): number {
  return ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}

function isListOfRows(value: unknown, rows: Ranges): boolean {
  return value === undefined || isListOf(value, sizeOf(rows), isText);
}

function isListOf(value: unknown, length: number, isEntry: (entry: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length === length && value.every(isEntry);
}

function isError(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  const [code, message, details = '', taken, ...more] = value as readonly unknown[];
  return Number.isSafeInteger(code) && isText(message) && isText(details) && isTaken(taken) && more.length === 0;
}

function isTaken(value: unknown): boolean {
  if (value === undefined) return true;
  if (typeof value !== 'object' || value === null) return false;
  const { hash, shortUrl, longUrl = '' } = value as Partial<TakenUrl>;
  return isText(hash) && hash !== '' && isText(shortUrl) && isText(longUrl);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
