import type { Command } from 'commander';
import { folders } from '../base/system.ts';
import { newestRuns, titleOf } from '../bulk/run-names.ts';
import { resolveRun } from '../bulk/runs.ts';
import { type DoneRun, readDoneRun, recordReported } from '../bulk/undo.ts';
import { undoRun } from '../changes/undo.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { Runner } from '../cli/run.ts';
import { openSession } from '../cli/session.ts';
import { addBatchFlags, type BulkOptions } from '../flags/bulk-flags.ts';
import { describe } from '../help/description.ts';
import type { RowsReport } from '../output/report.ts';

export function registerUndo(command: Command, run: Runner): void {
  command.argument('[run]', 'name of the run, its beginning, or last (default: last)');
  addBatchFlags(command, 'also restore what changed since, and start even if the quota is too low');
  command.action(run(undo));
  describe(command, {
    examples: ['linkctl undo', 'linkctl undo --dry-run', 'linkctl undo 20310131-1209 --results undone.csv', 'linkctl runs'],
    notes: [
      'Created links are deleted, changed fields get their old values, and deleted links are made again with hash, destination, note, ' +
        'tags, dates and flags. A link that changed since the run is left alone and named (exit 3), unless --force is given. A hash that ' +
        'is taken is never overwritten. Undo shows a plan and asks first.',
      '<run> is the name of a run, a beginning that no other run has, or last for the newest run. A run that cannot be undone is left as ' +
        'it is (exit 1). An undo is a run: the same command resumes it, and undo after undo is redo. The command that was undone then ' +
        'begins anew.',
      'What cannot come back: clicks and creation order of deleted links, counters after a reset, and hashes that others have taken since. ' +
        'A link that existed before a shortening run with the same hash and values counts as created, unless an earlier run on this computer created it.',
    ],
    globals: ['--yes', '--dry-run', '--max-affected', '--no-input', '--quiet', '--progress'],
  });
}

interface UndoOptions extends BulkOptions {
  readonly force?: boolean;
}

async function undo(options: UndoOptions, invocation: Invocation, [named = 'last']: string[]): Promise<RowsReport> {
  const { state } = folders(invocation.system);
  const run = await runToUndo(state, named);
  invocation.atEnd(async () => reportedUndo(state, run));
  const session = await openSession(invocation);
  return await undoRun(run, { title: titleOf(run.begin), options, force: options.force === true }, session);
}

/** From here on the result of the undo is known. */
function reportedUndo(state: string, { begin }: DoneRun): void {
  const [newest] = newestRuns(state);
  if (newest?.begin?.undoes === begin.run) recordReported(state, newest.run);
}

/**
 * `last` is the newest run. Where that is an undo that was interrupted, or killed before it could say that it had ended, it is the run
 * that it was taking back: so the same command resumes it, and never takes the undo back unseen.
 */
async function runToUndo(state: string, named: string): Promise<DoneRun> {
  const run = await readDoneRun(state, resolveRun(state, named));
  const { undoes } = run.begin;
  if (named !== 'last' || undoes === undefined || (run.isComplete && run.isReported)) return run;
  return await readDoneRun(state, resolveRun(state, undoes));
}
