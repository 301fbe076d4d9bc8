import { hashPattern } from '../../contract/fields.ts';
import { longestRecord } from '../text-lines.ts';

/** The delimiters that a first line is searched for. */
const signs = [',', ';', '\t', '|'] as const;

/**
 * The delimiter of a csv, from its first line (I1): the one that makes known names of it, or of a line that begins with a URL a URL, a
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

/** The beginning of a text. */
export interface Head {
  /** What was read to find it. */
  readonly pieces: readonly (Buffer | undefined)[];
  readonly line: string;
  /** Its number, from 1. */
  readonly number: number;
}

/** The first line that is not empty, or as much of it as any record may have. */
export async function readHead(text: AsyncGenerator<Buffer | undefined>): Promise<Head> {
  const pieces: (Buffer | undefined)[] = [];
  let head = '';
  for (;;) {
    const { value, done } = await text.next();
    if (!done) pieces.push(value);
    head += value?.toString() ?? '';
    const [, before = '', line = '', end] = /^((?:[^\S\r\n]*(?:\r\n|\n|\r))*)([^\r\n]*)(\r|\n)?/.exec(head) ?? [];
    if (end || done || value === undefined || head.length > longestRecord) {
      return { pieces, line, number: (before.match(/\r\n|\n|\r/g) ?? []).length + 1 };
    }
  }
}
