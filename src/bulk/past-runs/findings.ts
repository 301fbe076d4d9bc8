import { isFinding } from '../journal/journal-state.ts';
import type { BeginLine } from '../journal/lines.ts';
import { type NamedRun, newestFirst, type RunFolders } from './run-names.ts';

/**
 * Returns a function that says whether what an undo or redo found as it should be may be otherwise by now: a change that was made between it
 * and the run that it undoes has been undone since, so links may again be as that run left them.
 */
export function outdatedIn(folders: RunFolders): (undo: BeginLine) => boolean {
  let read: readonly NamedRun[] | undefined;
  return ({ run, undoes, server, account }) => {
    read ??= newestFirst(folders);
    const all = read.filter(({ begin }) => begin?.server === server && begin.account === account);
    const [now, then] = [all.findIndex((one) => one.run === run), all.findIndex((one) => one.run === undoes)];
    if (now < 0 || then < 0) return false;
    const between = new Set(all.slice(now + 1, then).map((one) => one.run));
    const firstOf = firstRuns(all);
    // In its own chain, the records show for each link which run decided last.
    const isOther = (later: string): boolean => firstOf(later) !== firstOf(run);
    return all
      .slice(0, now)
      .some(({ run: later, begin }) => begin?.undoes && between.has(begin.undoes) && isOther(later) && !isFinding(begin));
  };
}

/** Returns a function from a run to the one with which its chain of undos and redos begins. */
export function firstRuns(all: readonly NamedRun[]): (run: string) => string {
  const undoes = new Map(all.map(({ run, begin }) => [run, begin?.undoes]));
  const firstOf = (run: string): string => {
    const earlier = undoes.get(run);
    return earlier === undefined ? run : firstOf(earlier);
  };
  return firstOf;
}
