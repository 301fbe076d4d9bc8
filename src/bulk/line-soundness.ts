import { type ResultLine, statusLetters, type TakenUrl } from './journal-lines.ts';

/** Whether a line says of its single rows what a line can say. A sum that fits proves only that it is as somebody wrote it. */
export function isSound({ states, errors = [], destinations }: ResultLine): boolean {
  const failed = states.split(statusLetters.failed).length - 1;
  if (!isListOf(errors, failed, isError)) return false;
  return destinations === undefined || isListOf(destinations, states.length - failed, isText);
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
