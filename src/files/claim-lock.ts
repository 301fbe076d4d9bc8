import { closeSync, openSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { LocalError, orElse } from '../base/errors.ts';
import { shellWord } from '../base/quoted.ts';
import type { System } from '../base/system.ts';
import { errorCode, fileError, fileWork } from './file-error.ts';
import { makePrivateFolder, namesIn } from './folders.ts';
import { isAlive, newMark, type ProcessMark, parseMark } from './process-mark.ts';
import { removeFile } from './remove-file.ts';

const prefix = 'claim.';

/** Ends with `release`, or with the process. */
export interface Claim {
  /** The claim file. */
  readonly path: string;
  release(): void;
}

interface ClaimRequest {
  /** Contains the claim files: one folder is one lock. Created if missing. */
  readonly folder: string;
  /** Names the locked thing in messages: `the configuration`. */
  readonly guards: string;
  /** Default: 10,000. 0 tries once. */
  readonly waitMilliseconds?: number;
  /** Deletes the folder on release. Otherwise one would be left for each run. */
  readonly isPassing?: boolean;
}

/**
 * Takes a lock between processes: creates a claim file, then looks for the claims of others. Two processes that see each other both
 * withdraw and retry after a random delay, so that never two hold the lock. Claims of dead processes are deleted, which cannot hit a live
 * one because names never repeat. Throws a `LocalError` that names the holder when the time is up.
 */
export async function acquireClaim(request: ClaimRequest, system: System): Promise<Claim> {
  const { folder, waitMilliseconds = 10_000, isPassing = false } = request;
  // Adds up the delays because the clock may be set back meanwhile.
  for (let waited = 0; ; ) {
    makePrivateFolder(folder);
    const holder = otherClaim(folder, undefined, system) ?? createClaim(folder, system);
    if (holder === undefined) continue;
    if ('release' in holder) return isPassing ? { path: holder.path, release: () => releaseWithFolder(holder, folder) } : holder;
    if (waited >= waitMilliseconds) throw heldError(request, holder, system);
    const pause = 5 + Math.floor(system.random() * 40);
    await system.sleep(pause);
    waited += pause;
  }
}

function releaseWithFolder(held: Claim, folder: string): void {
  held.release();
  try {
    rmdirSync(folder);
  } catch {
    // Another process is waiting for the lock, or has it.
  }
}

interface ForeignClaim {
  readonly name: string;
  readonly mark: ProcessMark;
}

/** Returns undefined if another process has deleted the folder with its own claim. */
function createClaim(folder: string, system: System): Claim | ForeignClaim | undefined {
  const name = prefix + newMark(system);
  const path = join(folder, name);
  // What the lock guards is done. A claim that cannot be deleted ends with the process.
  const release = (): void => orElse(() => removeFile(path), undefined);
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw fileError('make', path, error);
  }
  try {
    const other = otherClaim(folder, name, system);
    if (!other) return { path, release };
    release();
    return other;
  } catch (error) {
    release();
    throw error;
  }
}

/** Deletes the claims of dead processes on the way. */
function otherClaim(folder: string, ownName: string | undefined, system: System): ForeignClaim | undefined {
  let found: ForeignClaim | undefined;
  for (const name of namesIn(folder)) {
    const mark = name === ownName || !name.startsWith(prefix) ? undefined : parseMark(name.slice(prefix.length));
    if (!mark) continue;
    if (isAlive(mark, system)) found ??= { name, mark };
    else fileWork('delete', join(folder, name), () => removeFile(join(folder, name)));
  }
  return found;
}

function heldError({ folder, guards }: ClaimRequest, { name, mark }: ForeignClaim, { platform }: System): LocalError {
  const path = join(folder, name);
  const removal = platform === 'win32' ? `del "${path}"` : `rm ${shellWord(path)}`;
  return new LocalError(`${guards} is in use by another linkctl (process ${mark.processId}); try again later`, {
    hint: `if no such process is running on any machine: ${removal}`,
  });
}
