import { loadedWhenCalled } from '../base/loaded-when-called.ts';
import { folders } from '../base/system.ts';
import { type RunFolders, runFolders } from '../bulk/past-runs/run-names.ts';
import type { RunEnvironment } from '../bulk/run-plan.ts';
import type { Session } from '../cli/session.ts';

/** Where the records of runs are. */
export function foldersOf({ system }: Pick<Session, 'system'>): RunFolders {
  return runFolders(folders(system).state);
}

/** Everything that a run uses of the outside world. The click history is imported only to note a change in it. */
export function environmentOf(session: Session): RunEnvironment {
  const { client, system, warn } = session;
  return {
    client,
    system,
    folders: foldersOf(session),
    warn,
    noteChanges: loadedWhenCalled(async () => (await import('./history-notes.ts')).historyNotes(session)),
  };
}
