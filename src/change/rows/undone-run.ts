import { UsageError } from '../../base/errors.ts';
import { folders } from '../../base/system.ts';
import { type RunFolders, runFolders, titleOf } from '../../bulk/past-runs/run-names.ts';
import { type IsOwn, isOfProfile, type Tip, tipOfRun } from '../../bulk/past-runs/undo-chain.ts';
import { resolveRun, showRun } from '../../bulk/runs.ts';
import { canAsk } from '../../cli/prompt.ts';
import type { Session } from '../../cli/session.ts';

/** In what `undo` and `redo` differ. */
export interface Direction {
  readonly command: 'undo' | 'redo';
  /** The run that is meant where none is named. */
  next(folders: RunFolders, isOwn: IsOwn): Promise<string | undefined>;
  /** The run to be undone for one that was named; undefined where nothing is left to do. */
  targetOf(tip: Tip, run: string, force: boolean): string | undefined;
  /** For a run of which nothing is left to do. */
  already(run: string, tip: Tip): string;
  readonly nothing: { readonly message: string; readonly hint: string };
}

interface FoundRun {
  readonly run: string | undefined;
  /** For a run that was named: the last of the undos and redos that followed it. */
  readonly tip?: Tip;
}

/** Repeated without a name, the command goes further. So a script has to name the run: started twice, it then undoes the one that it means. */
export async function namedRun(named: string | undefined, { command, next }: Direction, session: Session): Promise<FoundRun> {
  const { state } = folders(session.system);
  const kept = runFolders(state);
  if (named !== undefined && named !== 'last') {
    const run = resolveRun(state, named);
    return { run, tip: await tipOfRun(run, kept) };
  }
  const run = await next(kept, (begin) => isOfProfile(begin, session.client.identity));
  if (!session.global.dryRun && !canAsk(session)) throw await nameless(command, run, state);
  return { run };
}

async function nameless(command: string, run: string | undefined, state: string): Promise<UsageError> {
  const message = `<run> required for ${command} when not running interactively`;
  if (run === undefined) return new UsageError(message, { hint: 'linkctl runs' });
  const { begin: newest } = await showRun(state, run);
  // A redo is named by the run that was undone.
  const name = command === 'redo' ? (newest?.undoes ?? run) : run;
  const { begin } = name === run ? { begin: newest } : await showRun(state, name).catch(() => ({ begin: undefined }));
  return new UsageError(message, { hint: `the newest: linkctl ${command} ${name} --yes${begin ? ` (${titleOf(begin)})` : ''}` });
}
