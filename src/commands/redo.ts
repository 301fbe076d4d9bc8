import type { Command } from 'commander';
import { NotFoundError } from '../base/errors.ts';
import { folders } from '../base/system.ts';
import { readDoneRun } from '../bulk/records/done-run.ts';
import { titleOf } from '../bulk/records/run-names.ts';
import { isUndoInForce, nextToRedo, targetOfRedo } from '../bulk/records/tips.ts';
import { type NamedUndo, namedRun, saidAlready, type UndoOptions } from '../changes/named-run.ts';
import { undoRun } from '../changes/undo.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { Runner } from '../cli/run.ts';
import { openSession } from '../cli/session.ts';
import { addBatchFlags } from '../flags/bulk-flags.ts';
import { describe } from '../help/description.ts';
import type { Report } from '../output/report.ts';

export function registerRedo(command: Command, run: Runner): void {
  command.argument('[run]', 'name of the run that was undone, or its beginning (default: what was undone last)');
  addBatchFlags(command, 'also change what changed since, and start even if the quota is too low');
  command.action(run(redo));
  describe(command, {
    examples: ['linkctl redo', 'linkctl redo --dry-run', 'linkctl redo 20310131-1209 --yes'],
    notes: [
      'Redo makes the changes of a run again that linkctl undo took back, and shows a plan and asks first. A link that changed since the undo is ' +
        'left alone and named (exit 3), unless --force is given. Counters of clicks do not come back.',
      'Without <run>, redo goes forward by one undo; after another change there is nothing to redo until a run is named. Without a terminal, ' +
        '<run> is required. A run that is not undone is left as it is (exit 0). A redo is a run: the same command resumes it.',
    ],
    globals: ['--yes', '--dry-run', '--max-affected', '--no-input', '--quiet', '--progress'],
  });
}

const words: NamedUndo = { command: 'redo', next: nextToRedo };

async function redo(options: UndoOptions, invocation: Invocation, [named]: string[]): Promise<Report> {
  const session = await openSession(invocation);
  const { run, tip } = await namedRun(named, words, session);
  if (run === undefined) {
    throw new NotFoundError('nothing to redo: no undo, or another change since', { hint: 'linkctl runs; linkctl redo <run>' });
  }
  const target = tip ? (targetOfRedo(tip) ?? (isUndoInForce(tip) ? run : undefined)) : run;
  if (target === undefined) return saidAlready(`run ${run} is not undone`);
  const done = await readDoneRun(folders(invocation.system).state, target);
  return await undoRun(done, { title: titleOf(done.begin), options, force: options.force === true }, session);
}
