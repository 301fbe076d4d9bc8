import { existsSync, fstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { System } from '../../base/system.ts';
import { absolutePath } from '../../files/folders.ts';
import type { BeginLine } from '../journal/lines.ts';
import type { RunPlan } from '../run-plan.ts';

type Paths = Pick<RunPlan, 'results' | 'failed' | 'input'>;

/** `--results`, `--failed` and the input are three files: one written over another loses what it held. */
export function assertDistinct({ results, failed, input }: Paths, { stdin }: Pick<System, 'stdin'>): void {
  const source = input.copyTo === undefined ? fileOf(input.name) : openFile(stdin.fd);
  const files = { '--results': results, '--failed': failed };
  for (const [flag, path] of Object.entries(files)) {
    if (path !== undefined && source !== undefined && fileOf(path) === source) {
      throw new UsageError(`${flag} ${path} would overwrite the input file`);
    }
  }
  if (results !== undefined && failed !== undefined && fileOf(results) === fileOf(failed)) {
    throw new UsageError(`--results ${results} and --failed ${failed} are the same file; use two files`);
  }
}

/** A file of somebody else's work is not replaced without being asked. */
export function assertReplaceable(
  { results, failed, overwrite }: Pick<RunPlan, 'results' | 'failed' | 'overwrite'>,
  begin?: BeginLine,
): void {
  if (overwrite) return;
  for (const path of [results, failed]) {
    if (path === undefined || begin?.outputs.includes(absolutePath(path)) || !existsSync(path)) continue;
    throw new UsageError(`${path} already exists`, { hint: `to replace it, add --yes; or move ${shellWord(path)}` });
  }
}

/** Equal for two names of one file, however they lead there: by links of either kind, or from another folder. */
function fileOf(path: string): string {
  const whole = absolutePath(path);
  try {
    return numbersOf(statSync(whole, { bigint: true }));
  } catch {
    // It is still to be made: where, is all that is known.
    return existsSync(dirname(whole)) ? join(realpathSync(dirname(whole)), basename(whole)) : whole;
  }
}

/** A shell may have put a file there: `< links.csv`. */
function openFile(descriptor: number | undefined): string | undefined {
  try {
    return descriptor === undefined ? undefined : numbersOf(fstatSync(descriptor, { bigint: true }));
  } catch {
    return undefined;
  }
}

function numbersOf({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): string {
  return `${dev}:${ino}`;
}
