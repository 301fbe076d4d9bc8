import { LocalError } from '../../base/errors.ts';
import type { System } from '../../base/system.ts';
import { foldJournal } from '../journal/fold.ts';
import { isUntouched, mayHaveChanged, type RunState } from '../journal/journal-state.ts';
import { claimKey, claimRun, keyOfRun, removeRunFolder } from '../journal/run-folder.ts';
import { recordMissed, recordUndone } from './later-lines.ts';
import { type RunFolders, runNames, runRecord } from './run-names.ts';
import { leaveTrace } from './trace.ts';

/** Returns false if there is no such run. Throws `LocalError` while another process holds the run or searches for it. */
export async function deleteRun(name: string, folders: RunFolders, system: System, leavesTrace = false): Promise<boolean> {
  if (!runNames(folders).includes(name)) return false;
  const claims = [await claimKey(keyOfRun(name), folders, system, 0)];
  try {
    if (!runNames(folders).includes(name)) return false;
    claims.push(await claimRun(name, folders, system, 0));
    const record = runRecord(name, folders);
    // A damaged journal names no run that it undoes.
    const state = await foldJournal(record.journal).catch(() => undefined);
    const undoes = state?.begin.undoes;
    if (undoes !== undefined && runNames(folders).includes(undoes)) claims.push(await claimRun(undoes, folders, system, 0));
    if (leavesTrace && state) leaveTrace(state.begin, record, system);
    else await remove(name, state, folders, system);
    return true;
  } finally {
    for (const claim of claims.reverse()) claim.release();
  }
}

/** Deletes a run that applied nothing, so that it can start again. The caller holds the locks of its key and of the run that it undoes. */
export async function discardRun(name: string, folders: RunFolders, system: System): Promise<void> {
  const work = await claimRun(name, folders, system, 0);
  try {
    // Read again under the lock: another process may have worked on the run until now.
    const state = await foldJournal(runRecord(name, folders).journal);
    if (!isUntouched(state)) {
      throw new LocalError(`another process has resumed run ${name}`, { hint: 'run the same command again' });
    }
    await remove(name, state, folders, system);
  } finally {
    work.release();
  }
}

async function remove(name: string, state: RunState | undefined, folders: RunFolders, system: System): Promise<void> {
  const undoes = state?.begin.undoes;
  if (undoes !== undefined && state && !mayHaveChanged(state)) {
    if (state.kept > 0) await recordMissed(undoes, folders, system);
    await recordUndone({ undoes, by: name, withdrawn: true }, folders, system);
  }
  removeRunFolder(name, folders, system);
}
