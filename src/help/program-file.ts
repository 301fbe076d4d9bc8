import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getAsset, isSea } from 'node:sea';

/** The build puts these files beside the program or into the executable. Throws without a build. */
export function ownFile(name: string): string {
  return isSea() ? getAsset(name, 'utf8') : readFileSync(join(import.meta.dirname, name), 'utf8');
}
