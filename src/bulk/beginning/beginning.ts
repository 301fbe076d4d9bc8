import { existsSync } from 'node:fs';
import type { Claim } from '../../files/claim-lock.ts';
import { foldJournal } from '../journal/fold.ts';
import { type Journal, openJournal } from '../journal/journal.ts';
import { isUntouched } from '../journal/journal-state.ts';
import type { RunIdentity } from '../journal/lines.ts';
import { type BegunRun, beginLine, beginSmallRecord, newRunName, nextOrder } from '../journal/new-run.ts';
import { claimAccount, claimKey, claimRun, foldRun, removeRunFolder, runKey } from '../journal/run-folder.ts';
import { discardRun } from '../past-runs/deletion.ts';
import { type RunFolders, runNames, runRecord } from '../past-runs/run-names.ts';
import type { FoundRun, RunBeginning, RunEnvironment } from '../run-plan.ts';
import { findRun, startedElsewhere } from './found-run.ts';
import { assertReplaceable } from './output-paths.ts';

/**
 * Resumes the unfinished run of the same input, account and domain, or begins a new one. Throws `UsageError` if that run is finished, and
 * `LocalError` if its input or flags changed, its journal is damaged, or another process holds it. If `start` throws, a new run is deleted
 * before its locks are released.
 */
export async function beginRun<Started>(
  identity: RunIdentity,
  plan: RunBeginning,
  environment: RunEnvironment,
  start: (begun: BegunRun) => Promise<Started>,
): Promise<Started> {
  const { system, openJournalFile, folders } = environment;
  const beginning = await claimKey(runKey(identity), folders, system);
  const claims: Claim[] = [];
  const hold = async (claim: Promise<Claim>): Promise<void> => void claims.push(await claim);
  const release = (): void => claims.forEach((claim) => void claim.release());
  let made: string | undefined;
  let journal: Journal | undefined;
  try {
    if (identity.mode === 'checked') await hold(claimAccount(identity, folders, system));
    // A run must not be resumed while it is undone, or undone while a process works on it.
    if (plan.undoes !== undefined && runNames(folders).includes(plan.undoes)) {
      await hold(claimRun(plan.undoes, folders, system));
      await assertAsPlanned(plan.undoes, plan, folders);
    }
    const found = await runToContinue(identity, plan, environment);
    const name = found?.name ?? newRunName(runKey(identity), system.now(), folders);
    if (!found && plan.fromArguments) {
      await hold(claimRun(name, folders, system));
      if (existsSync(runRecord(name, folders).path)) throw startedElsewhere();
      const begun = await beginSmallRecord(name, identity, plan, environment);
      made = name;
      journal = begun.journal;
      return await start({ ...begun, release });
    }
    if (found) await replaceRows(found.name, identity, plan, environment);
    else {
      const options = { copyInput: plan.input.copyTo, openFile: openJournalFile };
      const { createRunFolder } = await import('../journal/new-folder.ts');
      await createRunFolder(beginLine(name, identity, plan, environment), folders, system, options);
      made = name;
    }
    await hold(claimRun(name, folders, system));
    // Read again under the lock: another process may have worked on the run until now, or deleted its record because nothing was changed.
    const state = await foldRun(name, folders);
    if (!state) throw startedElsewhere();
    const record = runRecord(name, folders);
    journal = await openJournal(record.journal, state.size, openJournalFile);
    const order = found && !state.complete ? nextOrder(folders) : undefined;
    return await start({ name, record, journal, state, resumed: found !== undefined, order, release });
  } catch (error) {
    await journal?.close();
    try {
      if (made !== undefined) removeRunFolder(made, folders, system);
    } catch {
      // The run stays, as one that sent nothing. The original error matters more.
    }
    release();
    throw error;
  } finally {
    beginning.release();
  }
}

/** Throws `LocalError` if the run was resumed or undone after this undo of it was planned: its links are no longer as planned. */
async function assertAsPlanned(run: string, { undoneSize }: RunBeginning, folders: RunFolders): Promise<void> {
  const { size } = await foldJournal(runRecord(run, folders).journal);
  if (undoneSize !== undefined && size !== undoneSize) throw startedElsewhere();
}

/** Returns the run to resume, if any. Throws `UsageError` if `--results` or `--failed` would replace a file that the run did not write. */
export async function runToContinue(
  identity: RunIdentity,
  plan: RunBeginning,
  environment: RunEnvironment,
): Promise<FoundRun | undefined> {
  const found = await findRun(identity, plan, environment);
  assertReplaceable(plan, environment.system, found?.state.begin);
  // The selection was read again, so an earlier run that sent nothing has outdated links.
  const isOutdated = found && plan.input.readAt !== undefined && isUntouched(found.state);
  if (!isOutdated) return found;
  await discardRun(found.name, environment.folders, environment.system);
  return undefined;
}

/** If the rows were read again, replaces those of the unfinished run and carries over its results. */
async function replaceRows(name: string, identity: RunIdentity, plan: RunBeginning, environment: RunEnvironment): Promise<void> {
  const { system, openJournalFile: openFile, folders } = environment;
  const { copyResults, copyTo: copyInput } = plan.input;
  if (!copyResults) return;
  const record = runRecord(name, folders);
  const work = await claimRun(name, folders, system);
  try {
    // Read again under the lock: another process may have worked on the run until now.
    const state = await foldJournal(record.journal);
    const { at, order } = state.begin;
    const begin = { ...beginLine(name, identity, plan, environment), at, order };
    const write = (journal: Journal): Promise<void> => copyResults({ name, record, state }, journal);
    const { createRunFolder } = await import('../journal/new-folder.ts');
    await createRunFolder(begin, folders, system, { copyInput, openFile, copyResults: write });
  } finally {
    work.release();
  }
}
