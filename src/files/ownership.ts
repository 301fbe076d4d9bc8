import type { Stats } from 'node:fs';
import { LocalError } from '../base/errors.ts';
import { shellWord } from '../base/shell-word.ts';
import type { System } from '../base/system.ts';

/** a file that another user owns is refused. The superuser's is not: against root no file is safe, and secrets are mounted as root's. */
export function refuseForeign(path: string, { uid }: Stats, { userId }: Pick<System, 'userId'>): void {
  if (userId === undefined || uid === userId || uid === 0) return;
  throw new LocalError(`${path} belongs to another user (uid ${uid})`, { hint: `ls -ln ${shellWord(path)}` });
}

/** The permissions (`0644`) of what others than its owner can reach; nothing where that is nobody, or where modes mean nothing. */
export function looseMode({ mode }: Stats, { platform }: Pick<System, 'platform'>): string | undefined {
  if (platform === 'win32' || (mode & 0o077) === 0) return undefined;
  return (mode & 0o777).toString(8).padStart(4, '0');
}
