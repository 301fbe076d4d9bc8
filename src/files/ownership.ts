import { chmodSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { LocalError } from '../base/errors.ts';
import { shellWord } from '../base/shell-word.ts';
import type { System } from '../base/system.ts';

/** A file that another user owns is refused. The superuser's is not: against root no file is safe, and secrets are mounted as root's. */
export function refuseForeign(path: string, { uid }: Stats, { userId }: Pick<System, 'userId'>): void {
  if (userId === undefined || uid === userId || uid === 0) return;
  throw new LocalError(`${path} belongs to another user (uid ${uid})`, { hint: `ls -ln ${shellWord(path)}` });
}

/**
 * Refuses a place where files get another owner as soon as they are made, as on network disks that give all of them to one user: what
 * is stored there could not be read back. `made` is a file that was just made there, and `hint` the way out.
 */
export function refuseForeignMaking(made: string, hint: string, { userId }: Pick<System, 'userId'>): void {
  const { uid } = statSync(made);
  if (userId === undefined || uid === userId) return;
  throw new LocalError(`files made in ${dirname(made)} belong to another user (uid ${uid}), so nothing was stored`, { hint });
}

/** The permissions (`0644`) of what others than its owner can reach; nothing where that is nobody, or where modes mean nothing. */
export function looseMode({ mode }: Stats, { platform }: Pick<System, 'platform'>): string | undefined {
  if (platform === 'win32' || (mode & 0o077) === 0) return undefined;
  return (mode & 0o777).toString(8).padStart(4, '0');
}

/**
 * Takes a file away from others who can reach it; nothing where nobody can. Answers with the mode that it had, and whether the file
 * system heeded: some refuse to change modes, and some do as if.
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
