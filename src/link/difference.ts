import { unicodeTest } from '../base/safe-text.ts';

/** A difference of whole parts: a host, a path segment, a parameter. */
interface Difference {
  /** Empty for an addition. */
  readonly removed: string;
  /** Position in the URL before, in UTF-16 units. */
  readonly removedAt: number;
  /** Empty for a removal. */
  readonly added: string;
  /** Position in the URL after. */
  readonly addedAt: number;
}

/** From left to right; differences with only separators between them are joined. */
export function differences(before: string, after: string): Difference[] {
  const old = partsOf(before);
  const now = partsOf(after);
  const found: Difference[] = [];
  let [removedAt, addedAt] = [0, 0];
  for (const { removed, added, common } of changedGroups(old, now)) {
    const [gone, come] = [removed.join(''), added.join('')];
    if (gone !== '' || come !== '') found.push({ removed: gone, removedAt, added: come, addedAt });
    const kept = common.join('').length;
    removedAt += gone.length + kept;
    addedAt += come.length + kept;
  }
  return found;
}

/** Equal for equal changes, so that a plan can group them: `old.example -> new.example`, `+?utm_source=x`. */
export function foldText(before: string, after: string): string {
  return differences(before, after)
    .map(({ removed, added }) => (removed === '' ? `+${added}` : added === '' ? `-${removed}` : `${removed} -> ${added}`))
    .join(', ');
}

interface PartGroup {
  readonly removed: string[];
  readonly added: string[];
  readonly common: string[];
}

const separator = /^(?::\/\/|[/?#&@])$/;
const continuesCharacter = unicodeTest('^[\\p{M}\\p{Emoji_Modifier}\\u200c\\u200d]');

/** Splits into scheme, host, segments, parameters and separators. A separator with a combining mark separates nothing. */
function partsOf(url: string): string[] {
  const parts: string[] = [];
  for (const part of url.match(/:\/\/|[/?#&@]|(?:(?!:\/\/)[^/?#&@])+/g) ?? []) {
    if (continuesCharacter(part)) parts.push((parts.pop() ?? '') + part);
    else parts.push(part);
  }
  return parts;
}

/** Joins groups across separators that both URLs contain. */
function changedGroups(old: readonly string[], now: readonly string[]): PartGroup[] {
  const groups: PartGroup[] = [{ removed: [], added: [], common: [] }];
  for (const { kind, part } of edits(old, now)) {
    const last = groups.at(-1) as PartGroup;
    if (kind === 'common') last.common.push(part);
    else if (last.common.length === 0) last[kind].push(part);
    else if (last.removed.length + last.added.length > 0 && last.common.every((text) => separator.test(text))) {
      last.removed.push(...last.common);
      last.added.push(...last.common.splice(0));
      last[kind].push(part);
    } else groups.push({ removed: [], added: [], common: [], [kind]: [part] });
  }
  return groups;
}

interface Edit {
  readonly kind: keyof PartGroup;
  readonly part: string;
}

/** Above this size the middle is one difference: a larger table is slow, and nobody reads that many differences. */
const maximumCells = 20_000;

/** Strips the common beginning and end before it compares. */
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

/** Longest common subsequence of the rests from each pair of positions on. */
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
