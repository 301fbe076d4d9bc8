import { LocalError } from '../../base/errors.ts';
import { foldJournal } from '../journal/fold.ts';
import { isUntouched, type RunState } from '../journal/journal-state.ts';
import type { BeginLine, RunIdentity } from '../journal/lines.ts';
import { runKey } from '../journal/run-folder.ts';
import { assertIdle } from '../past-runs/later-lines.ts';
import { runRecord } from '../past-runs/run-names.ts';
import { runsOf } from '../past-runs/unfinished.ts';
import type { FoundRun, RunBeginning, RunEnvironment } from '../run-plan.ts';
import { changedOptions } from './given-flags.ts';

export function startedElsewhere(): LocalError {
  return new LocalError('another process has started or finished the same change; nothing was changed', {
    hint: 'run the same command again',
  });
}

/** Checks change nothing, but two checks of the same links would send every request twice. */
function otherCheck(run: string | undefined): LocalError {
  return new LocalError(`another process is checking these links: run ${run}`, {
    hint: 'when it has ended, run the same command again',
  });
}

/**
 * Returns the run to resume, if any. Journals decide, not timestamps: an unfinished run precedes a finished one, unless it applied nothing.
 * Throws `UsageError` for a finished shortening, whatever its flags: a repetition would create second links. Other operations may repeat.
 */
export async function findRun(
  identity: RunIdentity,
  { again, undoes, input, domain, fromArguments, undo = false }: RunBeginning,
  environment: RunEnvironment,
): Promise<FoundRun | undefined> {
  const { folders, system } = environment;
  const hasSameFlags = (begin: BeginLine): boolean => changedOptions(identity, begin).length === 0;
  const known = await runsOf(runKey(identity), folders, again, hasSameFlags);
  const { unfinished, undone } = known;
  // Throws if a run of this key is being undone: it must not be repeated meanwhile.
  for (const name of undone) await assertIdle(name, folders, system);
  if (unfinished.length === 0 && known.finished === undefined && !fromArguments) {
    const { assertNothingLeft } = await import('./left-runs.ts');
    await assertNothingLeft(identity, { again, input, onDefault: domain === undefined }, environment);
    if (!again) await (await import('./grown-file.ts')).assertNotGrown(identity, input, folders);
  }
  const begun = unfinished.find(({ state }) => !isUntouched(state));
  const finished = known.finished ?? unfinished.find(({ state }) => state.complete)?.name;
  const expected = input.snapshot ?? input.resumed;
  if (expected && begun?.name !== expected.run) {
    throw identity.operation === 'check' ? otherCheck(begun?.name ?? expected.run) : startedElsewhere();
  }
  if (begun) {
    await assertSameOptions(identity, begun.state, environment);
    await (await import('./left-runs.ts')).assertNotOvertaken(identity, begun.state, environment);
    return begun;
  }
  if (finished !== undefined && identity.operation === 'shorten' && !again && undoes === undefined) {
    const record = runRecord(finished, folders);
    const state = await foldJournal(record.journal);
    // The finished run is resumed to send the rows that it skipped.
    if (input.sendsSkipped && state.counts.get('free')) {
      await assertSameOptions(identity, state, environment);
      return { name: finished, record, state };
    }
    throw (await import('./left-runs.ts')).alreadyCompleted(identity, state);
  }
  const isAlike = ({ begin }: RunState): boolean => hasSameFlags(begin) && (begin.undo ?? false) === undo;
  return unfinished.find(({ state }) => !state.complete && isAlike(state));
}

async function assertSameOptions(identity: RunIdentity, state: RunState, { folders, system }: RunEnvironment): Promise<void> {
  const { begin } = state;
  const changed = changedOptions(identity, begin);
  if (changed.length === 0) return;
  // The advice is for a run that was left.
  await assertIdle(begin.run, folders, system);
  const { discardText } = await import('../past-runs/second-links.ts');
  throw new LocalError(`run ${begin.run} was started with other flags (${changed.join(', ')})`, {
    hint: `use the same flags again; ${discardText(state)}`,
  });
}
