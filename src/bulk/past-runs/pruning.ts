import { CliError } from '../../base/errors.ts';
import { grouped } from '../../base/group-by.ts';
import type { System } from '../../base/system.ts';
import { dayLength } from '../../base/times.ts';
import { foldRun, lastLine } from '../journal/run-folder.ts';
import { deleteRun } from './deletion.ts';
import { isCrowded, type NamedRun, newestFirst, type RunFolders, runNames, runRecord, startTimeOf } from './run-names.ts';
import { isTrace } from './trace.ts';
import { appliedChange, type OwnRun } from './undo-chain.ts';

/** How long the record of a finished run is kept. */
const keptTime = 30 * dayLength;
/** Time without a run counts as so much at most. So a clock that is years ahead for a night does not make every record old. */
const longestGap = 7 * dayLength;
/**
 * Of the records of typed links, so many of each account are kept, and so many of all that are over 30 days old: a script for one account must
 * not take undo away from another.
 */
const keptSmall = 200;

/**
 * Deletes records of runs that ended over 30 days ago, and those of typed links except the newest. A run, its undos and its redos need each
 * other, so they go together: none goes while one of them stays. `spared` is about to be undone. If an older change of the account stays,
 * the newest deleted one of a profile leaves a trace, so that `undo` stops there. A record that cannot be deleted is left for the next time.
 */
export async function pruneRuns(folders: RunFolders, system: System, spared?: string): Promise<void> {
  const starts = runNames(folders).map(startTimeOf);
  const ages = agesOf(starts, system);
  // The start time in the name is enough for most: a run that started later is not old.
  if (!isCrowded(folders) && starts.every((start) => isRecent(ages.get(start)))) return;
  const records = newestFirst(folders).reverse();
  const mayGo = await deletable(records, ages, folders, system);
  const accounts = new Set<string>();
  const traces = new Map<string, readonly NamedRun[]>();
  for (const chain of chainsOf(records)) {
    const changes = chain.filter(isChange);
    const account = accountOf(changes[0]);
    const isToGo = chain.every(({ run }) => run !== spared && mayGo.has(run));
    const last = isToGo && accounts.has(account) ? await lastApplied(changes, folders) : undefined;
    const isGone = isToGo && (await deleteAll(chain, last?.run, folders, system));
    if (!isGone) accounts.add(account);
    else if (last) {
      const profile = `${account} ${last.begin.profile}`;
      const earlier = traces.get(profile);
      if (earlier !== undefined) await deleteAll(earlier, undefined, folders, system);
      traces.set(profile, [last]);
    }
  }
}

/** Returns the ages of runs by their start, in milliseconds; none for a start that is in the future. */
function agesOf(starts: readonly number[], { now }: Pick<System, 'now'>): ReadonlyMap<number, number> {
  const ages = new Map<number, number>();
  let [later, age] = [now(), 0];
  for (const start of starts.filter((each) => each <= later).toSorted((one, other) => other - one)) {
    age += Math.min(later - start, longestGap);
    ages.set(start, age);
    later = start;
  }
  return ages;
}

function isRecent(age = 0): boolean {
  return age < keptTime;
}

/** Returns the runs whose records may go, as far as each is considered alone. `records` are sorted, oldest first. */
async function deletable(
  records: readonly NamedRun[],
  ages: ReadonlyMap<number, number>,
  folders: RunFolders,
  system: System,
): Promise<ReadonlySet<string>> {
  const small = records.filter(({ run }) => runRecord(run, folders).isSmall);
  const ofAccounts = isCrowded(folders) ? [...grouped(small, accountOf).values()] : [];
  const names = new Set(ofAccounts.flatMap(allButNewest));
  // Else accounts that are no longer used would keep theirs for ever.
  const surplus = new Set(allButNewest(small));
  const smallNames = new Set(small.map(({ run }) => run));
  let latest = 0;
  for (const record of records) {
    const begun = startTimeOf(record.run);
    if (ages.has(begun)) latest = Math.max(latest, begun);
    // A run is not older than one that began before it, although the clock may have been behind.
    const isLongAgo = !isRecent(ages.get(Math.max(begun, latest)));
    if (!isLongAgo) continue;
    const mayGo = smallNames.has(record.run) ? surplus.has(record.run) : await isOld(record, folders, system);
    if (mayGo) names.add(record.run);
  }
  return names;
}

function allButNewest(small: readonly NamedRun[]): string[] {
  return small.slice(0, -keptSmall).map(({ run }) => run);
}

/** Returns true for a finished run that ended long ago. A damaged record is kept. */
async function isOld({ run }: NamedRun, folders: RunFolders, { now }: System): Promise<boolean> {
  const last = await lastLine(runRecord(run, folders).journal).catch(() => undefined);
  if (!last || !('at' in last) || isRecent(now() - Date.parse(last.at))) return false;
  const state = await foldRun(run, folders).catch(() => undefined);
  return state?.complete === true;
}

/** Groups each run with the runs that undo or redo it. */
function chainsOf(records: readonly NamedRun[]): Iterable<readonly NamedRun[]> {
  const undoes = new Map(records.map(({ run, begin }) => [run, begin?.undoes]));
  const firstOf = (run: string): string => {
    const earlier = undoes.get(run);
    return earlier === undefined ? run : firstOf(earlier);
  };
  return grouped(records, ({ run }) => firstOf(run)).values();
}

function isChange(record: NamedRun): record is OwnRun {
  return record.begin !== undefined && record.begin.operation !== 'check';
}

function accountOf({ begin }: Partial<NamedRun> = {}): string {
  return begin ? JSON.stringify([begin.server, begin.account]) : '';
}

/** Returns the change of a chain that `undo` would revert. */
async function lastApplied(changes: readonly OwnRun[], folders: RunFolders): Promise<OwnRun | undefined> {
  for (const change of changes) {
    const target = await appliedChange(change, folders, async () => true);
    if (target) return changes.find(({ run }) => run === target.run);
  }
  return undefined;
}

/** Oldest first: if this is interrupted, the remaining records still show which changes apply. Returns false if a record could not be deleted. */
async function deleteAll(
  chain: readonly NamedRun[],
  trace: string | undefined,
  folders: RunFolders,
  system: System,
): Promise<boolean> {
  try {
    for (const { run, begin } of chain) {
      if (run !== trace) await deleteRun(run, folders, system);
      else if (begin && !isTrace(begin)) await deleteRun(run, folders, system, true);
    }
    return true;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return false;
  }
}
