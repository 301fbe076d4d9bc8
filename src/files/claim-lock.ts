import { closeSync, openSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { LocalError } from '../base/errors.ts';
import { shellWord } from '../base/shell-word.ts';
import type { System } from '../base/system.ts';
import { errorCode, fileError } from './file-error.ts';
import { makePrivateFolder } from './folders.ts';
import { isAlive, newMark, type ProcessMark, parseMark } from './process-mark.ts';

const prefix = 'claim.';

/** A lock that is held. It ends by `release`, or when its process is no more. */
export interface Claim {
  /** The file that shows it. */
  readonly path: string;
  release(): void;
}

export interface ClaimRequest {
  /** Where the claim files lie; one folder is one lock. Made when missing. */
  readonly folder: string;
  /** What the lock guards, for the message: `the configuration`. */
  readonly guards: string;
  /** 10,000 when absent; 0 tries once. */
  readonly waitMilliseconds?: number;
  /** The folder goes with the claim: there would be one for each run. */
  readonly isPassing?: boolean;
}

/**
 * Takes a lock between processes: makes a claim file, then checks who else has one. Two that see each other both step
 * back and try again after a random while, so never two hold it. Claims of dead processes are deleted, which cannot hit a live
 * one because names never repeat. Throws `LocalError` naming the holder when the wait is over.
 */
export async function acquireClaim(request: ClaimRequest, system: System): Promise<Claim> {
  const { folder, waitMilliseconds = 10_000, isPassing = false } = request;
  // Pauses are added up instead of asking the clock, which may be set back meanwhile.
  for (let waited = 0; ; ) {
    makePrivateFolder(folder);
    const holder = otherClaim(folder, undefined, system) ?? showClaim(folder, system);
    if (holder === undefined) continue;
    if ('release' in holder) return isPassing ? { path: holder.path, release: () => releaseWhole(holder, folder) } : holder;
    if (waited >= waitMilliseconds) throw heldError(request, holder, system);
    const pause = 5 + Math.floor(system.random() * 40);
    await system.sleep(pause);
    waited += pause;
  }
}

function releaseWhole(held: Claim, folder: string): void {
  held.release();
  try {
    rmdirSync(folder);
  } catch {
    // Another process waits for it, or has it.
  }
}

interface ForeignClaim {
  readonly name: string;
  readonly mark: ProcessMark;
}

/** Undefined where the folder went with the claim of another process. */
function showClaim(folder: string, system: System): Claim | ForeignClaim | undefined {
  const name = prefix + newMark(system);
  const path = join(folder, name);
  const release = (): void => rmSync(path, { force: true });
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

/** A live claim of somebody else. Dead ones are deleted on the way. */
function otherClaim(folder: string, ownName: string | undefined, system: System): ForeignClaim | undefined {
  let found: ForeignClaim | undefined;
  for (const name of claimNames(folder)) {
    const mark = name === ownName ? undefined : parseMark(name.slice(prefix.length));
    if (!mark) continue;
    if (isAlive(mark, system)) found ??= { name, mark };
    else rmSync(join(folder, name), { force: true });
  }
  return found;
}

function claimNames(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.startsWith(prefix));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw fileError('read the folder', folder, error);
  }
}

function heldError({ folder, guards }: ClaimRequest, { name, mark }: ForeignClaim, { platform }: System): LocalError {
  const path = join(folder, name);
  const removal = platform === 'win32' ? `del "${path}"` : `rm ${shellWord(path)}`;
  return new LocalError(`${guards} is in use by another linkctl (process ${mark.processId}); try again later`, {
    hint: `if no such process is running on any machine: ${removal}`,
  });
}
