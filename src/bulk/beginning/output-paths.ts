import { type BigIntStats, existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import { shellWord } from '../../base/quoted.ts';
import type { System } from '../../base/system.ts';
import { targetOf } from '../../files/atomic-write.ts';
import { absolutePath } from '../../files/folders.ts';
import { inputStatus } from '../../files/input-status.ts';
import type { BeginLine } from '../journal/lines.ts';
import type { RunBeginning, RunPlan } from '../run-plan.ts';

/** Throws `UsageError` unless `--results`, `--failed` and the input are different files. */
export function assertDistinct({ results, failed, input }: RunPlan, { stdin }: System): void {
  const path = input.file?.name ?? (input.copyTo === undefined ? input.name : undefined);
  // Stdin may be a file: `< links.csv`.
  const source = path === undefined ? idOf(inputStatus(stdin)) : idOfPath(path);
  const files = { '--results': results, '--failed': failed };
  for (const [flag, path] of Object.entries(files)) {
    if (path !== undefined && source !== undefined && idOfPath(path) === source) {
      throw new UsageError(`${flag} ${path} would overwrite the input file`);
    }
  }
  if (results !== undefined && failed !== undefined && idOfPath(results) === idOfPath(failed)) {
    throw new UsageError(`--results ${results} and --failed ${failed} are the same file; use two files`);
  }
}

/** Throws `UsageError` for an existing file that the run did not write, unless overwriting is allowed. */
export function assertReplaceable({ results, failed, overwrite }: RunBeginning, system: System, begin?: BeginLine): void {
  if (overwrite) return;
  for (const path of [results, failed]) {
    if (path === undefined || begin?.outputs.includes(absolutePath(path)) || !existsSync(path)) continue;
    targetOf(path, system);
    throw new UsageError(`${path} already exists`, { hint: `to replace it, add --yes; or move ${shellWord(path)}` });
  }
}

/** Returns the same text for all names of one file: hard links, symbolic links and relative paths. */
function idOfPath(path: string): string | undefined {
  const whole = absolutePath(path);
  try {
    return idOf(statSync(whole, { bigint: true }));
  } catch {
    // The file does not exist yet: only its path identifies it.
    return existsSync(dirname(whole)) ? join(realpathSync(dirname(whole)), basename(whole)) : whole;
  }
}

function idOf(status: BigIntStats | undefined): string | undefined {
  return status && `${status.dev}:${status.ino}`;
}
