import { chmodSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { LocalError } from '../base/errors.ts';
import { shellWord } from '../base/quoted.ts';
import type { System } from '../base/system.ts';

/** Refuses files of other users except root: no file is safe from root, and mounted secrets belong to it. */
export function refuseForeign(path: string, { uid }: Stats, { userId }: Pick<System, 'userId'>): void {
  if (userId === undefined || uid === userId || uid === 0) return;
  throw new LocalError(`${path} belongs to another user (uid ${uid})`, { hint: `ls -ln ${shellWord(path)}` });
}

/**
 * Refuses folders that change the owner of new files, as some network disks do, because what is stored there could not be read back. `made`
 * is a file that was just created there.
 */
export function refuseChangedOwner(made: string, hint: string, { userId }: Pick<System, 'userId'>): void {
  const { uid } = statSync(made);
  if (userId === undefined || uid === userId) return;
  throw new LocalError(`files made in ${dirname(made)} belong to another user (uid ${uid}), so nothing was stored`, { hint });
}

/** Returns the mode (`0644`) of a file that others can access; undefined if only the owner can, or on Windows, where modes mean nothing. */
export function looseMode({ mode }: Stats, { platform }: Pick<System, 'platform'>): string | undefined {
  if (platform === 'win32' || (mode & 0o077) === 0) return undefined;
  return (mode & 0o777).toString(8).padStart(4, '0');
}

/**
 * Removes the access of others; returns undefined if there was none. Returns the earlier mode and the result because some file systems
 * refuse to change modes, and some only pretend to.
 */
export function makePrivate(
  path: string,
  stats: Stats,
  system: Pick<System, 'platform'>,
): { readonly mode: string; readonly result: 'private' | 'refused' | 'ignored' } | undefined {
  const mode = looseMode(stats, system);
  if (!mode) return undefined;
  try {
    chmodSync(path, 0o600);
  } catch {
    return { mode, result: 'refused' };
  }
  return { mode, result: looseMode(statSync(path), system) ? 'ignored' : 'private' };
}
