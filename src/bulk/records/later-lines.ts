import { appendFileSync, existsSync } from 'node:fs';
import type { System } from '../../base/system.ts';
import { encodeLine } from '../journal/lines.ts';
import { claimRun, endsComplete } from '../journal/run-folder.ts';
import { runFolders, runRecord } from './run-names.ts';

/** Keeps that the result of a finished run was printed: until then the same command shows it. Where it cannot be kept, it is shown again. */
export async function recordShown(name: string, stateFolder: string, system: System): Promise<void> {
  const folders = runFolders(stateFolder);
  const { path, journal } = runRecord(name, folders);
  const held = existsSync(path) ? await claimRun(name, folders, system, 0).catch(() => undefined) : undefined;
  if (!held) return;
  try {
    const line = encodeLine({ type: 'shown', at: new Date(system.now()).toISOString() });
    if (await endsComplete(journal)) appendFileSync(journal, line);
  } catch {
    // The disk is full, or the record is gone.
  } finally {
    held.release();
  }
}
