import { unlinkSync } from 'node:fs';
import { errorCode } from './file-error.ts';

/** Deletes a file if it exists. `rmSync` would load a module of Node for folders. */
export function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}
