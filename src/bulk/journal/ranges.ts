/** Row indexes as runs of neighbours: `[[0, 999], [1003, 1003]]`, both ends included. */
export type Ranges = readonly (readonly [number, number])[];

export function rangesOf(rows: Iterable<{ readonly index: number }>): Ranges {
  const ranges: [number, number][] = [];
  for (const { index } of rows) {
    const last = ranges.at(-1);
    if (last && last[1] + 1 === index) last[1] = index;
    else ranges.push([index, index]);
  }
  return ranges;
}

export function indexesOf(ranges: Ranges): number[] {
  const indexes: number[] = [];
  for (const [first, last] of ranges) for (let index = first; index <= last; index += 1) indexes.push(index);
  return indexes;
}

export function sizeOf(ranges: Ranges): number {
  return ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}

export function isRanges(value: unknown, total: number): value is Ranges {
  return Array.isArray(value) && value.every((range) => isRange(range, total));
}

function isRange(value: unknown, total: number): boolean {
  if (!Array.isArray(value) || value.length !== 2 || !value.every(Number.isSafeInteger)) return false;
  const [first, last] = value;
  return first >= 0 && first <= last && last < total;
}
