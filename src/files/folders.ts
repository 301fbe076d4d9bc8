import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { LocalError } from '../base/errors.ts';
import type { System } from '../base/system.ts';
import { errorCode, fileError } from './file-error.ts';

/** Makes a folder, and those above it that are missing, for this user alone. */
export function makePrivateFolder(path: string): void {
  try {
    makeFolders(path);
  } catch (error) {
    throw fileError('create the folder', path, error);
  }
}

/**
 * The same, failing as the operating system does. One by one: Node's `recursive` never ends where a folder that exists takes none,
 * as in /proc or where the current folder was deleted, and does not report a read-only file system.
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

/** Syncs a folder, so that a file made or renamed in it is on the disk. Windows and some file systems cannot. */
export function syncFolder(path: string, system: Pick<System, 'platform'>): void {
  syncUnless(path, system, (code) => unable.includes(code));
}

/** How file systems say that a folder is nothing to sync. */
const unable = ['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EBADF', 'EISDIR', 'EPERM'];

/** The folder and all above it, as any of them may be new. Above it only a disk that fails counts: what else is there may be anything. */
export function syncFoldersUpFrom(path: string, system: Pick<System, 'platform'>): void {
  syncFolder(path, system);
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) {
    syncUnless(dirname(folder), system, (code) => !['EIO', 'ENOSPC'].includes(code));
  }
}

function syncUnless(path: string, { platform }: Pick<System, 'platform'>, isExcused: (code: string) => boolean): void {
  if (platform === 'win32') return;
  try {
    const folder = openSync(path, 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  } catch (error) {
    if (!isExcused(errorCode(error) ?? '')) throw error;
  }
}

/** The path from the root. Throws a LocalError where that takes the current folder and somebody deleted it. */
export function absolutePath(path: string): string {
  try {
    return resolve(path);
  } catch (cause) {
    throw new LocalError(`cannot use ${path}: the current folder no longer exists`, { cause });
  }
}
