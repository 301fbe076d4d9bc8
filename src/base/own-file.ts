import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getAsset, isSea } from 'node:sea';

/** The text of a file that the build puts beside the program, or into it where the program is one file. Throws without a build. */
export function ownFile(name: string): string {
  return isSea() ? getAsset(name, 'utf8') : readFileSync(join(import.meta.dirname, name), 'utf8');
}
