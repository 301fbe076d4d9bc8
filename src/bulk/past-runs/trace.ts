import type { MarkSystem } from '../../files/process-mark.ts';
import type { BeginLine } from '../journal/lines.ts';
import { createRunFolder } from '../journal/run-folder.ts';
import { type RunFolders, titleOf } from './run-names.ts';

/** Returns true for what is left of a record that was deleted: that there was a change, so that `undo` does not pass over it. */
export function isTrace({ operation, options }: BeginLine): boolean {
  return operation === 'api' && options.deleted === true;
}

/** Replaces the record of a run by its trace, which is recorded like a call whose changes are unknown. The caller holds the lock of the run. */
export async function leaveTrace(begin: BeginLine, folders: RunFolders, system: MarkSystem): Promise<void> {
  const { version, run, order, profile, server, account, edition, domain, input, at } = begin;
  const known = { type: 'begin', version, run, order, profile, server, account, edition, domain, at } as const;
  const what = {
    operation: 'api',
    what: titleOf(begin),
    input: { ...input, rows: 0 },
    options: { deleted: true },
    outputs: [],
  } as const;
  await createRunFolder({ ...known, ...what }, folders, system, {
    // Its end is as old as the run, so the trace goes when it is no longer needed.
    copyResults: (journal) => journal.write({ type: 'end', reason: 'complete', at }),
  });
}
