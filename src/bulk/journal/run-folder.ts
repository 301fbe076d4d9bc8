import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checksum } from '../../base/checksum.ts';
import type { System } from '../../base/system.ts';
import { acquireClaim, type Claim } from '../../files/claim-lock.ts';
import { fileError } from '../../files/file-error.ts';
import { makePrivateFolder, syncFolder, syncFoldersUpFrom } from '../../files/folders.ts';
import { isAlive, type MarkSystem, newMark, parseMark } from '../../files/process-mark.ts';
import { rename } from '../../files/rename.ts';
import { inputName, journalName, type RunFolders, type RunRecord, runNames, runRecord } from '../past-runs/run-names.ts';
import { foldJournal } from './fold.ts';
import { type Journal, type OpenJournalFile, openJournal } from './journal.ts';
import type { RunState } from './journal-state.ts';
import { openToRead, readJournal } from './line-reader.ts';
import { type BeginLine, decodeLine, type JournalLine, type RunIdentity } from './lines.ts';

/** Two command lines with the same key are the same run: a resumed one is found by it. */
export function runKey({ operation, server, account, domain, input }: Omit<RunIdentity, 'options' | 'mode'>): string {
  return checksum(JSON.stringify([operation, server, account, domain ?? null, input.sha256])).slice(0, 8);
}

export function keyOfRun(name: string): string {
  return name.split('-')[2] ?? '';
}

interface FolderOptions {
  /** Writes what came through a pipe, which is kept with the run. */
  readonly copyInput?: ((path: string) => Promise<void>) | undefined;
  readonly openFile?: OpenJournalFile | undefined;
  /** Writes further lines into the new journal, which then takes the place of a run of this name. */
  readonly carry?: ((journal: Journal) => Promise<void>) | undefined;
}

/** Makes a run's folder, which gets its name only when all of it is on the disk: a journal without a beginning is a damaged one. */
export async function createRunFolder(
  begin: BeginLine,
  folders: RunFolders,
  system: MarkSystem,
  { copyInput, openFile, carry }: FolderOptions = {},
): Promise<void> {
  const { runs } = folders;
  const draft = draftFolder(folders, system);
  try {
    makePrivateFolder(draft);
    removeDeadDrafts(runs, system);
    await copyInput?.(join(draft, inputName));
    const journal = await openJournal(join(draft, journalName), 0, openFile);
    const write = async (): Promise<void> => {
      await journal.write(begin);
      await carry?.(journal);
    };
    await write().finally(() => journal.close());
    syncFolder(draft, system);
    if (carry) removeRunFolder(begin.run, folders, system);
    const isFirst = runNames(folders).length === 0;
    rename(draft, join(runs, begin.run), system);
    if (isFirst) syncFoldersUpFrom(runs, system);
    else syncFolder(runs, system);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw fileError('make', join(runs, begin.run), error);
  }
}

/** Takes a run away in one step, so that nobody meets half of it. Whoever calls holds the lock of its beginning. */
export function removeRunFolder(name: string, folders: RunFolders, system: MarkSystem): void {
  const { isSmall, path } = runRecord(name, folders);
  const draft = draftFolder(folders, system);
  try {
    if (!isSmall) rename(path, draft, system);
    rmSync(isSmall ? path : draft, { recursive: true, force: true });
  } catch (error) {
    throw fileError('delete', path, error);
  }
}

function draftFolder({ runs }: RunFolders, system: MarkSystem): string {
  return join(runs, `.${newMark(system)}.draft`);
}

/** Folds a run's journal; undefined where another process has deleted the run meanwhile. */
export async function foldRun(name: string, folders: RunFolders): Promise<RunState | undefined> {
  const record = runRecord(name, folders);
  try {
    return await foldJournal(record.journal);
  } catch (error) {
    if (existsSync(record.path)) throw error;
    return undefined;
  }
}

/** A process that was killed may have left an input behind that belongs to no run. */
function removeDeadDrafts(runs: string, system: MarkSystem): void {
  for (const name of readdirSync(runs)) {
    const mark = parseMark(/^\.(.+)\.draft$/.exec(name)?.[1] ?? '');
    if (mark && !isAlive(mark, system)) rmSync(join(runs, name), { recursive: true, force: true });
  }
}

/** The first line alone; throws `LocalError` where it is damaged. */
export async function readBegin({ journal }: Pick<RunRecord, 'journal'>): Promise<BeginLine | undefined> {
  for await (const { line } of readJournal(journal)) return line.type === 'begin' ? line : undefined;
  return undefined;
}

/** Undefined where it is not whole. A journal that says at its end what it comes to need not be read for that. */
export async function lastLine(journal: string): Promise<JournalLine | undefined> {
  const file = await openToRead(journal);
  try {
    const { size } = await file.stat();
    const length = Math.min(size, longestEnd);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return decodeLine(buffer.toString('utf8', 0, bytesRead).split('\n').at(-2) ?? '');
  } finally {
    await file.close();
  }
}

const longestEnd = 512;

/** Milliseconds that a new run waits for another process; nothing is worth waiting for where a run is only to be deleted. */
const patience = 2000;

/** Held while a run of this key is looked for, begun, or deleted, so that two processes do not both find nothing. Taken before any other lock. */
export function claimBeginning(key: string, { locks }: RunFolders, system: System, wait = patience): Promise<Claim> {
  const folder = join(locks, `begin-${key}`);
  return acquireClaim({ folder, guards: 'the start of this run', waitMilliseconds: wait, isPassing: true }, system);
}

export function claimRun(name: string, folders: RunFolders, system: System, wait = patience): Promise<Claim> {
  return claimRecord(name, runRecord(name, folders), system, wait);
}

/** The same for a run whose record is still to be made. */
export function claimRecord(name: string, { lock, isSmall }: RunRecord, system: System, wait = patience): Promise<Claim> {
  return acquireClaim({ folder: lock, guards: `run ${name}`, waitMilliseconds: wait, isPassing: isSmall }, system);
}

export function claimAccount(
  { server, account, domain }: Pick<RunIdentity, 'server' | 'account' | 'domain'>,
  { locks }: RunFolders,
  system: System,
): Promise<Claim> {
  const folder = join(locks, `account-${checksum(JSON.stringify([server, account, domain ?? null]))}`);
  const guards = `shortening in checked mode for ${account}`;
  return acquireClaim({ folder, guards, waitMilliseconds: patience }, system);
}
