import { closeSync, existsSync, openSync, readdirSync, readSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { BeginLine } from './journal/lines.ts';

/** Where everything that bulk runs keep lies, below the state folder. */
export interface RunFolders {
  readonly runs: string;
  readonly locks: string;
  /** Proofs of rule 4.3.4 (R-X7). */
  readonly proofs: string;
}

export function runFolders(stateFolder: string): RunFolders {
  return { runs: join(stateFolder, 'runs'), locks: join(stateFolder, 'locks'), proofs: join(stateFolder, 'canaries') };
}

export const journalName = 'journal.log';

/** Images are many times as large as the journal, which is read whole at every resume; so they have a file of their own. */
export const imagesName = 'before.log';

/** An empty file in the folder of an undo whose result somebody has seen. */
export const reportedName = 'reported';

/** The input of a run that cannot be read again where it came from. */
export const inputName = 'input';

/** Names of all runs, oldest first: `20241121-050312-3fa9c1d2`. The last part is the run's key. */
export function runNames({ runs }: RunFolders): string[] {
  if (!existsSync(runs)) return [];
  return readdirSync(runs)
    .filter((name) => /^\d{8}-\d{6}-[0-9a-f]{8}(-\d+)?$/.test(name))
    .sort();
}

/** A run by its name and the first line of its journal, which is undefined where it cannot be read. */
interface NamedRun {
  readonly run: string;
  readonly begin: BeginLine | undefined;
}

/** The runs of which `beginning` is the beginning of the name, newest first (U4); at most about `wanted`, whose journals are read. */
export function newestRuns(stateFolder: string, beginning = '', wanted = 1): NamedRun[] {
  const folders = runFolders(stateFolder);
  const names = runNames(folders)
    .filter((name) => name.startsWith(beginning))
    .reverse();
  // Names say the second: of those in the same one the journals say more.
  const last = names[wanted - 1]?.slice(0, secondLength) ?? '';
  const newest = names.filter((name) => name.slice(0, secondLength) >= last);
  return newest.map((run) => ({ run, begin: beginOf(join(folders.runs, run, journalName)) })).sort(byAge);
}

/** Characters of a name that say when: `20241121-050312`. */
const secondLength = 15;

/** For sorting: the newest run first. */
export function byAge(one: NamedRun, other: NamedRun): number {
  return compared(beginningOf(other), beginningOf(one)) || compared(other.run, one.run);
}

/** ISO 8601, to the second where only the name says it. */
function beginningOf({ begin, run }: NamedRun): string {
  const [, year, month, day, hour, minute, second] = /^(....)(..)(..)-(..)(..)(..)/.exec(run) ?? [];
  return begin?.at ?? `${year}-${month}-${day}T${hour}:${minute}:${second}`;
}

function compared(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** What a run does, as people read it: `rewrite https://a.example -> https://b.example`, else `edit links.csv`. */
export function titleOf({ what, operation, input }: BeginLine): string {
  return what ?? `${operation} ${basename(input.name)}`;
}

/**
 * The first line of a journal, for names and lists. Its checksum is not compared: modules for digests would cost a key press more than
 * the rest, and whoever works on a run reads its journal with care.
 */
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
