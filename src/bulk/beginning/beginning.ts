import { existsSync } from 'node:fs';
import type { Claim } from '../../files/claim-lock.ts';
import { foldJournal } from '../journal/fold.ts';
import { type Journal, openJournal } from '../journal/journal.ts';
import { isUntouched } from '../journal/journal-state.ts';
import type { BegunRun } from '../journal/new-run.ts';
import { beginLine, beginSmallRecord, newRunName } from '../journal/new-run.ts';
import {
  claimAccount,
  claimBeginning,
  claimRecord,
  claimRun,
  createRunFolder,
  type RunIdentity,
  removeRunFolder,
  runKey,
} from '../journal/run-folder.ts';
import { discardRun } from '../records/deletion.ts';
import { type RunFolders, runFolders, runNames, runRecord, smallRecord } from '../records/run-names.ts';
import type { RunEnvironment } from '../run-plan.ts';
import { type FoundRun, findRun, meanwhile, type RunBeginning } from './found-run.ts';
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
  const { system, openJournalFile } = environment;
  const folders = runFolders(environment.stateFolder);
  const key = runKey(identity);
  const beginning = await claimBeginning(key, folders, system);
  const claims: Claim[] = [];
  let made: string | undefined;
  let journal: Journal | undefined;
  try {
    if (identity.mode === 'checked') claims.push(await claimAccount(identity, folders, system));
    // Nobody continues a run while it is taken back, and none is taken back while somebody works on it.
    if (plan.undoes !== undefined && runNames(folders).includes(plan.undoes)) {
      claims.push(await claimRun(plan.undoes, folders, system));
    }
    const alike = await findRun(identity, plan, environment);
    assertReplaceable(plan, alike?.state.begin);
    const isReplaced = alike !== undefined && isOutdated(alike, plan);
    if (isReplaced) await discardRun(alike.name, folders, system);
    const found = isReplaced ? undefined : alike;
    if (found && plan.input.carry) await renew(found.name, identity, plan, environment);
    const release = (): void => releaseAll(claims);
    if (!found && plan.fromArguments) {
      const begun = await beginSmall(identity, plan, environment, (claim) => claims.push(claim));
      made = begun.name;
      journal = begun.journal;
      return await start({ ...begun, release });
    }
    if (!found) made = await create(identity, plan, folders, environment);
    const name = found?.name ?? made ?? '';
    claims.push(await claimRun(name, folders, system));
    const record = runRecord(name, folders);
    const path = record.journal;
    // Folded once more under the lock: the process that had it may have worked on until now.
    const state = await foldJournal(path);
    journal = await openJournal(path, state.size, openJournalFile);
    return await start({ name, path, record, journal, state, resumed: found !== undefined, release });
  } catch (error) {
    await journal?.close();
    try {
      if (made !== undefined) removeRunFolder(made, folders, system);
    } catch {
      // It stays, as a run of which nothing was sent; why it was not begun matters more.
    }
    releaseAll(claims);
    throw error;
  } finally {
    beginning.release();
  }
}

/** A run of links that were typed. */
async function beginSmall(
  identity: RunIdentity,
  plan: RunBeginning,
  environment: RunEnvironment,
  hold: (claim: Claim) => void,
): Promise<Omit<BegunRun, 'release'>> {
  const { system } = environment;
  const folders = runFolders(environment.stateFolder);
  const name = newRunName(runKey(identity), system.now(), folders);
  const record = smallRecord(name, folders);
  hold(await claimRecord(name, record, system));
  if (existsSync(record.path)) throw meanwhile();
  return await beginSmallRecord(name, identity, plan, environment);
}

/** A selection that was read anew has other links than a run of it that was begun and sent nothing. */
function isOutdated({ state }: FoundRun, { input }: RunBeginning): boolean {
  return input.readAt !== undefined && isUntouched(state);
}

/** Gives an unfinished run the rows of now, and what it knows of them. Throws `LocalError` while another process works on it. */
async function renew(name: string, identity: RunIdentity, plan: RunBeginning, environment: RunEnvironment): Promise<void> {
  const { system, openJournalFile, stateFolder } = environment;
  const { carry, copyTo } = plan.input;
  const folders = runFolders(stateFolder);
  const record = runRecord(name, folders);
  const path = record.journal;
  const work = await claimRun(name, folders, system);
  try {
    // Under the lock: the process that had it may have worked on until now.
    const state = await foldJournal(path);
    const { at, order } = state.begin;
    const begin = { ...beginLine(name, identity, plan, environment), at, order };
    await createRunFolder(begin, folders, system, {
      copyInput: copyTo,
      openFile: openJournalFile,
      carry: (journal) => carry?.({ record, path, state }, journal) ?? Promise.resolve(),
    });
  } finally {
    work.release();
  }
}

async function create(
  identity: RunIdentity,
  plan: RunBeginning,
  folders: RunFolders,
  environment: RunEnvironment,
): Promise<string> {
  const { system, openJournalFile } = environment;
  const run = newRunName(runKey(identity), system.now(), folders);
  const begin = beginLine(run, identity, plan, environment);
  await createRunFolder(begin, folders, system, { copyInput: plan.input.copyTo, openFile: openJournalFile });
  return run;
}

function releaseAll(claims: readonly Claim[]): void {
  for (const held of claims) held.release();
}
