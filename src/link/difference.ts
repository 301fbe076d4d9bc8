import { unicodeTest } from '../base/unicode.ts';

/** One place where two URLs differ, in whole parts: a host, a segment of the path, a parameter. */
export interface Difference {
  /** Empty where something was only added. */
  readonly removed: string;
  /** Where it begins in the URL before, in UTF-16 units. */
  readonly removedAt: number;
  /** Empty where something was only removed. */
  readonly added: string;
  /** Where it begins in the URL after. */
  readonly addedAt: number;
}

/** Where two URLs differ, from left to right; places with nothing but separators between them are one. */
export function differences(before: string, after: string): Difference[] {
  const old = partsOf(before);
  const now = partsOf(after);
  const found: Difference[] = [];
  let [removedAt, addedAt] = [0, 0];
  for (const { removed, added, common } of changedRuns(old, now)) {
    const [gone, come] = [removed.join(''), added.join('')];
    if (gone !== '' || come !== '') found.push({ removed: gone, removedAt, added: come, addedAt });
    const kept = common.join('').length;
    removedAt += gone.length + kept;
    addedAt += come.length + kept;
  }
  return found;
}

/** The differences as one text, equal for changes that are alike: `old.example -> new.example`, `+?utm_source=x`. */
export function foldText(before: string, after: string): string {
  return differences(before, after)
    .map(({ removed, added }) => (removed === '' ? `+${added}` : added === '' ? `-${removed}` : `${removed} -> ${added}`))
    .join(', ');
}

/** What replaces what, and what both have after it. */
interface Run {
  readonly removed: string[];
  readonly added: string[];
  readonly common: string[];
}

const separator = /^(?::\/\/|[/?#&@])$/;
const continuesCharacter = unicodeTest('^[\\p{M}\\p{Emoji_Modifier}\\u200c\\u200d]');

/** Scheme, host, segments, parameters and what separates them. A separator with an accent on it separates nothing. */
function partsOf(url: string): string[] {
  const parts: string[] = [];
  for (const part of url.match(/:\/\/|[/?#&@]|(?:(?!:\/\/)[^/?#&@])+/g) ?? []) {
    if (continuesCharacter(part)) parts.push((parts.pop() ?? '') + part);
    else parts.push(part);
  }
  return parts;
}

/** The two lists as runs; runs are joined across separators that both have between them. */
function changedRuns(old: readonly string[], now: readonly string[]): Run[] {
  const runs: Run[] = [{ removed: [], added: [], common: [] }];
  for (const { kind, part } of edits(old, now)) {
    const last = runs.at(-1) as Run;
    if (kind === 'common') last.common.push(part);
    else if (last.common.length === 0) last[kind].push(part);
    else if (last.removed.length + last.added.length > 0 && last.common.every((text) => separator.test(text))) {
      last.removed.push(...last.common);
      last.added.push(...last.common.splice(0));
      last[kind].push(part);
    } else runs.push({ removed: [], added: [], common: [], [kind]: [part] });
  }
  return runs;
}

interface Edit {
  readonly kind: keyof Run;
  readonly part: string;
}

/** Beyond it the middle is one difference: a table of more cells is slow, and so many differences nobody reads. */
const maximumCells = 20_000;

/** The shortest way from one list to the other. */
function edits(old: readonly string[], now: readonly string[]): Edit[] {
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const [oldMiddle, nowMiddle] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  return [
    ...allOf('common', old.slice(0, start)),
    ...middleEdits(oldMiddle, nowMiddle),
    ...allOf('common', old.slice(old.length - end)),
  ];
}

function middleEdits(old: readonly string[], now: readonly string[]): Edit[] {
  if (old.length * now.length > maximumCells) return [...allOf('removed', old), ...allOf('added', now)];
  const lengths = commonLengths(old, now);
  const length = (row: number, column: number): number => lengths[row]?.[column] ?? 0;
  const found: Edit[] = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < now.length) {
    const [gone, come] = [old[row], now[column]];
    if (gone !== undefined && gone === come) {
      found.push({ kind: 'common', part: gone });
      row += 1;
      column += 1;
    } else if (gone !== undefined && (come === undefined || length(row + 1, column) >= length(row, column + 1))) {
      found.push({ kind: 'removed', part: gone });
      row += 1;
    } else if (come !== undefined) {
      found.push({ kind: 'added', part: come });
      column += 1;
    }
  }
  return found;
}

/** How many parts the rests from each pair of places on have in common. */
function commonLengths(old: readonly string[], now: readonly string[]): number[][] {
  const lengths = Array.from({ length: old.length + 1 }, () => new Array<number>(now.length + 1).fill(0));
  for (let row = old.length - 1; row >= 0; row -= 1) {
    const [here, below] = [lengths[row] as number[], lengths[row + 1] as number[]];
    for (let column = now.length - 1; column >= 0; column -= 1) {
      const [diagonal = 0, down = 0, right = 0] = [below[column + 1], below[column], here[column + 1]];
      here[column] = old[row] === now[column] ? diagonal + 1 : Math.max(down, right);
    }
  }
  return lengths;
}

function allOf(kind: Edit['kind'], parts: readonly string[]): Edit[] {
  return parts.map((part) => ({ kind, part }));
}
