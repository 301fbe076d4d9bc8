import { closeSync, existsSync, fchmodSync, fstatSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { checksum } from '../base/checksum.ts';
import { LocalError } from '../base/errors.ts';
import { folders, type System } from '../base/system.ts';
import { fileError } from '../files/file-error.ts';
import { refuseForeign } from '../files/ownership.ts';
import { blockKinds, blocksIn, encodeBlock, wholePart } from './blocks.ts';
import { type HistoryFold, type ReadingEnd, readPart } from './parts.ts';

/** Whose links they are: the server as runs know it, and the user name. */
export interface HistoryAccount {
  readonly server: string;
  readonly username: string;
}

/** Where the history of an account lies, whether there is one or not. */
export interface HistoryPaths {
  readonly folder: string;
  readonly readings: string;
  readonly changes: string;
  readonly known: string;
  readonly lock: string;
}

export function historyPaths({ server, username }: HistoryAccount, system: Pick<System, 'env' | 'platform'>): HistoryPaths {
  const folder = join(folders(system).data, 'history', checksum(JSON.stringify([server, username])));
  return {
    folder,
    readings: join(folder, 'readings'),
    changes: join(folder, 'changes'),
    known: join(folder, 'known'),
    lock: join(folder, 'lock'),
  };
}

export function hasHistory(account: HistoryAccount, system: Pick<System, 'env' | 'platform'>): boolean {
  return existsSync(historyPaths(account, system).readings);
}

/** An open file of readings whose sound part is known. */
export interface ReadingsFile {
  readonly file: number;
  /** Bytes up to the end of the last reading. */
  readonly end: number;
  /** Bytes of an unfinished reading behind it. */
  readonly torn: number;
  close(): void;
}

/** Opens the readings of an account; undefined where nothing was recorded. Throws a `LocalError` for a damaged file. */
export function openReadings(account: HistoryAccount, system: System, access: 'r' | 'r+' = 'r'): ReadingsFile | undefined {
  if (!hasHistory(account, system)) return undefined;
  return openAt(historyPaths(account, system).readings, account, system, access);
}

/** The same for who writes: the file is made where there is none. */
export function openOrMakeReadings(account: HistoryAccount, system: System): ReadingsFile {
  const path = historyPaths(account, system).readings;
  return openAt(path, account, system, existsSync(path) ? 'r+' : 'wx+');
}

function openAt(path: string, account: HistoryAccount, system: System, access: string): ReadingsFile {
  const file = opened(path, access);
  try {
    const stats = fstatSync(file);
    refuseForeign(path, stats, system);
    if (access !== 'r' && system.platform !== 'win32') fchmodSync(file, 0o600);
    const whole = wholePart(file, path);
    for (const block of blocksIn(file, whole.end)) {
      assertAccount(block.kind === blockKinds.account ? block.content() : Buffer.alloc(0), account, path);
      break;
    }
    return { file, ...whole, close: () => closeSync(file) };
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function opened(path: string, access: string): number {
  try {
    return openSync(path, access, 0o600);
  } catch (error) {
    throw fileError('open', path, error);
  }
}

const formVersion = 1;

/** The first block of a file. */
export function accountBlock({ server, username }: HistoryAccount): Buffer {
  return encodeBlock(blockKinds.account, Buffer.from(JSON.stringify({ version: formVersion, server, account: username })));
}

function assertAccount(content: Buffer, { server, username }: HistoryAccount, path: string): void {
  const head = content.length === 0 ? {} : JSON.parse(content.toString());
  if (head.version === formVersion && head.server === server && head.account === username) return;
  if (head.version > formVersion) throw new LocalError(`${path} was written by a newer linkctl; update this one`);
  throw new LocalError(`${path} is not the history of ${username} on ${server}`, { hint: 'move it away' });
}

/** The ends of all readings, oldest first. */
export function readingEnds({ file, end }: ReadingsFile): ReadingEnd[] {
  const ends: ReadingEnd[] = [];
  for (const { kind, content } of blocksIn(file, end)) if (kind === blockKinds.end) ends.push(JSON.parse(content().toString()));
  return ends;
}

/** Calls the fold for all that the first readings say, all of them without a number. */
export function foldReadings({ file, end }: ReadingsFile, fold: HistoryFold, readings = Number.POSITIVE_INFINITY): void {
  let ended = 0;
  for (const { kind, content } of blocksIn(file, end)) {
    if (ended === readings) return;
    if (kind === blockKinds.part) readPart(content(), fold);
    if (kind !== blockKinds.end) continue;
    fold.ended(JSON.parse(content().toString()));
    ended += 1;
  }
}
