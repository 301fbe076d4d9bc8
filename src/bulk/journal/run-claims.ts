import { join } from 'node:path';
import { checksum } from '../../base/checksum.ts';
import type { System } from '../../base/system.ts';
import { acquireClaim, type Claim } from '../../files/claim-lock.ts';
import { keyOfRun, type RunFolders, type RunIdentity, removeRunFolder, runNames } from './run-folder.ts';

/** Milliseconds that a new run waits for another process; nothing is worth waiting for where a run is only to be deleted. */
const patience = 2000;

/**
 * Held while a run of this key is looked for, begun, or deleted: so two processes at the same moment do not both find nothing,
 * and none finds a run that is gone when it resumes it (D38). Taken before any other lock.
 */
export function claimBeginning(key: string, { locks }: RunFolders, system: System, wait = patience): Promise<Claim> {
  return claim(join(locks, `begin-${key}`), 'the start of this run', system, wait);
}

/** Held while a process works on the run (J4, F66). */
export function claimRun(name: string, { runs }: RunFolders, system: System, wait = patience): Promise<Claim> {
  return claim(join(runs, name, 'lock'), `run ${name}`, system, wait);
}

/** Held while an account is shortened for in checked mode, of which there is one at a time. */
export function claimAccount(
  { server, account, domain }: Pick<RunIdentity, 'server' | 'account' | 'domain'>,
  { locks }: RunFolders,
  system: System,
): Promise<Claim> {
  const sum = checksum(JSON.stringify([server, account, domain ?? null]));
  return claim(join(locks, `account-${sum}`), `shortening in checked mode for ${account}`, system, patience);
}

/** Deletes a run; false where there is none. Throws `LocalError` while another process has it or searches for it. */
export async function deleteRun(name: string, folders: RunFolders, system: System): Promise<boolean> {
  if (!runNames(folders).includes(name)) return false;
  const beginning = await claimBeginning(keyOfRun(name), folders, system, 0);
  try {
    if (!runNames(folders).includes(name)) return false;
    const work = await claimRun(name, folders, system, 0);
    try {
      removeRunFolder(name, folders, system);
    } finally {
      work.release();
    }
    return true;
  } finally {
    beginning.release();
  }
}

function claim(folder: string, guards: string, system: System, waitMilliseconds: number): Promise<Claim> {
  return acquireClaim({ folder, guards, waitMilliseconds }, system);
}
