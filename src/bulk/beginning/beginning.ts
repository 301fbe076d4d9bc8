import { existsSync } from 'node:fs';
import type { Claim } from '../../files/claim-lock.ts';
import { foldJournal } from '../journal/fold.ts';
import { type Journal, openJournal } from '../journal/journal.ts';
import { isUntouched } from '../journal/journal-state.ts';
import type { RunIdentity } from '../journal/lines.ts';
import { type BegunRun, beginLine, beginSmallRecord, newRunName } from '../journal/new-run.ts';
import {
  claimAccount,
  claimBeginning,
  claimRecord,
  claimRun,
  createRunFolder,
  removeRunFolder,
  runKey,
} from '../journal/run-folder.ts';
import { discardRun } from '../past-runs/deletion.ts';
import { runFolders, runNames, runRecord, smallRecord } from '../past-runs/run-names.ts';
import type { FoundRun } from '../past-runs/unfinished.ts';
import type { RunEnvironment } from '../run-plan.ts';
import { findRun, meanwhile, type RunBeginning } from './found-run.ts';
import { assertReplaceable } from './output-paths.ts';

/**
 * Finds the unfinished run of the same input, account and domain, or begins a new one. Throws `UsageError` for one that is
 * finished, and `LocalError` where it is not the same run any more, is damaged, or another process is at it. Where
 * `start` throws, a new run is gone before its locks are.
 */
export async function beginRun<Started>(
  identity: RunIdentity,
  plan: RunBeginning,
  environment: RunEnvironment,
  start: (begun: BegunRun) => Promise<Started>,
): Promise<Started> {
  const { system, openJournalFile, stateFolder } = environment;
  const folders = runFolders(stateFolder);
  const beginning = await claimBeginning(runKey(identity), folders, system);
  const claims: Claim[] = [];
  const hold = async (claim: Promise<Claim>): Promise<void> => void claims.push(await claim);
  const release = (): void => claims.forEach((claim) => void claim.release());
  let made: string | undefined;
  let journal: Journal | undefined;
  try {
    if (identity.mode === 'checked') await hold(claimAccount(identity, folders, system));
    // Nobody continues a run while it is taken back, and none is taken back while somebody works on it.
    if (plan.undoes !== undefined && runNames(folders).includes(plan.undoes)) await hold(claimRun(plan.undoes, folders, system));
    const found = await runToContinue(identity, plan, environment);
    const name = found?.name ?? newRunName(runKey(identity), system.now(), folders);
    if (!found && plan.fromArguments) {
      const record = smallRecord(name, folders);
      await hold(claimRecord(name, record, system));
      if (existsSync(record.path)) throw meanwhile();
      const begun = await beginSmallRecord(name, identity, plan, environment);
      made = name;
      journal = begun.journal;
      return await start({ ...begun, release });
    }
    if (found) await renew(found.name, identity, plan, environment);
    else {
      const options = { copyInput: plan.input.copyTo, openFile: openJournalFile };
      await createRunFolder(beginLine(name, identity, plan, environment), folders, system, options);
      made = name;
    }
    await hold(claimRun(name, folders, system));
    const record = runRecord(name, folders);
    // Folded once more under the lock: the process that had it may have worked on until now.
    const state = await foldJournal(record.journal);
    journal = await openJournal(record.journal, state.size, openJournalFile);
    return await start({ name, record, journal, state, resumed: found !== undefined, release });
  } catch (error) {
    await journal?.close();
    try {
      if (made !== undefined) removeRunFolder(made, folders, system);
    } catch {
      // It stays, as a run of which nothing was sent; why it was not begun matters more.
    }
    release();
    throw error;
  } finally {
    beginning.release();
  }
}

/** The unfinished run of the same command, if there is one. Throws if a file of the run would replace one that is not its own. */
async function runToContinue(
  identity: RunIdentity,
  plan: RunBeginning,
  environment: RunEnvironment,
): Promise<FoundRun | undefined> {
  const found = await findRun(identity, plan, environment);
  assertReplaceable(plan, found?.state.begin);
  // A selection that was read anew has other links than a run of it that was begun and sent nothing.
  const isOutdated = found && plan.input.readAt !== undefined && isUntouched(found.state);
  if (!isOutdated) return found;
  await discardRun(found.name, runFolders(environment.stateFolder), environment.system);
  return undefined;
}

/** Gives an unfinished run the rows of now, where they were read anew, and what it knows of them. */
async function renew(name: string, identity: RunIdentity, plan: RunBeginning, environment: RunEnvironment): Promise<void> {
  const { system, openJournalFile: openFile, stateFolder } = environment;
  const { carry, copyTo: copyInput } = plan.input;
  if (!carry) return;
  const folders = runFolders(stateFolder);
  const record = runRecord(name, folders);
  const work = await claimRun(name, folders, system);
  try {
    // Under the lock: the process that had it may have worked on until now.
    const state = await foldJournal(record.journal);
    const { at, order } = state.begin;
    const begin = { ...beginLine(name, identity, plan, environment), at, order };
    const write = (journal: Journal): Promise<void> => carry({ record, state }, journal);
    await createRunFolder(begin, folders, system, { copyInput, openFile, carry: write });
  } finally {
    work.release();
  }
}
