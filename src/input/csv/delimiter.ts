import { hashPattern } from '../../contract/fields.ts';
import { longestRecord } from '../text-lines.ts';

/** The delimiters that a first line is searched for. */
const signs = [',', ';', '\t', '|'] as const;

/**
 * The delimiter of a csv, from its first line: the one that makes known names of it, or of a line that begins with a URL a URL, a
 * hash and a note. A comma where none is needed; undefined where several fit.
 */
export function findDelimiter(line: string, isKnown: (name: string) => boolean): string | undefined {
  const splits = signs.map((sign) => ({ sign, cells: cellsOf(line, sign) })).filter(({ cells }) => cells.length > 1);
  if (splits.length === 0) return ',';
  if (splits.length === 1 && !isUrl(line)) return splits[0]?.sign;
  const points = splits.map(({ sign, cells }) => ({ sign, points: isUrl(line) ? positions(cells) : knownNames(cells, isKnown) }));
  const most = Math.max(...points.map((split) => split.points));
  if (most === 0 && isUrl(line)) return ',';
  const best = points.filter((split) => split.points === most);
  return best.length === 1 ? best[0]?.sign : undefined;
}

/** Whether a line is one of names: one that no list of URLs has. */
export function isHeader(line: string, isLongUrl: (name: string) => boolean): boolean {
  return signs.some((sign) => cellsOf(line, sign).some((cell) => isLongUrl(cell.trim())));
}

export function isUrl(text: string): boolean {
  return /^\s*"?\s*https?:\/\//i.test(text);
}

/** How a delimiter is typed after `--delimiter`. */
export function delimiterWord(delimiter: string): string {
  return delimiter === '\t' ? 'tab' : `'${delimiter}'`;
}

function knownNames(cells: readonly string[], isKnown: (name: string) => boolean): number {
  return cells.filter((cell) => isKnown(cell.trim())).length;
}

/** How many cells a line without names has by position; 0 where they cannot be URL, hash and note. */
function positions(cells: readonly string[]): number {
  const hash = (cells[1] ?? '').trim().replace(/^\/+|\/+$/g, '');
  return cells.length <= 3 && (hash === '' || hashPattern.test(hash)) ? cells.length : 0;
}

/**
 * The delimiter and the number of cells of a line that may be a URL, a hash and a note, as a text to be compared; undefined for any
 * other line.
 */
export function cellsByPosition(line: string): string | undefined {
  if (!isUrl(line)) return undefined;
  const sign = signs.find((one) => {
    const cells = cellsOf(line, one);
    return cells[1]?.trim() && positions(cells) > 1;
  });
  return sign && `${sign}${cellsOf(line, sign).length}`;
}

/** The cells of one line, without their quotes. A quote that the line does not close takes the rest of it. */
function cellsOf(line: string, sign: string): string[] {
  const cells = [''];
  let isQuoted = false;
  for (const character of line) {
    if (character === '"') isQuoted = !isQuoted;
    else if (character === sign && !isQuoted) cells.push('');
    else cells[cells.length - 1] += character;
  }
  return cells;
}

/** The line of names: the first, or one below it where the first has none and is a title. */
export function headerAmong(lines: readonly string[], isKnown: (name: string) => boolean): string {
  const [first = ''] = lines;
  const most = (line: string): number => Math.max(...signs.map((sign) => knownNames(cellsOf(line, sign), isKnown)));
  if (isUrl(first) || most(first) > 0) return first;
  return lines.slice(1).find((line) => most(line) > 1) ?? first;
}

/** The beginning of a text. */
export interface Head {
  /** What was read to find it. */
  readonly pieces: readonly (Buffer | undefined)[];
  /** The first lines that are not empty. */
  readonly lines: readonly string[];
  /** The number of the first of them, from 1. */
  readonly number: number;
}

/** A title, a row of delimiters alone, and a header. */
const headLines = 3;

/** The first lines, or as much of them as any record may have. */
export async function readHead(text: AsyncGenerator<Buffer | undefined>): Promise<Head> {
  const pieces: (Buffer | undefined)[] = [];
  let head = '';
  for (;;) {
    const { value, done } = await text.next();
    if (!done) pieces.push(value);
    head += value?.toString() ?? '';
    const isEnd = done || value === undefined || head.length > longestRecord;
    const all = head.slice(0, longestRecord).split(/\r\n|\n|\r/, 1000);
    // The last may go on in the next piece.
    const lines = (isEnd ? all : all.slice(0, -1)).filter((line) => line.trim() !== '');
    if (isEnd || lines.length >= headLines) {
      return { pieces, lines: lines.slice(0, headLines), number: all.findIndex((line) => line.trim() !== '') + 1 };
    }
  }
}
