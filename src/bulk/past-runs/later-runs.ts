import type { BeginLine } from '../journal/lines.ts';
import { readBegin } from '../journal/run-folder.ts';
import { type DoneRun, readDoneRun } from './done-run.ts';
import { newestFirst, orderOf, type RunFolders, runRecord } from './run-names.ts';

/**
 * Reads the runs of the account that began, or were resumed, after a run began, oldest first. A run whose record is gone or damaged says
 * nothing.
 */
export async function readLaterRuns<Found>(
  { run: earlier, server, account }: BeginLine,
  isWanted: (begin: BeginLine) => boolean,
  folders: RunFolders,
  read: (run: DoneRun) => Promise<Found>,
): Promise<{ run: string; found: Found }[]> {
  const later: { run: string; found: Found }[] = [];
  // If the run was resumed, its number is that of its last beginning.
  const { order: began = 0 } = (await readBegin(runRecord(earlier, folders))) ?? {};
  for (const { run, begin } of newestFirst(folders)) {
    if (!begin || orderOf({ begin }) <= began) break;
    if (run === earlier || begin.server !== server || begin.account !== account || !isWanted(begin)) continue;
    try {
      later.unshift({ run, found: await read(await readDoneRun(run, folders)) });
    } catch {
      // Nothing is known of it.
    }
  }
  return later;
}
