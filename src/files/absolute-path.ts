import { resolve } from 'node:path';
import { LocalError } from '../base/errors.ts';

/** The path from the root. Throws a LocalError where that takes the current folder and somebody deleted it. */
export function absolutePath(path: string): string {
  try {
    return resolve(path);
  } catch (cause) {
    throw new LocalError(`cannot use ${path}: the current folder does not exist any more`, { cause });
  }
}
