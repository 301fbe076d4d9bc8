import { join } from 'node:path';
import { foldJournal } from './journal/fold.ts';
import { whileThere } from './journal/run-folder.ts';
import { mayHaveChanged, type RunState } from './journal/run-state.ts';
import { journalName, type RunFolders } from './run-names.ts';

/**
 * Whether a run is undone (U2): another one was begun to take it back, changed something, and was not taken back itself. Its rows are then
 * not as its journal says, so the same command begins anew.
 */
export async function isUndone({ undoneBy }: RunState, folders: RunFolders): Promise<boolean> {
  if (undoneBy === undefined) return false;
  const read = async (folder: string) => await foldJournal(join(folder, journalName));
  // Without a record that says otherwise it was done.
  const by = await whileThere(undoneBy, folders, read).catch(() => undefined);
  return by === undefined || (mayHaveChanged(by) && !(await isUndone(by, folders)));
}
