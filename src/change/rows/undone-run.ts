import { UsageError } from '../../base/errors.ts';
import type { DoneRun } from '../../bulk/past-runs/done-run.ts';
import { type RunFolders, titleOf } from '../../bulk/past-runs/run-names.ts';
import { firstOf, type IsLeft, type IsOwn, isOfProfile, type Parts, wholeOf } from '../../bulk/past-runs/undo-chain.ts';
import { isRevertible, resolveRun, showRun, undoableBefore } from '../../bulk/runs.ts';
import { canAsk } from '../../cli/prompt.ts';
import type { Session } from '../../cli/session.ts';
import { foldersOf } from '../environment.ts';

/** The differences between `undo` and `redo`. */
export interface Direction {
  readonly command: 'undo' | 'redo';
  /** Returns the run to undo if none is named. */
  next(folders: RunFolders, isOwn: IsOwn, isLeft: IsLeft): Promise<string | undefined>;
  /** Returns the message if nothing is left to do. */
  already(run: string, doneBy: Parts['doneBy']): string;
  readonly nothing: { readonly message: string; readonly hint: string };
}

/** Without a name, each repetition undoes another run. Scripts must name the run, so that a repetition is harmless. */
export async function namedRun(
  named: string | undefined,
  direction: Direction,
  isLeft: IsLeft,
  session: Session,
): Promise<string | undefined> {
  const kept = foldersOf(session);
  if (named !== undefined && named !== 'last') return resolveRun(kept, named);
  const run = await direction.next(kept, (begin) => isOfProfile(begin, session.client.identity), isLeft);
  if (!session.global.dryRun && !canAsk(session)) throw await nameless(named, direction, run, session);
  return run && (await wholeOf(run, kept));
}

async function nameless(
  named: 'last' | undefined,
  { command }: Direction,
  run: string | undefined,
  session: Session,
): Promise<UsageError> {
  const kept = foldersOf(session);
  const message =
    named === undefined
      ? `<run> required for ${command} when not running interactively`
      : `"last" is only accepted on a terminal: name the run`;
  if (run === undefined) return new UsageError(message, { hint: 'linkctl runs' });
  const { begin: newest } = await showRun(kept, run);
  if (command === 'undo' && newest && !isRevertible(newest)) {
    const before = await runBefore(newest, session);
    const details = [`the newest run, ${run} (${titleOf(newest)}), cannot be undone`];
    return new UsageError(message, { details, hint: before ? `${before} --yes` : 'linkctl runs' });
  }
  // A redo names the run that was undone.
  const name = command === 'redo' ? (newest?.undoes ?? run) : run;
  const { begin } = name === run ? { begin: newest } : await showRun(kept, name).catch(() => ({ begin: undefined }));
  return new UsageError(message, { hint: `the newest${begin ? ` (${titleOf(begin)})` : ''}: linkctl ${command} ${name} --yes` });
}

/** Returns a hint that names the newest earlier run that can be undone. */
export async function runBefore(begin: DoneRun['begin'], session: Session): Promise<string | undefined> {
  const kept = foldersOf(session);
  const first = await firstOf(begin.run, kept);
  const isOwn: IsOwn = (other) => other.run !== first && isOfProfile(other, session.client.identity);
  const found = await undoableBefore(kept, begin, isOwn);
  return found && `the run before it that can be undone (${titleOf(found.begin)}, ${found.begin.at}): linkctl undo ${found.run}`;
}
