import { renameSync } from 'node:fs';
import type { System } from '../base/system.ts';
import { errorCode } from './file-error.ts';
import { pause } from './whole-write.ts';

/** Windows fails with these while another program, usually a virus scanner, has the file open. */
const busy = ['EPERM', 'EACCES', 'EBUSY'];
const attempts = 40;

/** On Windows, where an open file cannot be replaced, retries for a second. */
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
