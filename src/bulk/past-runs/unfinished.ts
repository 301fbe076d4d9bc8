import { existsSync } from 'node:fs';
import { LocalError } from '../../base/errors.ts';
import { isSettled, isUntouched, type RunState, unsentCount } from '../journal/journal-state.ts';
import type { BeginLine, RunIdentity } from '../journal/lines.ts';
import { identityOf } from '../journal/new-run.ts';
import { claimKey, foldRun, keyOfRun, lastLine, runKey } from '../journal/run-folder.ts';
import type { FoundRun, Surroundings } from '../run-plan.ts';
import { newestFirst, type RunFolders, runRecord } from './run-names.ts';
import { isTrace } from './trace.ts';
import { isToContinue, isUndone } from './undo-chain.ts';

/**
 * Returns the unfinished runs of a key, newest first, and the newest finished run. An undone run is neither. A complete run whose result
 * was not shown is unfinished, so that the same command shows it. With `again`, after a later change, or unless `hasSameFlags`, it is
 * finished.
 */
export async function runsOf(
  key: string,
  folders: RunFolders,
  again = false,
  hasSameFlags: (begin: BeginLine) => boolean = () => true,
): Promise<{ unfinished: FoundRun[]; finished: string | undefined; undone: string[] }> {
  const isToShow = ({ begin }: RunState): boolean => !again && hasSameFlags(begin);
  const unfinished: FoundRun[] = [];
  const undone: string[] = [];
  let finished: string | undefined;
  for (const { run: name, begin } of newestFirst(folders, (candidate) => keyOfRun(candidate) === key)) {
    if (begin && isTrace(begin)) continue;
    const record = runRecord(name, folders);
    // The newest finished run is read completely. For older ones the last line is enough.
    if (finished !== undefined && (await lastLine(record.journal))?.type === 'shown') continue;
    const state = await foldRun(name, folders);
    if (!state) continue;
    if (await isUndone(state, folders)) undone.push(name);
    else if ((await isToContinue(state, folders)) && (!state.complete || isToShow(state)))
      unfinished.push({ name, record, state });
    else finished ??= name;
  }
  return { unfinished, finished, undone };
}

export type ResumableRun = NonNullable<Awaited<ReturnType<typeof resumableRun>>>;

interface Sought extends Pick<RunIdentity, 'operation' | 'domain'> {
  readonly sha256: string;
  /** `--again` */
  readonly again?: boolean | undefined;
}

/** Returns the runs that the same command would continue, newest first, including those that sent nothing. */
export async function unfinishedRuns(
  { operation, domain, sha256, again }: Sought,
  { client, system, folders }: Surroundings,
): Promise<readonly FoundRun[]> {
  const key = runKey(identityOf(client, { operation, domain, input: { name: '', sha256, rows: 0 }, options: {} }));
  const beginning = await claimKey(key, folders, system);
  const { unfinished } = await runsOf(key, folders, again).finally(() => beginning.release());
  return unfinished;
}

/** Returns the run that the same command resumes, with its recorded rows; undefined if every such run is untouched. */
export async function resumableRun(sought: Sought, surroundings: Surroundings) {
  for (const { name, record, state } of await unfinishedRuns(sought, surroundings)) {
    if (isUntouched(state)) continue;
    if (!existsSync(record.input)) {
      throw new LocalError(`run ${name} cannot be resumed: its list of links is missing`, {
        hint: (await import('./second-links.ts')).discardText(state),
      });
    }
    const { begin } = state;
    const isDone = (row: number): boolean => isSettled(state.stateOf(row));
    return { begin, input: record.input, left: unsentCount(state), isDone };
  }
  return undefined;
}
