import { UsageError } from '../../base/errors.ts';
import type { Identity } from '../../client/subject.ts';
import { foldJournal } from '../journal/fold.ts';
import { isOver, mayHaveChanged, type RunState } from '../journal/journal-state.ts';
import type { BeginLine, UndoDirection } from '../journal/lines.ts';
import { foldRun } from '../journal/run-folder.ts';
import { isUnbegun, type NamedRun, newestRuns, type RunFolders, runRecord } from './run-names.ts';

/** True of a run that another one took back, and that was not brought back: its rows are not as the journal says, so the same command begins anew. */
export async function isUndone(state: RunState, folders: RunFolders): Promise<boolean> {
  return (await tipOf(state, folders)).isUndone;
}

/** The newest of a run, its undo, the redo of that and so on, which says how things are. */
export interface Tip {
  readonly run: string;
  /** Undefined where its record is gone; then it was done. */
  readonly state: RunState | undefined;
  /** True where it takes the run back; otherwise it is the run, or brings it back. */
  readonly isUndone: boolean;
}

/** Of a run by its name. Throws `LocalError` where its journal is damaged. */
export async function tipOfRun(run: string, folders: RunFolders): Promise<Tip> {
  return await tipOf(await foldJournal(runRecord(run, folders).journal), folders);
}

/** Of several undos of one run, each of a part of it, one that is in force says that the run is undone. */
export async function tipOf(first: RunState, folders: RunFolders): Promise<Tip> {
  const tips = await tipsOf(first, folders);
  return tips.find(({ isUndone }) => isUndone) ?? (tips[0] as Tip);
}

/** The tips of all undos of a run that changed something, the newest first; the run itself where there is none. */
async function tipsOf(first: RunState, folders: RunFolders): Promise<Tip[]> {
  const tips: Tip[] = [];
  for (const run of first.undoneBy.toReversed()) {
    if (isUnbegun(runRecord(run, folders))) continue;
    const state = await foldRun(run, folders).catch(() => undefined);
    // Of one whose record is gone, a change is taken for granted.
    if (!state) tips.push({ run, state, isUndone: true });
    else if (mayHaveChanged(state)) {
      const tip = await tipOf(state, folders);
      tips.push({ ...tip, isUndone: !tip.isUndone });
    }
  }
  return tips.length > 0 ? tips : [{ run: first.begin.run, state: first, isUndone: false }];
}

/** True of the runs of one profile, which are meant if none is named. */
export type IsOwn = (begin: BeginLine) => boolean;

/** The run that `undo` takes back where none is named: the newest change that is in force. An undo that was interrupted, or unseen, is continued. */
export async function nextToUndo(folders: RunFolders, isOwn: IsOwn): Promise<string | undefined> {
  for (const { run, begin } of ownRuns(folders, isOwn)) {
    if (begin.undoes !== undefined) continue;
    const state = await foldRun(run, folders);
    const [newest] = state && mayHaveChanged(state) ? await tipsOf(state, folders) : [];
    const target = newest && targetOfUndo(newest);
    if (target !== undefined) return target;
  }
  return undefined;
}

/** Of an undo that left links alone, or did not change them as they were to be, the rest can be taken back as well. */
export function isPartly({ state, isUndone: isBack }: Tip): boolean {
  return isBack && (state?.counts.get('failed') ?? 0) > 0;
}

/** Undefined where nothing is left to take back. */
export function targetOfUndo({ run, state, isUndone: isBack }: Tip): string | undefined {
  if (!isBack) return run;
  return state && !isOver(state) ? state.begin.undoes : undefined;
}

/** The undo that `redo` takes back where none is named: the newest that is in force. None where another change was made since. */
export async function nextToRedo(folders: RunFolders, isOwn: IsOwn): Promise<string | undefined> {
  for (const { run, begin } of ownRuns(folders, isOwn)) {
    const state = await foldRun(run, folders);
    if (!state || !mayHaveChanged(state) || (await isUndone(state, folders))) continue;
    if (begin.undoes === undefined) return undefined;
    if (directionOf(begin) === 'undo') return run;
    if (!isOver(state)) return begin.undoes;
  }
  return undefined;
}

/** An undo that is in force may be named instead of what it took back. */
export function isUndoInForce({ state, isUndone: isBack }: Tip): boolean {
  return !isBack && state !== undefined && directionOf(state.begin) === 'undo';
}

export function targetOfRedo({ run, state, isUndone: isBack }: Tip): string | undefined {
  if (isBack) return run;
  return state && !isOver(state) ? state.begin.undoes : undefined;
}

/** Undefined for a run that undoes no other. It does not depend on the record of the undone run, which may be deleted. */
export function directionOf({ undoes, direction, what }: BeginLine): UndoDirection | undefined {
  if (undoes === undefined) return undefined;
  // Earlier builds said it in the title alone, which they wrote themselves.
  return direction ?? (what?.startsWith('redo ') ? 'redo' : 'undo');
}

/** Newest first, without checks, which change nothing. */
function* ownRuns({ state }: RunFolders, isOwn: IsOwn): Generator<NamedRun & { readonly begin: BeginLine }> {
  for (const { run, begin } of newestRuns(state)) if (begin && begin.operation !== 'check' && isOwn(begin)) yield { run, begin };
}

type Account = Pick<Identity, 'server' | 'username' | 'profile'>;

/** On another account the same hashes are other links. `isReading`: nothing is changed, so a profile whose server has moved is the same account. */
export function assertSameAccount(begin: BeginLine, { server, username, profile }: Account, isReading = false): void {
  if (begin.server === server && begin.account === username) return;
  if (isReading && begin.profile === profile) return;
  throw new UsageError(`run ${begin.run} belongs to ${begin.account} on ${begin.server}, not to ${username} on ${server}`, {
    hint: begin.profile ? `add --profile ${begin.profile}` : 'select its profile with --profile',
  });
}

/** True of a run that is meant where a profile is in use and no run is named. Credentials that are no profile are those of their account. */
export function isOfProfile(begin: BeginLine, { server, username, profile }: Account): boolean {
  const isSameProfile = begin.profile === undefined || profile === undefined || begin.profile === profile;
  return begin.server === server && begin.account === username && isSameProfile;
}
