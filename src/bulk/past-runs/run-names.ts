import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { namesIn } from '../../files/folders.ts';
import type { BeginLine } from '../journal/lines.ts';

export type RunFolders = ReturnType<typeof runFolders>;

export function runFolders(stateFolder: string) {
  const within = join(stateFolder, sep);
  return {
    runs: `${within}runs`,
    /** Contains an empty file whose name is the number of the newest run. */
    orders: `${within}order`,
    locks: `${within}locks`,
    /** Proofs that servers follow 4.3.4. */
    proofs: `${within}canaries`,
  };
}

export const journalName = 'journal.log';

/** A separate file, because images are many times larger than the journal, and every resume reads the whole journal. */
export const imagesName = 'before.log';

/** A copy of the input, if it cannot be read again from its source. */
export const inputName = 'input';

export interface RunRecord {
  /** The record of links given as arguments: a single file, the journal, which also contains the images. */
  readonly isSmall: boolean;
  readonly path: string;
  readonly journal: string;
  readonly images: string;
  readonly input: string;
  readonly lock: string;
}

/** Without a record, returns a small one: a lock in the folder of a large one would make a folder that looks like a damaged run. */
export function runRecord(name: string, folders: RunFolders): RunRecord {
  const large = largeRecord(name, folders);
  return existsSync(large.path) ? large : smallRecord(name, folders);
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

/** Returns the names of all runs, oldest first: `20241121-050312-3fa9c1d2`. The third part is the key of the run. */
export function runNames(folders: RunFolders): string[] {
  const large = namesIn(folders.runs).filter((name) => namePattern.test(name));
  const small = smallFiles(folders).filter((name) => !isUnwritten(smallRecord(name, folders)));
  return [...large, ...small].sort();
}

/** Returns true for a one-file record that was never written to: nothing was sent. One that was emptied later is damaged. */
export function isUnwritten({ isSmall, path }: RunRecord): boolean {
  const file = isSmall ? statSync(path, { throwIfNoEntry: false }) : undefined;
  return file?.size === 0 && file.mtimeMs <= file.birthtimeMs;
}

/** Includes empty records, because no file is inspected. */
function smallFiles({ runs }: RunFolders): string[] {
  return namesIn(runs)
    .filter((name) => name.endsWith(smallEnd))
    .map((name) => name.slice(0, -smallEnd.length))
    .filter((name) => namePattern.test(name));
}

/**
 * Pruning reads all records to find the newest 200 of each account, so a typed change starts it only at 225 one-file records, 275 and so on.
 * Ten numbers count, because commands that start together may pass one by.
 */
export function isCrowded(folders: RunFolders): boolean {
  const { length } = smallFiles(folders);
  return length >= 225 && length % 50 >= 25 && length % 50 < 35;
}

export interface NamedRun {
  readonly run: string;
  /** The first line of the journal; undefined if it cannot be read. */
  readonly begin: BeginLine | undefined;
}

/** Returns all runs, or those with matching names, newest first. */
export function newestFirst(folders: RunFolders, isWanted: (name: string) => boolean = () => true): NamedRun[] {
  return runNames(folders)
    .filter(isWanted)
    .map((run) => ({ run, begin: beginOf(runRecord(run, folders).journal) }))
    .sort(byNewest);
}

/** Sorts runs by number, newest first. Those that cannot be read count as older and are sorted by name, which begins with the time. */
export function byNewest(one: NamedRun, other: NamedRun): number {
  return orderOf(other) - orderOf(one) || (one.run < other.run ? 1 : -1);
}

export function orderOf({ begin }: Pick<NamedRun, 'begin'>): number {
  return begin?.order ?? 0;
}

/** Reads the start time from the name, in milliseconds since 1970. */
export function startTimeOf(run: string): number {
  return Date.parse(run.replace(/^(....)(..)(..)-(..)(..)(..).*/, '$1-$2-$3T$4:$5:$6Z'));
}

/** Undefined stands for all profiles; null for none, because the credentials were in the environment. */
export function isRunOf(profile: string | null | undefined, { begin }: { readonly begin?: BeginLine | undefined }): boolean {
  return profile === undefined || (begin?.profile ?? null) === profile;
}

/** Returns the title of a run: `rewrite https://a.example -> https://b.example`, otherwise `edit links.csv`. */
export function titleOf({ what, operation, input }: BeginLine): string {
  return what ?? `${operation} ${basename(input.name)}`;
}

/** Reads the first line of a journal. Skips its checksum: in shell completion, loading a digest module would take longer than the rest. */
function beginOf(journal: string): BeginLine | undefined {
  let file: number | undefined;
  try {
    file = openSync(journal, 'r');
    const line: BeginLine = JSON.parse(firstLine(file).slice(17));
    if (line.type !== 'begin' || typeof line.at !== 'string' || typeof line.input.name !== 'string') return undefined;
    return { ...line, order: resumedOrder(file) ?? line.order };
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/**
 * Returns the number in the last end line, if it has one. A resumed run has such a line from when it was resumed, and another from its end,
 * which is among the last lines. Only after a kill, many lines may follow the first one.
 */
function resumedOrder(file: number): number | undefined {
  let before = fstatSync(file).size;
  for (let length = 4096; before > 0; length = 65_536) {
    const from = Math.max(0, before - length);
    // Reads further, so that an end line is whole.
    const chunk = Buffer.alloc(before - from + longestEnd);
    const text = chunk.toString('latin1', 0, readSync(file, chunk, 0, chunk.length, from));
    const ends = [...text.matchAll(/"type":"end".*?(?:"order":(\d+))?\}$/gm)];
    if (ends.length > 0) return Number(ends.findLast(([, order]) => order !== undefined)?.[1]) || undefined;
    before = from;
  }
  return undefined;
}

/** Maximum length of an end line, in bytes. */
export const longestEnd = 512;

function firstLine(file: number): string {
  const chunk = Buffer.alloc(8192);
  const chunks: Buffer[] = [];
  for (;;) {
    const size = readSync(file, chunk);
    const end = chunk.subarray(0, size).indexOf('\n');
    chunks.push(Buffer.from(chunk.subarray(0, end === -1 ? size : end)));
    if (size === 0 || end !== -1) return Buffer.concat(chunks).toString();
  }
}
