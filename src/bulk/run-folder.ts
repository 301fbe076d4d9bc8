import { existsSync, linkSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { copyFile, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { System } from '../system.ts';
import { type OpenJournalFile, openJournal, readJournal } from './journal.ts';
import { type BeginLine, checksum } from './journal-lines.ts';

/** Where everything that bulk runs keep lies, below the state folder. */
export interface RunFolders {
  readonly runs: string;
  readonly locks: string;
  readonly canaries: string;
}

export function runFolders(stateFolder: string): RunFolders {
  return { runs: join(stateFolder, 'runs'), locks: join(stateFolder, 'locks'), canaries: join(stateFolder, 'canaries') };
}

export const journalName = 'journal.log';

/** What makes two command lines the same run: a resumed one is found by it. */
export function runKey({ operation, server, account, domain, input }: Omit<RunIdentity, 'options'>): string {
  return checksum(JSON.stringify([operation, server, account, domain ?? null, input.sha256])).slice(0, 8);
}

export type RunIdentity = Pick<BeginLine, 'operation' | 'server' | 'account' | 'domain' | 'input' | 'options' | 'mode'>;

/** Names of all runs, oldest first: `20241121-050312-3fa9c1d2`. The last part is the run's key. */
export function runNames({ runs }: RunFolders): string[] {
  if (!existsSync(runs)) return [];
  return readdirSync(runs)
    .filter((name) => /^\d{8}-\d{6}-[0-9a-f]{8}(-\d+)?$/.test(name))
    .sort();
}

export function keyOfRun(name: string): string | undefined {
  return name.split('-')[2];
}

export function newRunName(key: string, now: number, { runs }: RunFolders): string {
  const [date = '', time = ''] = new Date(now).toISOString().replace(/[-:]/g, '').split(/[T.]/);
  const name = `${date}-${time}-${key}`;
  for (let nth = 1; ; nth += 1) {
    const candidate = nth === 1 ? name : `${name}-${nth}`;
    if (!existsSync(join(runs, candidate))) return candidate;
  }
}

/**
 * Makes a run's folder with the first line of its journal. It appears under its name only when that line is on the disk, so a
 * journal without a beginning is a damaged one. `spool`: the copy of a pipe, kept with the run.
 */
export async function createRunFolder(
  begin: BeginLine,
  spool: string | undefined,
  { runs }: RunFolders,
  system: Pick<System, 'platform'>,
  openFile?: OpenJournalFile,
): Promise<string> {
  const folder = join(runs, begin.run);
  const draft = join(runs, `.${begin.run}.draft`);
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  if (spool !== undefined) await keepInput(spool, join(draft, 'input'));
  const journal = await openJournal(join(draft, journalName), 0, openFile);
  try {
    await journal.write(begin);
  } finally {
    await journal.close();
  }
  renameSync(draft, folder);
  if (system.platform !== 'win32') await syncFolder(runs);
  return folder;
}

/** The first line alone; throws `LocalError` where it is damaged. */
export async function readBegin(folder: string): Promise<BeginLine | undefined> {
  for await (const { line } of readJournal(join(folder, journalName))) return line.type === 'begin' ? line : undefined;
  return undefined;
}

async function keepInput(spool: string, path: string): Promise<void> {
  try {
    linkSync(spool, path);
  } catch {
    await copyFile(spool, path);
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
