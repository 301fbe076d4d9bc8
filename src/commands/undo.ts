import type { Command } from 'commander';
import { NotFoundError } from '../base/errors.ts';
import { folders } from '../base/system.ts';
import { readDoneRun } from '../bulk/records/done-run.ts';
import { titleOf } from '../bulk/records/run-names.ts';
import { isPartly, nextToUndo, targetOfUndo } from '../bulk/records/tips.ts';
import { type NamedUndo, namedRun, saidAlready, type UndoOptions } from '../changes/named-run.ts';
import { undoRun } from '../changes/undo.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { Runner } from '../cli/run.ts';
import { openSession } from '../cli/session.ts';
import { addBatchFlags } from '../flags/bulk-flags.ts';
import { describe } from '../help/description.ts';
import type { Report } from '../output/report.ts';

export function registerUndo(command: Command, run: Runner): void {
  command.argument('[run]', 'name of the run or its beginning (default: the last change of the profile)');
  addBatchFlags(command, 'also restore what changed since, and start even if the quota is too low');
  command.action(run(undo));
  describe(command, {
    examples: ['linkctl undo', 'linkctl undo --dry-run', 'linkctl undo 20310131-1209 --results undone.csv', 'linkctl runs'],
    notes: [
      'Created links are deleted, changed fields get their old values, and deleted links are made again with hash, destination, note, ' +
        'tags, dates and flags. A link that changed since the run is left alone and named (exit 3), unless --force is given. A hash that ' +
        'is taken is never overwritten. Undo shows a plan and asks first.',
      'Without <run>, undo takes back the last change of the profile, whatever its form: one typed link or a whole file. The next undo goes ' +
        'further back, and linkctl redo goes forward again. Without a terminal, <run> is required. A run that is undone already is left as it is ' +
        '(exit 0), and so is one that cannot be undone (exit 1). An undo is a run: the same command resumes it.',
      'What cannot come back: clicks and creation order of deleted links, counters after a reset, and hashes that others have taken since. ' +
        'A link that may have been there before the run is left alone, unless --force is given.',
    ],
    globals: ['--yes', '--dry-run', '--max-affected', '--no-input', '--quiet', '--progress'],
  });
}

const words: NamedUndo = { command: 'undo', next: nextToUndo };

async function undo(options: UndoOptions, invocation: Invocation, [named]: string[]): Promise<Report> {
  const session = await openSession(invocation);
  const { run, tip } = await namedRun(named, words, session);
  if (run === undefined) throw new NotFoundError('nothing to undo', { hint: 'linkctl runs' });
  const rest = tip && (options.force || isPartly(tip)) ? run : undefined;
  const target = tip ? (targetOfUndo(tip) ?? rest) : run;
  if (target === undefined) return saidAlready(`run ${run} is undone already, by run ${tip?.run}`);
  const done = await readDoneRun(folders(invocation.system).state, target);
  return await undoRun(done, { title: titleOf(done.begin), options, force: options.force === true }, session);
}
