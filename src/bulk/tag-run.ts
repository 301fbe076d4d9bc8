import { checksum } from '../base/checksum.ts';
import { CliError } from '../base/errors.ts';
import { isoTime } from '../base/times.ts';
import { isOneOf } from '../client/account-tags.ts';
import { beginRun } from './beginning/beginning.ts';
import { tagsInDoubt } from './journal/journal-state.ts';
import type { BeginLine, RunIdentity } from './journal/lines.ts';
import { identityOf } from './journal/new-run.ts';
import { removeRunFolder } from './journal/run-folder.ts';
import type { DoneRun } from './past-runs/done-run.ts';
import { recordResumed, recordUndone } from './past-runs/later-lines.ts';
import { isCrowded } from './past-runs/run-names.ts';
import type { Reversal } from './past-runs/undos.ts';
import { unfinishedRuns } from './past-runs/unfinished.ts';
import { endReason } from './results/row-outcome.ts';
import type { RunBeginning, RunEnvironment, Surroundings } from './run-plan.ts';

export interface TagChange {
  readonly rename?: { readonly from: string; readonly to: string };
  readonly add?: readonly string[];
  /** Deleted once no link has them. */
  readonly delete?: readonly string[];
}

/** Reads the change from the record of a run. It is empty if the run changed no tags. */
export function tagChangeOf({ options: { tags } }: Pick<BeginLine, 'options'>): TagChange {
  if (typeof tags !== 'object' || tags === null) return {};
  const change: { rename?: unknown; add?: unknown; delete?: unknown } = tags;
  const { from, to } = Object(change.rename);
  return {
    ...(typeof from === 'string' && typeof to === 'string' && { rename: { from, to } }),
    ...(textsOf(change.add).length > 0 && { add: textsOf(change.add) }),
    ...(textsOf(change.delete).length > 0 && { delete: textsOf(change.delete) }),
  };
}

type TagsInDoubt = Pick<DoneRun, 'begin' | 'tagsInDoubt'>;

/** Returns the tags of a run that a call without an answer may still change: no undo has found that it was applied. */
export function openTags({ begin, tagsInDoubt: { added, deleted } }: TagsInDoubt, reversals: readonly Reversal[]): string[] {
  const change = tagChangeOf(begin);
  const first = [...(change.add ?? []), ...(change.rename ? [change.rename.to] : [])];
  const open = [...(added ? first : []), ...(deleted ? (change.delete ?? []) : [])];
  const undone = reversals.flatMap(({ undoes, state }) => (undoes === begin.run && state ? tagChangeOf(state.begin) : []));
  const isSeen = isOneOf(undone.flatMap(labelsOfChange));
  return open.filter((label) => !isSeen(label));
}

/** Returns the labels that a change is about; a renamed tag has its old one. */
export function labelsOfChange({ rename, add = [], delete: deleted = [] }: TagChange): string[] {
  return [...(rename ? [rename.from] : []), ...add, ...deleted];
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

export interface TagRun extends Pick<RunBeginning, 'profile' | 'undoes' | 'undoneSize' | 'direction'> {
  /** The command as shown in messages: `tags rename promo promotion`. */
  readonly what: string;
  readonly change: TagChange;
  /** `tags` by default; for an undo that found all links as they should be, its own. */
  readonly operation?: BeginLine['operation'];
}

interface TagWork<Result> {
  /** `mayBeDone`: an earlier process may have made the change. */
  act(mayBeDone: boolean): Promise<Result>;
  /** A change that is refused before it has begun leaves no record. */
  isBegun?(): boolean;
  /** True if the error proves that there is nothing to undo, so that the record of an earlier process is deleted, too. */
  leavesNothing?(error: unknown): boolean;
  /** Returns the number of tags that were left unchanged. */
  kept?(): number;
}

/** Changes tags as a run. Returns its name. */
export async function recordTagRun<Result>(
  { what, change, operation, profile, undoes, undoneSize, direction }: TagRun,
  environment: RunEnvironment,
  { act, isBegun, leavesNothing, kept }: TagWork<Result>,
): Promise<{ run: string; result: Result }> {
  const { system, folders } = environment;
  if (isCrowded(folders)) await (await import('./past-runs/pruning.ts')).pruneRuns(folders, system, undoes);
  const identity = tagIdentity({ what, change, operation, undoes }, environment);
  const input = { ...identity.input, open: () => [], copyTo: async () => undefined };
  const beginning = { input, what, profile, undoes, undoneSize, direction, undo: true, fromArguments: true };
  const done = await beginRun(identity, beginning, environment, async (begun) => {
    const { name, journal, state, resumed, order, release } = begun;
    await recordResumed(begun, system);
    await journal.write({ type: 'intent', batch: 1, rows: [], payload: identity.input.sha256 });
    const recordAsUndo = async (withdrawn?: true): Promise<void> => {
      if (undoes !== undefined) await recordUndone({ undoes, by: name, withdrawn }, folders, system);
    };
    await recordAsUndo();
    const made = await act(resumed).then(
      (result) => ({ run: name, result }),
      async (error: unknown) => {
        const reason = error instanceof CliError ? endReason({ kind: 'error', error }) : 'unknown';
        const isOpen = resumed && tagsInDoubt(state).deleted;
        // A change that may have been applied keeps its record, so that the same command completes it.
        if (isBegun?.() || (error instanceof CliError && error.kind === 'unknown'))
          return { error, reason: isOpen ? 'unknown' : reason };
        const isOver = resumed && leavesNothing?.(error);
        if (!resumed || isOver) await recordAsUndo(true);
        if (isOver) {
          await journal.close();
          removeRunFolder(name, folders, system);
        }
        throw error;
      },
    );
    const at = isoTime(system.now());
    const end = { type: 'end', reason: 'error' in made ? made.reason : 'complete', kept: kept?.(), at, order } as const;
    // Without an end line, the same command resumes the run and checks the outcome.
    const failure = await journal.write(end).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    await journal.close();
    release();
    return failure ?? made;
  });
  if ('error' in done) throw done.error;
  return done;
}

/** The typed command identifies the run, because its change is decided only once, when it starts. */
function tagIdentity({ what, change, operation = 'tags', undoes }: TagRun, { client }: Surroundings): RunIdentity {
  const input = { name: operation === 'tags' ? 'tags' : what, sha256: checksum(JSON.stringify([what, undoes])), rows: 0 };
  return identityOf(client, { operation, input, options: { tags: tagChangeOf({ options: { tags: change } }), undoes } });
}

/** Returns the change of the unfinished run of the same command. It may have been applied. */
export async function unfinishedTags(run: Omit<TagRun, 'change'>, environment: RunEnvironment): Promise<TagChange | undefined> {
  const { operation, input } = tagIdentity({ ...run, change: {} }, environment);
  const [found] = await unfinishedRuns({ operation, sha256: input.sha256 }, environment);
  return found && tagChangeOf(found.state.begin);
}
