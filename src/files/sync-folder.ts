import { closeSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { System } from '../base/system.ts';
import { errorCode } from './file-error.ts';

/** What was made or renamed in a folder reaches the disk. Windows cannot, and some network file systems will not. */
export function syncFolder(path: string, { platform }: Pick<System, 'platform'>): void {
  if (platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } catch (error) {
    if (errorCode(error) !== 'EINVAL') throw error;
  } finally {
    closeSync(folder);
  }
}

/** The folder and all above it, as any of them may be new. One that this user may not read is not of this user's making. */
export function syncFoldersUpFrom(path: string, system: Pick<System, 'platform'>): void {
  try {
    syncFolder(path, system);
  } catch (error) {
    if (errorCode(error) === 'EACCES') return;
    throw error;
  }
  if (dirname(path) !== path) syncFoldersUpFrom(dirname(path), system);
}
