import { messageOf, NotFoundError, UsageError } from '../base/errors.ts';
import { quoted } from '../base/quoted.ts';
import type { System } from '../base/system.ts';
import type { CheckStatus } from '../check/verdict.ts';
import { mayHaveChanged, type RunState } from './journal/journal-state.ts';
import { isWithheld } from './journal/line-reader.ts';
import { type BeginLine, changedStatuses } from './journal/lines.ts';
import { foldRun, readBegin } from './journal/run-folder.ts';
import { deleteRun } from './past-runs/deletion.ts';
import {
  byNewest,
  isRunOf,
  newestFirst,
  type RunFolders,
  runNames,
  runRecord,
  startTimeOf,
  titleOf,
} from './past-runs/run-names.ts';
import { type IsOwn, type OwnRun, undoerOf } from './past-runs/undo-chain.ts';
import type { RowStatus } from './results/row-outcome.ts';

/** A run as printed by `runs list` and `runs show`. */
export interface RunOverview {
  readonly run: string;
  /** `finished`: every row has its final status. `unreadable`: the system does not let the journal be read; `problem` says why. */
  readonly state: 'finished' | 'unfinished' | 'damaged' | 'unreadable';
  /** Undefined if the first line of the journal cannot be read. */
  readonly begin: BeginLine | undefined;
  readonly undoneBy?: string | undefined;
  readonly mayHaveChanged: boolean;
  /** Rows by status. A resumed run sends the `not_sent` rows. */
  readonly counts: Readonly<Partial<Record<RowStatus | CheckStatus, number>>>;
  /** The reason why the last process ended: `complete`, `quota`, `signal` …; absent if it was killed. */
  readonly lastEnd?: string | undefined;
  readonly problem?: string | undefined;
  readonly journal: string;
}

export function canBeUndone({ begin, mayHaveChanged, undoneBy }: RunOverview): boolean {
  return begin !== undefined && undoneBy === undefined && mayHaveChanged && isRevertible(begin);
}

/** Returns true if links of the run that can be undone may all have existed before it: `undo` deletes those only with `--force`. */
export function needsForce({ begin, counts: { created = 0, unknown = 0 } }: RunOverview): boolean {
  return begin?.operation === 'shorten' && !begin.undo && created + unknown === 0;
}

/** Returns true if the run kept before-images or created links. Reset counters cannot be restored. */
export function isRevertible({ operation, undo }: BeginLine): boolean {
  if (operation === 'reset' || operation === 'api') return false;
  return undo === true || operation === 'shorten';
}

/** Returns the newest run before the given one that satisfies `isOwn` and can be undone. */
export async function undoableBefore(
  folders: RunFolders,
  { run: last }: Pick<BeginLine, 'run'>,
  isOwn: IsOwn,
): Promise<OwnRun | undefined> {
  const runs = newestFirst(folders);
  const before = runs.slice(runs.findIndex(({ run }) => run === last) + 1);
  for (const { run, begin } of before) {
    if (!begin || begin.undoes !== undefined || !isOwn(begin)) continue;
    const found = await overview(run, folders);
    if (found && canBeUndone(found) && !needsForce(found)) return { run, begin };
  }
  return undefined;
}

/**
 * Accepts a run ID, an unambiguous prefix of one, or `last`: the newest run of the profile, or without one (null) of none, else of all. Throws
 * `NotFoundError`, or `UsageError` for an ambiguous prefix.
 */
export function resolveRun(folders: RunFolders, text: string, profile?: string | null): string {
  if (text === 'last') {
    const newest = newestFirst(folders).find((run) => isRunOf(profile, run));
    return newest?.run ?? noRun(text, profile ? `no run of profile "${profile}" is recorded yet` : 'no run is recorded yet');
  }
  if (runNames(folders).includes(text)) return text;
  // An empty variable in a script must not select a run.
  const [found, ...others] = text === '' ? [] : newestFirst(folders, (name) => name.startsWith(text));
  if (!found) return noRun(text);
  if (others.length === 0) return found.run;
  const shown = [found, ...others].slice(0, shownCandidates).map(({ run, begin }) => `${run}  ${begin ? titleOf(begin) : ''}`);
  throw new UsageError(`several run IDs begin with ${text}`, {
    details: others.length < shownCandidates ? shown : [...shown, 'and others'],
    hint: 'give a longer prefix',
  });
}

const shownCandidates = 5;

export async function listRuns(folders: RunFolders): Promise<RunOverview[]> {
  const overviews: RunOverview[] = [];
  for (const run of runNames(folders)) {
    const found = await overview(run, folders);
    if (found) overviews.push(found);
  }
  return inOrder(overviews);
}

/** Newest first. Of a run whose first line cannot be read, only the name shows when it began. */
function inOrder(overviews: readonly RunOverview[]): RunOverview[] {
  const sorted = overviews.filter(({ begin }) => begin !== undefined).sort(byNewest);
  for (const unread of overviews.filter(({ begin }) => begin === undefined)) {
    const next = sorted.findIndex(({ run }) => startTimeOf(run) <= startTimeOf(unread.run));
    sorted.splice(next < 0 ? sorted.length : next, 0, unread);
  }
  return sorted;
}

export async function showRun(folders: RunFolders, run: string): Promise<RunOverview> {
  return (await overview(run, folders)) ?? noRun(run);
}

/** Deletes the record of a run and leaves its links unchanged. Throws `LocalError` while another process uses the run. */
export async function forgetRun(folders: RunFolders, run: string, system: System): Promise<void> {
  if (!(await deleteRun(run, folders, system))) noRun(run);
}

export function noRun(run: string, message = `no run ${quoted(run)}`): never {
  throw new NotFoundError(message, { hint: 'linkctl runs list' });
}

/** Returns undefined if another process has deleted the run. */
async function overview(run: string, folders: RunFolders): Promise<RunOverview | undefined> {
  const record = runRecord(run, folders);
  const { journal } = record;
  try {
    const state = await foldRun(run, folders);
    if (!state) return undefined;
    const { begin, lastEnd, complete } = state;
    return {
      run,
      state: complete ? 'finished' : 'unfinished',
      begin,
      lastEnd,
      undoneBy: await undoerOf(state, folders),
      mayHaveChanged: mayHaveChanged(state),
      counts: countsOf(state),
      journal,
    };
  } catch (error) {
    const state = isWithheld(error) ? 'unreadable' : 'damaged';
    const begin = await readBegin(record).catch(() => undefined);
    return { run, state, begin, mayHaveChanged: false, counts: {}, problem: messageOf(error), journal };
  }
}

/** Returns how many rows changed something or may have: `2 created, 1 unknown`. */
export function changesOf(counts: RunOverview['counts']): string {
  const statuses = [...changedStatuses, 'unknown'] as const;
  return statuses.flatMap((status) => (counts[status] ? `${counts[status]} ${status}` : [])).join(', ');
}

export function countsOf({ counts }: RunState): RunOverview['counts'] {
  const reported: Partial<Record<RowStatus | CheckStatus, number>> = {};
  for (const [state, number] of counts) {
    const status = state === 'free' ? 'not_sent' : state === 'open' ? 'unknown' : state;
    reported[status] = (reported[status] ?? 0) + number;
  }
  return reported;
}
