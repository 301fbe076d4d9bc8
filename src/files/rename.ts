import { renameSync } from 'node:fs';
import type { System } from '../base/system.ts';
import { errorCode } from './file-error.ts';
import { pause } from './pause.ts';

/** How Windows says that somebody else has a file open, a virus scanner as a rule. */
const busy = ['EPERM', 'EACCES', 'EBUSY'];
const attempts = 40;

/** Renames. On Windows it is tried again for a second: there, a file cannot be replaced while somebody reads it. */
export function rename(from: string, to: string, { platform }: Pick<System, 'platform'>, wait = pause): void {
  for (let attempt = 1; ; attempt += 1) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      if (platform !== 'win32' || attempt === attempts || !busy.includes(errorCode(error) ?? '')) throw error;
      wait(25);
    }
  }
}
