import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { BeginLine } from '../journal/lines.ts';

export type RunFolders = ReturnType<typeof runFolders>;

/** The folders of all that runs keep, below the state folder. */
export function runFolders(stateFolder: string) {
  const within = (part: string): string => join(stateFolder, part);
  return {
    state: stateFolder,
    runs: within('runs'),
    /** The number of the newest run. */
    orders: within('order'),
    locks: within('locks'),
    /** Proofs of rule 4.3.4. */
    proofs: within('canaries'),
  };
}

export const journalName = 'journal.log';

/** Images are many times as large as the journal, which is read whole at every resume; so they have a file of their own. */
export const imagesName = 'before.log';

/** The input of a run that cannot be read again where it came from. */
export const inputName = 'input';

export interface RunRecord {
  /** Links that were typed: all of it is one file, the journal, which has the images, too. */
  readonly isSmall: boolean;
  readonly path: string;
  readonly journal: string;
  readonly images: string;
  readonly input: string;
  readonly lock: string;
}

export function runRecord(name: string, folders: RunFolders): RunRecord {
  const small = smallRecord(name, folders);
  return existsSync(small.path) ? small : largeRecord(name, folders);
}

export function smallRecord(name: string, { runs, locks }: RunFolders): RunRecord {
  const path = join(runs, `${name}${smallEnd}`);
  return { isSmall: true, path, journal: path, images: path, input: path, lock: join(locks, `run-${name}`) };
}

export function largeRecord(name: string, { runs }: RunFolders): RunRecord {
  const path = join(runs, name);
  const within = (part: string): string => join(path, part);
  const [journal, images, input] = [within(journalName), within(imagesName), within(inputName)];
  return { isSmall: false, path, journal, images, input, lock: within('lock') };
}

const smallEnd = '.log';

const namePattern = /^\d{8}-\d{6}-[0-9a-f]{8}(-\d+)?$/;

/** Names of all runs, by the time in them: `20241121-050312-3fa9c1d2`. The last part is the run's key. */
export function runNames(folders: RunFolders): string[] {
  return [...folderNames(folders), ...smallNames(folders)].sort();
}

function folderNames({ runs }: RunFolders): string[] {
  return existsSync(runs) ? readdirSync(runs).filter((name) => namePattern.test(name)) : [];
}

/** An empty record of one file: the process was killed before it wrote a line, and so before it sent anything. */
export function isUnbegun({ isSmall, path }: RunRecord): boolean {
  return isSmall && statSync(path, { throwIfNoEntry: false })?.size === 0;
}

function smallNames(folders: RunFolders): string[] {
  return smallFiles(folders).filter((name) => !isUnbegun(smallRecord(name, folders)));
}

/** Those of unbegun runs, too. No file is looked at. */
export function smallFiles({ runs }: RunFolders): string[] {
  if (!existsSync(runs)) return [];
  return readdirSync(runs)
    .filter((name) => name.endsWith(smallEnd))
    .map((name) => name.slice(0, -smallEnd.length))
    .filter((name) => namePattern.test(name));
}

/** A run by its name and the first line of its journal, which is undefined where it cannot be read. */
export interface NamedRun {
  readonly run: string;
  readonly begin: BeginLine | undefined;
}

/** The runs of which `beginning` is the beginning of the name, newest first. */
export function newestRuns(stateFolder: string, beginning = ''): NamedRun[] {
  const folders = runFolders(stateFolder);
  return runNames(folders)
    .filter((name) => name.startsWith(beginning))
    .map((run) => ({ run, begin: beginOf(runRecord(run, folders).journal) }))
    .sort(byAge);
}

/** For sorting: the newest run first, by its number. Runs of earlier versions have none: they are older, and the clock orders them. */
export function byAge(one: NamedRun, other: NamedRun): number {
  const byOrder = orderOf(other) - orderOf(one);
  return byOrder || compared(beginningOf(other), beginningOf(one)) || compared(other.run, one.run);
}

export function orderOf({ begin }: Pick<NamedRun, 'begin'>): number {
  return begin?.order ?? 0;
}

function beginningOf({ begin, run }: NamedRun): string {
  return begin?.at ?? nameTime(run);
}

/** The second that a name tells, in UTC: `2024-11-21T05:03:12`. */
function nameTime(run: string): string {
  const [, year, month, day, hour, minute, second] = /^(....)(..)(..)-(..)(..)(..)/.exec(run) ?? [];
  return `${year}-${month}-${day}T${hour}:${minute}:${second}`;
}

/** When a run began, in milliseconds since 1970, by its name alone. */
export function beganAt(run: string): number {
  return Date.parse(`${nameTime(run)}Z`);
}

function compared(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The title of a run for people: `rewrite https://a.example -> https://b.example`, else `edit links.csv`. */
export function titleOf({ what, operation, input }: BeginLine): string {
  return what ?? `${operation} ${basename(input.name)}`;
}

/** The first line of a journal, for names and lists. Its checksum is not compared: modules for digests would cost a key press more than the rest. */
function beginOf(journal: string): BeginLine | undefined {
  try {
    const line: BeginLine = JSON.parse(firstLine(journal).slice(17));
    return line.type === 'begin' && typeof line.at === 'string' && typeof line.input.name === 'string' ? line : undefined;
  } catch {
    return undefined;
  }
}

function firstLine(path: string): string {
  const file = openSync(path, 'r');
  try {
    const chunk = Buffer.alloc(8192);
    const chunks: Buffer[] = [];
    for (;;) {
      const size = readSync(file, chunk);
      const end = chunk.subarray(0, size).indexOf('\n');
      chunks.push(Buffer.from(chunk.subarray(0, end === -1 ? size : end)));
      if (size === 0 || end !== -1) return Buffer.concat(chunks).toString();
    }
  } finally {
    closeSync(file);
  }
}
