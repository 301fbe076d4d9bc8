import { hashPattern } from '../../contract/fields.ts';

const signs = [',', ';', '\t', '|'] as const;

/**
 * Picks the delimiter that splits the first line into the most known names or, in a line that begins with a URL, into URL, hash and note.
 * Returns a comma if none is needed, and undefined if several fit.
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

/** Recognizes a line of column names, which no list of URLs contains. */
export function isHeader(line: string, isLongUrl: (name: string) => boolean): boolean {
  return signs.some((sign) => cellsOf(line, sign).some((cell) => isLongUrl(cell.trim())));
}

export function isUrl(text: string): boolean {
  return /^\s*"?\s*https?:\/\//i.test(text);
}

/** The value for `--delimiter`. */
export function delimiterWord(delimiter: string): string {
  return delimiter === '\t' ? 'tab' : `'${delimiter}'`;
}

function knownNames(cells: readonly string[], isKnown: (name: string) => boolean): number {
  return cells.filter((cell) => isKnown(cell.trim())).length;
}

/** Returns the number of cells; 0 if they cannot be URL, hash and note. */
function positions(cells: readonly string[]): number {
  const hash = (cells[1] ?? '').trim().replace(/^\/+|\/+$/g, '');
  return cells.length <= 3 && (hash === '' || hashPattern.test(hash)) ? cells.length : 0;
}

/** For a line that may be a URL, a hash and a note, returns its delimiter and number of cells as a comparable text; otherwise undefined. */
export function cellsByPosition(line: string): string | undefined {
  if (!isUrl(line)) return undefined;
  const sign = signs.find((one) => {
    const cells = cellsOf(line, one);
    return cells[1]?.trim() && positions(cells) > 1;
  });
  return sign && `${sign}${cellsOf(line, sign).length}`;
}

/** An unclosed quote extends to the end of the line. */
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

/** Returns the first line, or a later one with known names if the first is a title. */
export function headerAmong(lines: readonly string[], isKnown: (name: string) => boolean): string {
  const [first = ''] = lines;
  const most = (line: string): number => Math.max(...signs.map((sign) => knownNames(cellsOf(line, sign), isKnown)));
  if (isUrl(first) || most(first) > 0) return first;
  return lines.slice(1).find((line) => most(line) > 1) ?? first;
}
