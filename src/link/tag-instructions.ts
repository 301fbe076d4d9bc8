import { foldLabel, trimmedLabel } from '../contract/tag-label.ts';

/**
 * Returns the instructions that turn the labels of a link into the wanted ones. Labels that differ only in case are equal. A label that the
 * link shows without its blanks may have been trimmed, unless both are wanted or there.
 */
export function tagInstructions(wanted: readonly string[], has: readonly string[]): string[] {
  const [all, present] = [wanted, has].map((labels) => new Set(labels.map(foldLabel))) as [Set<string>, Set<string>];
  const shown = (label: string): string =>
    present.has(foldLabel(label)) || all.has(trimmedLabel(label)) ? foldLabel(label) : trimmedLabel(label);
  const asked = new Set(wanted.map(shown));
  return [
    ...wanted.filter((label) => !present.has(shown(label))).map((label) => `+${label}`),
    ...has.filter((label) => !asked.has(foldLabel(label))).map((label) => `-${label}`),
  ];
}

/** Returns the labels of a link after the instructions. */
export function labelsAfter(instructions: readonly string[], has: readonly string[]): string[] {
  const labels = new Map(has.map((label) => [foldLabel(label), label]));
  for (const instruction of instructions) {
    const label = instruction.slice(1);
    const key = foldLabel(label);
    if (instruction.startsWith('-')) labels.delete(key);
    else if (!labels.has(key)) labels.set(key, label);
  }
  return [...labels.values()];
}
