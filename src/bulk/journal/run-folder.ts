import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checksum } from '../../base/checksum.ts';
import { NotFoundError } from '../../base/errors.ts';
import type { System } from '../../base/system.ts';
import { acquireClaim, type Claim } from '../../files/claim-lock.ts';
import { errorCode, fileWork } from '../../files/file-error.ts';
import { type MarkSystem, newMark } from '../../files/process-mark.ts';
import { rename } from '../../files/rename.ts';
import { longestEnd, type RunFolders, type RunRecord, runRecord } from '../past-runs/run-names.ts';
import { foldJournal } from './fold.ts';
import type { RunState } from './journal-state.ts';
import { openToRead, readJournal } from './line-reader.ts';
import { type BeginLine, decodeLine, type JournalLine, type RunIdentity } from './lines.ts';

/** Command lines with equal keys mean the same run: an unfinished run is found by its key. */
export function runKey({ operation, server, account, domain, input }: Omit<RunIdentity, 'options' | 'mode'>): string {
  return checksum(JSON.stringify([operation, server, account, domain ?? null, input.sha256])).slice(0, 8);
}

export function keyOfRun(name: string): string {
  return name.split('-')[2] ?? '';
}

/** Removes a run atomically, so that no process sees a part of it. The caller holds the lock of `claimKey`. */
export function removeRunFolder(name: string, folders: RunFolders, system: MarkSystem): void {
  const { isSmall, path } = runRecord(name, folders);
  const draft = draftFolder(folders, system);
  fileWork('delete', path, () => {
    if (!isSmall) rename(path, draft, system);
    rmSync(isSmall ? path : draft, { recursive: true, force: true });
  });
}

export function draftFolder({ runs }: RunFolders, system: MarkSystem): string {
  return join(runs, `.${newMark(system)}.draft`);
}

/** Folds a run's journal. Returns undefined if another process has deleted the run meanwhile, and reads it again if it was replaced. */
export async function foldRun(name: string, folders: RunFolders): Promise<RunState | undefined> {
  try {
    return await foldJournal(runRecord(name, folders).journal);
  } catch (error) {
    const { path, journal } = runRecord(name, folders);
    if (!existsSync(path)) return undefined;
    if (error instanceof Error && errorCode(error.cause) === 'ENOENT' && existsSync(journal)) return await foldRun(name, folders);
    throw error;
  }
}

/** Like `foldRun`, to undo or redo the run. Throws `NotFoundError` if its record is gone. */
export async function foldKeptRun(name: string, folders: RunFolders): Promise<RunState> {
  const state = await foldRun(name, folders);
  if (state) return state;
  throw new NotFoundError(`the record of run ${name} is gone: it can be neither undone nor redone`, { hint: 'linkctl runs' });
}

/** Reads only the first line. Throws `LocalError` if it is damaged. */
export async function readBegin({ journal }: RunRecord): Promise<BeginLine | undefined> {
  for await (const { line } of readJournal(journal)) return line.type === 'begin' ? line : undefined;
  return undefined;
}

/** Returns undefined if the last line is torn or longer than `longestEnd`. Avoids reading a whole journal to learn how its run ended. */
export async function lastLine(journal: string): Promise<JournalLine | undefined> {
  const file = await openToRead(journal);
  try {
    const size = await file.size();
    const length = Math.min(size, longestEnd);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), length, size - length);
    return decodeLine(buffer.toString('utf8', 0, bytesRead).split('\n').at(-2) ?? '');
  } finally {
    await file.close();
  }
}

/** Milliseconds that a new run waits for another process. Deletions do not wait. */
const defaultWait = 2000;

/** Held while a run of this key is searched for, started or deleted, so that only one process can start it. Acquired before other locks. */
export function claimKey(key: string, { locks }: RunFolders, system: System, wait = defaultWait): Promise<Claim> {
  const folder = join(locks, `begin-${key}`);
  return acquireClaim({ folder, guards: 'the start of this run', waitMilliseconds: wait, isPassing: true }, system);
}

/** A run without a record gets the lock of a one-file record. */
export function claimRun(name: string, folders: RunFolders, system: System, wait = defaultWait): Promise<Claim> {
  const { lock, isSmall } = runRecord(name, folders);
  return acquireClaim({ folder: lock, guards: `run ${name}`, waitMilliseconds: wait, isPassing: isSmall }, system);
}

export function claimAccount({ server, account, domain }: RunIdentity, { locks }: RunFolders, system: System): Promise<Claim> {
  const folder = join(locks, `account-${checksum(JSON.stringify([server, account, domain ?? null]))}`);
  const guards = `shortening in checked mode for ${account}`;
  return acquireClaim({ folder, guards, waitMilliseconds: defaultWait }, system);
}
