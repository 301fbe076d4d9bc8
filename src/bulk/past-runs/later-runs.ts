import type { BeginLine } from '../journal/lines.ts';
import { type DoneRun, readDoneRun } from './done-run.ts';
import { newestFirst, type RunFolders, startTimeOf } from './run-names.ts';

/**
 * Reads the runs of the account that began after a run, oldest first: those that are newer, and, if it was resumed since, those that began
 * in between. A run whose record is gone or damaged says nothing.
 */
export async function readLaterRuns<Found>(
  { run: earlier, server, account }: BeginLine,
  isWanted: (begin: BeginLine) => boolean,
  folders: RunFolders,
  read: (run: DoneRun) => Promise<Found>,
): Promise<{ run: string; found: Found }[]> {
  const later: { run: string; found: Found }[] = [];
  let isNewer = true;
  for (const { run, begin } of newestFirst(folders)) {
    if (run === earlier) isNewer = false;
    const isLater = run !== earlier && (isNewer || startTimeOf(run) >= startTimeOf(earlier));
    if (!isLater || !begin || begin.server !== server || begin.account !== account || !isWanted(begin)) continue;
    try {
      later.unshift({ run, found: await read(await readDoneRun(run, folders)) });
    } catch {
      // Nothing is known of it.
    }
  }
  return later;
}
