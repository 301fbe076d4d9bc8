import type { Command } from 'commander';
import { nextToRedo } from '../bulk/past-runs/undo-chain.ts';
import type { Direction } from '../change/rows/undone-run.ts';
import { onTheirDomains, type UndoOptions, undoOrRedo } from '../change/undo.ts';
import type { Runner } from '../cli/runner.ts';
import { addBatchFlags } from '../flags/bulk-flags.ts';
import { describe } from '../help/description.ts';
import { urlColumns } from '../output/url-columns.ts';

export function register(command: Command, run: Runner): void {
  command.argument('[run]', 'ID of an undone run, or a prefix of one (default: the last one)');
  addBatchFlags(command, 'also change what changed since, and start even if the quota is too low');
  command.action(run((options: UndoOptions, invocation, [named]) => undoOrRedo(redo, options, invocation, named)));
  describe(command, {
    examples: ['linkctl redo', 'linkctl redo --dry-run', 'linkctl redo 20310131-1209 --yes'],
    notes: [
      'Redo makes the changes of an undone run again. It shows a plan and asks first. A link that changed since the undo is ' +
        'left unchanged and reported (exit 3), unless --force is given. Click counters are not restored.',
      'Without <run>, redo goes forward by one undo. After another change there is nothing to redo until a run is named. Without a terminal, ' +
        '<run> is required. For a run that is not undone, nothing is changed (exit 0). A redo is a run: the same command resumes it.',
    ],
    fields: urlColumns,
    globals: ['--yes', '--dry-run', '--max-affected', '--no-input', '--quiet', '--progress'],
    refusesDomain: onTheirDomains,
  });
}

const redo: Direction = {
  command: 'redo',
  next: nextToRedo,
  already: (run) => `run ${run} is not undone`,
  nothing: {
    message: 'nothing to redo: no undo, or another change since',
    hint: 'to redo an earlier run, take its ID from: linkctl runs',
  },
};
