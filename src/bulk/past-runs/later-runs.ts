import type { BeginLine } from '../journal/lines.ts';
import { type DoneRun, readDoneRun } from './done-run.ts';
import { newestFirst, type RunFolders } from './run-names.ts';

/** Reads the runs of the account that began after a run, oldest first. A run whose record is gone or damaged says nothing. */
export async function readLaterRuns<Found>(
  { run: earlier, server, account }: BeginLine,
  operations: ReadonlySet<BeginLine['operation']>,
  folders: RunFolders,
  read: (run: DoneRun) => Promise<Found>,
): Promise<{ run: string; found: Found }[]> {
  const later: { run: string; found: Found }[] = [];
  for (const { run, begin } of newestFirst(folders)) {
    if (run === earlier) break;
    if (!begin || !operations.has(begin.operation) || begin.server !== server || begin.account !== account) continue;
    try {
      later.unshift({ run, found: await read(await readDoneRun(run, folders)) });
    } catch {
      // Nothing is known of it.
    }
  }
  return later;
}
