import { isAbsolute } from 'node:path';
import { LocalError, UsageError } from '../../base/errors.ts';
import { foldJournal } from '../journal/fold.ts';
import { isUntouched, type RunState } from '../journal/journal-state.ts';
import type { BeginLine, RunIdentity } from '../journal/lines.ts';
import { claimRun, foldRun, readBegin, runKey } from '../journal/run-folder.ts';
import { type RunFolders, runFolders, runNames, runRecord } from '../past-runs/run-names.ts';
import { isUndone } from '../past-runs/undo-chain.ts';
import { runsOf } from '../past-runs/unfinished.ts';
import type { FoundRun, InputFile, RunBeginning, RunEnvironment } from '../run-plan.ts';
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
  { stateFolder, system }: RunEnvironment,
): Promise<FoundRun | undefined> {
  const folders = runFolders(stateFolder);
  const hasSameFlags = (begin: BeginLine): boolean => changedOptions(identity, begin).length === 0;
  const known = await runsOf(runKey(identity), folders, again, hasSameFlags);
  const { unfinished, undone } = known;
  // Throws if a run of this key is being undone: it must not be repeated meanwhile.
  for (const name of undone) (await claimRun(name, folders, system, 0)).release();
  if (unfinished.length === 0 && known.finished === undefined && !again && !fromArguments)
    await assertSameInput(identity, domain === undefined, folders);
  const begun = unfinished.find(({ state }) => !isUntouched(state));
  const finished = known.finished ?? unfinished.find(({ state }) => state.complete)?.name;
  if (input.snapshot && begun?.name !== input.snapshot.run) {
    throw identity.operation === 'check' ? otherCheck(begun?.name ?? input.snapshot.run) : startedElsewhere();
  }
  if (begun) {
    assertSameOptions(identity, begun.state.begin);
    return begun;
  }
  if (finished !== undefined && identity.operation === 'shorten' && !again && undoes === undefined) {
    const record = runRecord(finished, folders);
    const state = input.sendsSkipped ? await foldJournal(record.journal) : undefined;
    // The finished run is resumed to send the rows that it skipped.
    if (state?.counts.get('free')) {
      assertSameOptions(identity, state.begin);
      return { name: finished, record, state };
    }
    const begin = await readBegin(record);
    const changed = begin ? changedOptions(identity, begin) : [];
    const how = changed.length > 0 ? `, with other flags (${changed.join(', ')})` : '';
    throw new UsageError(`${input.name} was already completed by run ${finished}${how}`, {
      hint: `to run it again, add --again; to see the run: linkctl runs show ${finished}`,
    });
  }
  const isAlike = ({ begin }: RunState): boolean => hasSameFlags(begin) && (begin.undo ?? false) === undo;
  return unfinished.find(({ state }) => !state.complete && isAlike(state));
}

/** Throws `LocalError` for an unfinished run if its file or the default domain has changed since: it is unknown which rows are done. */
async function assertSameInput(identity: RunIdentity, onDefault: boolean, folders: RunFolders): Promise<void> {
  for (const name of runNames(folders)) {
    const record = runRecord(name, folders);
    const begin = record.isSmall ? undefined : await readBegin(record).catch(() => undefined);
    if (!begin || !isRelated(identity, begin, onDefault)) continue;
    // Not locked here: another process may delete it.
    const state = await foldRun(name, folders);
    if (!state || state.complete || isUntouched(state) || (await isUndone(state, folders))) continue;
    const { input } = identity;
    if (begin.input.sha256 === input.sha256) {
      throw new LocalError(`run ${name} of ${input.name} started on ${begin.domain}, which is no longer the default domain`, {
        hint: `to resume, add --domain ${begin.domain}, or set LINKCTL_DOMAIN if that is refused; to discard the run: linkctl runs forget ${name}`,
      });
    }
    throw new LocalError(`${fileOf(input)?.name} changed since the unfinished run ${name}`, {
      hint: `restore the old file and run the command again; to discard the run: linkctl runs forget ${name}`,
    });
  }
}

function isRelated({ operation, server, account, domain, input }: RunIdentity, begin: BeginLine, onDefault: boolean): boolean {
  if (begin.operation !== operation || begin.server !== server || begin.account !== account) return false;
  if (begin.domain !== domain) return onDefault && begin.input.sha256 === input.sha256;
  const [file, earlier] = [fileOf(input), fileOf(begin.input)];
  return file !== undefined && file.name === earlier?.name && file.sha256 !== earlier.sha256;
}

/** Returns the file that contains the rows or names their links. */
function fileOf(input: RunIdentity['input']): InputFile | undefined {
  return input.file ?? (isAbsolute(input.name) ? input : undefined);
}

function assertSameOptions(identity: RunIdentity, begin: BeginLine): void {
  const changed = changedOptions(identity, begin);
  if (changed.length === 0) return;
  throw new LocalError(`run ${begin.run} was started with other flags (${changed.join(', ')})`, {
    hint: `use the same flags again; to discard the run: linkctl runs forget ${begin.run}`,
  });
}
