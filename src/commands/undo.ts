import type { Command } from 'commander';
import { nextToUndo, type Parts } from '../bulk/past-runs/undo-chain.ts';
import type { Direction } from '../change/rows/undone-run.ts';
import { onTheirDomains, type UndoOptions, undoOrRedo } from '../change/undo.ts';
import type { Runner } from '../cli/runner.ts';
import { addBatchFlags } from '../flags/bulk-flags.ts';
import { describe } from '../help/description.ts';
import { urlColumns } from '../output/url-columns.ts';

export function register(command: Command, run: Runner): void {
  command.argument('[run]', 'run ID, or a prefix of one (default: the last change of the profile)');
  addBatchFlags(command, 'also restore what changed since, and start even if the quota is too low');
  command.action(run((options: UndoOptions, invocation, [named]) => undoOrRedo(undo, options, invocation, named)));
  describe(command, {
    examples: ['linkctl undo', 'linkctl undo --dry-run', 'linkctl undo 20310131-1209 --results undone.csv', 'linkctl runs'],
    notes: [
      'Created links are deleted, and changed fields get their old values. Deleted links are created again with hash, destination, note, ' +
        'tags, dates and flags. A link that changed since the run is left unchanged and reported (exit 3), unless --force is given. A hash that ' +
        'is taken is never overwritten. Undo shows a plan and asks first.',
      'Without <run>, undo reverts the last change of the profile, whatever its form: one typed link or a whole file. The next undo goes ' +
        'further back, and linkctl redo goes forward again. Without a terminal, a run ID is required, and last is refused. For a run that is already undone, nothing ' +
        'is changed (exit 0). A run that cannot be undone is refused (exit 1). An undo is a run: the same command resumes it.',
      'Undo cannot restore clicks and creation order of deleted links, counters after a reset, or hashes that others have taken. ' +
        'A link that may have existed before the run is left unchanged, unless --force is given. A deleted link that was protected or disabled ' +
        'would become public, so it is only created again with --force. Undo is refused if it would ' +
        'lose links of unknown rows (exit 10). Repeat the command of the run first, or add --force.',
    ],
    fields: urlColumns,
    globals: ['--yes', '--dry-run', '--max-affected', '--no-input', '--quiet', '--progress'],
    refusesDomain: onTheirDomains,
  });
}

const undo: Direction = {
  command: 'undo',
  next: nextToUndo,
  already: (run, doneBy) => `run ${run} is already undone${doneBy ? how(doneBy) : ''}`,
  nothing: { message: 'nothing to undo', hint: 'linkctl runs' },
};

/** A change that was made after its links were found undone may have brought the old values back, and is no part of it. */
function how({ run, foundDone }: NonNullable<Parts['doneBy']>): string {
  return foundDone ? `: run ${run} found its links as they were before it, and changed nothing` : `, by run ${run}`;
}
