import { appendFileSync, existsSync } from 'node:fs';
import type { System } from '../../base/system.ts';
import { isoTime } from '../../base/times.ts';
import { machineTime } from '../../files/process-mark.ts';
import { foldJournal } from '../journal/fold.ts';
import { openJournal } from '../journal/journal.ts';
import type { RunState } from '../journal/journal-state.ts';
import { encodeLine, type JournalLine } from '../journal/lines.ts';
import type { BegunRun } from '../journal/new-run.ts';
import { claimRun, lastLine } from '../journal/run-folder.ts';
import { type RunFolders, runNames, runRecord } from './run-names.ts';

/** Records that the result was printed. Until then, repeating the command prints it again. */
export async function recordShown(name: string, folders: RunFolders, system: System): Promise<void> {
  const { path, journal } = runRecord(name, folders);
  const held = existsSync(path) ? await claimRun(name, folders, system, 0).catch(() => undefined) : undefined;
  if (!held) return;
  try {
    const line = encodeLine({ type: 'shown', at: isoTime(system.now()) });
    const last = await lastLine(journal);
    if (last?.type === 'end' && last.reason === 'complete') appendFileSync(journal, line);
  } catch {
    // The disk is full or the record is gone. At worst, the result is printed again.
  } finally {
    held.release();
  }
}

/** Records that a run is resumed, with its new number and files: if this process is killed, the run is the latest change nevertheless. */
export async function recordResumed(
  { journal, state, order }: Pick<BegunRun, 'journal' | 'state' | 'order'>,
  system: System,
  files: readonly string[] = [],
): Promise<void> {
  if (order === undefined) return;
  const { lastEnd = 'killed', kept, begin } = state;
  const outputs = [...new Set([...begin.outputs, ...files])];
  const end = {
    type: 'end',
    reason: lastEnd,
    kept: kept || undefined,
    at: isoTime(system.now()),
    clock: machineTime(system),
  } as const;
  // A line of its own, because the one with the number must be short.
  if (outputs.length > begin.outputs.length) await journal.write({ ...end, outputs });
  await journal.write({ ...end, order });
}

/**
 * Records in the journal of `undoes` that `by` undoes it: from then on, the command of `undoes` starts a new run. Called before anything is
 * sent. `withdrawn` cancels the line if `by` changed nothing. It is written before the record of `by` is deleted, because a run without a
 * record counts as applied. The caller holds the lock of `undoes`. Does nothing if the record of `undoes` is gone.
 */
export async function recordUndone(
  line: { readonly undoes: string; readonly by: string; readonly withdrawn?: true | undefined },
  folders: RunFolders,
  system: Pick<System, 'now'>,
): Promise<void> {
  const { undoes, by, withdrawn } = line;
  await append(undoes, folders, ({ undoneBy }) => {
    const isRecorded = withdrawn ? !undoneBy.includes(by) : undoneBy.at(-1) === by;
    return isRecorded ? undefined : { type: 'undone', by, at: isoTime(system.now()), withdrawn };
  });
}

/** Records that an undo missed something. The caller holds the lock of the run. Does nothing if its record is gone. */
export async function recordMissed(run: string, folders: RunFolders, system: Pick<System, 'now'>): Promise<void> {
  await append(run, folders, ({ wasMissed }) => (wasMissed ? undefined : { type: 'missed', at: isoTime(system.now()) }));
}

/** Like `recordMissed`, with the lock of the run. What is found later may be somebody else's. */
export async function noteMissed(run: string, folders: RunFolders, system: System): Promise<void> {
  const held = await claimRun(run, folders, system, 0);
  await recordMissed(run, folders, system).finally(held.release);
}

/** Throws `LocalError` while another process holds the run. */
export async function assertIdle(run: string, folders: RunFolders, system: System): Promise<void> {
  (await claimRun(run, folders, system, 0)).release();
}

async function append(run: string, folders: RunFolders, lineOf: (state: RunState) => JournalLine | undefined): Promise<void> {
  if (!runNames(folders).includes(run)) return;
  const { journal: path } = runRecord(run, folders);
  const state = await foldJournal(path);
  const line = lineOf(state);
  if (!line) return;
  const journal = await openJournal(path, state.size);
  await journal.write(line).finally(() => journal.close());
}
