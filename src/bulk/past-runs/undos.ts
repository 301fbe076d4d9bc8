import { countOf, doubtfulCount, isInDoubt, isSettled, mayHaveChanged, type RunState } from '../journal/journal-state.ts';
import { foldRun } from '../journal/run-folder.ts';
import { isUnwritten, newestFirst, type RunFolders, runRecord } from './run-names.ts';

/** A run that undoes another one, which may be an undo, too. */
interface Undo {
  readonly run: string;
  /** Undefined if the record is gone. The undo then counts as applied, but what it did is not known. */
  readonly state: RunState | undefined;
  /** It decided about everything that the other run has changed, and left nothing of it out. */
  readonly isWhole: boolean;
}

type UndoneRun = Pick<RunState, 'begin' | 'undoneBy' | 'outgrown'>;

/** Returns the undos of a run that changed something, oldest first. Without the record of the run, theirs name it. */
async function undosOf(run: string, undone: UndoneRun | undefined, folders: RunFolders): Promise<Undo[]> {
  const names =
    undone?.undoneBy ??
    newestFirst(folders)
      .flatMap((other) => (other.begin?.undoes === run ? other.run : []))
      .reverse();
  const undos: Undo[] = [];
  for (const undo of names) {
    if (isUnwritten(runRecord(undo, folders))) continue;
    const state = await stateOfUndo(undo, folders).catch((error: unknown): undefined => {
      if (!undone) throw error;
    });
    if (!(state ? mayHaveChanged(state) : undone)) continue;
    undos.push({ run: undo, state, isWhole: state !== undefined && !isPartly(state) && !undone?.outgrown.has(undo) });
  }
  return undos;
}

async function stateOfUndo(run: string, folders: RunFolders): Promise<RunState | undefined> {
  const state = await foldRun(run, folders);
  if (!state || doubtfulCount(state) === 0) return state;
  const { withoutUnsent } = await import('./sent-rows.ts');
  return await withoutUnsent(state, runRecord(run, folders));
}

/** An undo or redo in the chain that begins with a run. */
export interface Reversal extends Undo {
  /** The run that it undoes. */
  readonly undoes: string;
  /** It takes back what the first run did. Otherwise it does that again. */
  readonly isUndo: boolean;
  /** The number of the run, which it got when it began or was last resumed. */
  readonly resumed: number;
  /** Its position among the others. */
  readonly order: number;
}

/**
 * Returns the undos of a run, their redos and so on, in the order in which they decided. One that continued after it was undone is sorted
 * before its undo, so that its earlier work is not counted twice.
 */
export async function reversalsOf(run: UndoneRun, folders: RunFolders): Promise<Reversal[]> {
  const reversals = await reversalsFrom({ run: run.begin.run, state: run }, true, 0, folders);
  return reversals.sort((one, other) => one.order - other.order);
}

/** Returns those that nothing has undone. They decide whether the run is applied; each may have decided about some of its rows. */
export function endsOf(reversals: readonly Reversal[]): readonly Reversal[] {
  return reversals.filter(({ run }) => !reversals.some(({ undoes }) => undoes === run));
}

async function reversalsFrom(
  { run: undoes, state: undone }: { readonly run: string; readonly state: UndoneRun | undefined },
  isUndo: boolean,
  since: number,
  folders: RunFolders,
): Promise<Reversal[]> {
  const reversals: Reversal[] = [];
  for (const undo of await undosOf(undoes, undone, folders)) {
    const { state } = undo;
    const resumed = state?.begin.order ?? since;
    const later = await reversalsFrom(undo, !isUndo, resumed, folders);
    const between = later.filter(({ run }) => state?.outgrown.has(run));
    const order = Math.min(resumed, ...between.map((other) => other.order - 0.5));
    reversals.push({ ...undo, undoes, isUndo, resumed, order }, ...later);
  }
  return reversals;
}

/** Returns true if a row was certainly applied, or there was nothing to do. */
export function hasDone({ state }: Reversal, row: number): boolean {
  const rowState = state?.stateOf(row) ?? 'free';
  return isSettled(rowState) && rowState !== 'failed';
}

/** Returns true if a row may still be applied. */
export function isOpen({ state }: Reversal, row: number): boolean {
  return state !== undefined && isInDoubt(state.stateOf(row));
}

/** Returns true if a row was applied, perhaps only in part, or may be. */
export function mayHaveDone(reversal: Reversal, row: number): boolean {
  return hasDone(reversal, row) || isOpen(reversal, row) || reversal.state?.mayBePartlyApplied(row) === true;
}

/** Returns what followed the last undo that decided about everything that the run has changed. Without such an undo, returns all. */
export function sinceWhole(reversals: readonly Reversal[], run: string): { isUndone: boolean; later: readonly Reversal[] } {
  const whole = reversals.findLastIndex(({ isWhole, undoes }) => isWhole && undoes === run);
  return { isUndone: whole >= 0, later: reversals.slice(whole + 1) };
}

/** Returns true if an undo or redo left links or tags unchanged, or rows that may still be applied, or did not reach all rows. */
function isPartly(state: RunState): boolean {
  return !state.complete || state.kept > 0 || countOf(state, 'free', 'open', 'unknown', 'failed') > 0;
}
