import { mkdirSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { LocalError } from '../base/errors.ts';
import type { System } from '../base/system.ts';
import { errorCode, fileError } from './file-error.ts';

/** Makes a folder, and those above it that are missing, for this user alone (B66). */
export function makePrivateFolder(path: string): void {
  try {
    makeFolders(path);
  } catch (error) {
    throw fileError('make the folder', path, error);
  }
}

/**
 * The same, failing as the operating system does. One by one: Node's `recursive` never ends where a folder that exists takes none,
 * as in /proc or where the current folder was deleted, and does not tell that a file system is read-only.
 */
export function makeFolders(path: string, mode = 0o700): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (isFolder(path)) return;
    const above = dirname(path);
    if (errorCode(error) !== 'ENOENT' || above === path || isFolder(above)) throw error;
    makeFolders(above, mode);
    makeFolders(path, mode);
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** R-24: a file that another user owns is refused. The superuser's is not: against root no file is safe, and secrets are mounted as root's. */
export function refuseForeign(path: string, { uid }: Stats, { userId }: Pick<System, 'userId'>): void {
  if (userId === undefined || uid === userId || uid === 0) return;
  throw new LocalError(`${path} belongs to another user (uid ${uid}) and is not used`, { hint: `ls -ln ${shellWord(path)}` });
}

/** The permissions (`0644`) of what others than its owner can reach; nothing where that is nobody, or where modes mean nothing. */
export function looseMode({ mode }: Stats, { platform }: Pick<System, 'platform'>): string | undefined {
  if (platform === 'win32' || (mode & 0o077) === 0) return undefined;
  return (mode & 0o777).toString(8).padStart(4, '0');
}

/** A path as a shell takes it, so that a hint can be pasted (B45). */
export function shellWord(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
