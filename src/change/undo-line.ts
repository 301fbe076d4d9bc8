import type { Tally } from '../bulk/results/row-outcome.ts';

/** How to take back what was done. */
export function undoLine(run: string, command = 'linkctl undo'): string {
  return `to undo it: ${command} ${run}`;
}

/** Whether there is anything to take back. */
export function isChange({ counts: { changed, deleted, created } }: Tally): boolean {
  return changed + deleted + created > 0;
}
