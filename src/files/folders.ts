import { closeSync, existsSync, fsyncSync, lstatSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { LocalError } from '../base/errors.ts';
import type { System } from '../base/system.ts';
import { errorCode, fileError, fileWork } from './file-error.ts';

/** Creates the folder and its missing parents for this user alone. */
export function makePrivateFolder(path: string): void {
  fileWork('create the folder', path, () => makeFolders(path));
}

/**
 * Throws the error of the operating system. Creates the folders one by one because Node's `recursive` never returns where an existing
 * parent cannot take a folder, such as /proc or a deleted current folder, and does not report a read-only file system.
 */
export function makeFolders(path: string, mode = 0o700): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (isFolder(path)) return;
    const above = dirname(path);
    const code = errorCode(error);
    // Another process may have removed the folder since.
    const isGone = code === 'EEXIST' && !lstatSync(path, { throwIfNoEntry: false });
    if (!isGone && (code !== 'ENOENT' || above === path || isFolder(above))) throw error;
    makeFolders(above, mode);
    makeFolders(path, mode);
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Returns the names in a folder; none if it does not exist. Throws a LocalError if it cannot be read. */
export function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    const code = errorCode(error);
    // In a home like /dev/null there is nothing.
    if (code === 'ENOENT' || (code === 'ENOTDIR' && !existsSync(path))) return [];
    throw fileError('read the folder', path, error);
  }
}

/** Makes files that were created or renamed in the folder durable. Windows and some file systems cannot do it. */
export function syncFolder(path: string, system: Pick<System, 'platform'>): void {
  syncUnless(path, system, (code) => unsupportedCodes.includes(code));
}

/** File systems that cannot sync a folder fail with one of these. */
const unsupportedCodes = ['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EBADF', 'EISDIR', 'EPERM'];

/**
 * Syncs all parents, too, because any of them may be new. For parents only a failing disk is an error, since they may be on any file
 * system.
 */
export function syncFoldersUpFrom(path: string, system: Pick<System, 'platform'>): void {
  syncFolder(path, system);
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) {
    syncUnless(dirname(folder), system, (code) => !['EIO', 'ENOSPC'].includes(code));
  }
}

function syncUnless(path: string, { platform }: Pick<System, 'platform'>, isIgnored: (code: string) => boolean): void {
  if (platform === 'win32') return;
  try {
    const folder = openSync(path, 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  } catch (error) {
    if (!isIgnored(errorCode(error) ?? '')) throw error;
  }
}

/** Throws a LocalError for a relative path if the current folder was deleted. */
export function absolutePath(path: string): string {
  try {
    return resolve(path);
  } catch (cause) {
    throw new LocalError(`cannot use ${path}: the current folder no longer exists`, { cause });
  }
}
