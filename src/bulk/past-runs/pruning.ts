import { CliError } from '../../base/errors.ts';
import { grouped } from '../../base/group-by.ts';
import type { System } from '../../base/system.ts';
import { dayLength } from '../../base/times.ts';
import { foldRun, lastLine } from '../journal/run-folder.ts';
import { deleteRun } from './deletion.ts';
import { firstRuns } from './findings.ts';
import { isCrowded, type NamedRun, newestFirst, type RunFolders, runNames, runRecord, startTimeOf } from './run-names.ts';
import { isTrace } from './trace.ts';
import { type OwnRun, runInForce } from './undo-chain.ts';

/** Days for which the record of a finished run is kept. */
const keptDays = 30;
/** The newest records of typed links are kept. */
const keptSmall = 200;

/**
 * Deletes records of finished runs that are over 30 days older than a run of yesterday or before, and those of typed links except the newest.
 * A run, its undos and its redos need each other, so they go together: none goes while one of them stays. `spared` is about to be undone. If
 * an older change of the account stays, the newest deleted one of a profile leaves a trace, so that `undo` stops there. A record that cannot
 * be deleted is left for the next time.
 */
export async function pruneRuns(folders: RunFolders, system: System, spared?: string): Promise<void> {
  const starts = runNames(folders).map(startTimeOf);
  const today = provenTime(starts, system);
  // The start time in the name is enough for most: a run that started later is not old.
  if (!isCrowded(folders) && starts.every((start) => isRecent(start, today))) return;
  const records = newestFirst(folders).reverse();
  const mayGo = await deletable(records, folders, today);
  const accounts = new Set<string>();
  const traces = new Map<string, readonly NamedRun[]>();
  for (const chain of chainsOf(records)) {
    const changes = chain.filter(isChange);
    const account = accountOf(changes);
    const isToGo = chain.every(({ run }) => run !== spared && mayGo.has(run));
    const last = isToGo && accounts.has(account) ? await lastInForce(changes, folders) : undefined;
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

/** Returns when the newest run began that is at least a day old. By the clock alone, a night in a wrong year would delete every record. */
function provenTime(starts: readonly number[], { now }: Pick<System, 'now'>): number {
  const yesterday = now() - dayLength;
  return starts.reduce((latest, start) => (start <= yesterday ? Math.max(latest, start) : latest), 0);
}

function isRecent(time: number, today: number): boolean {
  return today - time < keptDays * dayLength;
}

/** Returns the runs whose records may go, as far as each is considered alone. `records` are sorted, oldest first. */
async function deletable(records: readonly NamedRun[], folders: RunFolders, today: number): Promise<ReadonlySet<string>> {
  const isSmall = ({ run }: NamedRun): boolean => runRecord(run, folders).isSmall;
  const small = isCrowded(folders) ? records.filter(isSmall).slice(0, -keptSmall) : [];
  const names = new Set(small.map(({ run }) => run));
  let latest = 0;
  for (const record of records) {
    const begun = startTimeOf(record.run);
    if (begun <= today) latest = Math.max(latest, begun);
    // A run is not older than one that began before it, although the clock may have been behind.
    const isLongAgo = !isRecent(Math.max(begun, latest), today);
    if (isLongAgo && !isSmall(record) && (await isOld(record, folders, today))) names.add(record.run);
  }
  return names;
}

/** Returns true for a finished run that ended long ago. A damaged record is kept. */
async function isOld({ run }: NamedRun, folders: RunFolders, today: number): Promise<boolean> {
  const last = await lastLine(runRecord(run, folders).journal).catch(() => undefined);
  if (!last || !('at' in last) || isRecent(Date.parse(last.at), today)) return false;
  const state = await foldRun(run, folders).catch(() => undefined);
  return state?.complete === true;
}

/** Groups each run with the runs that undo or redo it. */
function chainsOf(records: readonly NamedRun[]): Iterable<readonly NamedRun[]> {
  const firstOf = firstRuns(records);
  return grouped(records, ({ run }) => firstOf(run)).values();
}

function isChange(record: NamedRun): record is OwnRun {
  return record.begin !== undefined && record.begin.operation !== 'check';
}

function accountOf([change]: readonly OwnRun[]): string {
  return change ? JSON.stringify([change.begin.server, change.begin.account]) : '';
}

/** Returns the change of a chain that `undo` would revert. */
async function lastInForce(changes: readonly OwnRun[], folders: RunFolders): Promise<OwnRun | undefined> {
  for (const change of changes) {
    const target = await runInForce(change, folders, async () => true);
    if (target !== undefined) return changes.find(({ run }) => run === target);
  }
  return undefined;
}

/** Oldest first, so that what is left if this is interrupted shows which changes are in force. Returns false if a record could not be deleted. */
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
