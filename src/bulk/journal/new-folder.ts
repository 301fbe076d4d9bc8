import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LocalError } from '../../base/errors.ts';
import { errorCode, fileError } from '../../files/file-error.ts';
import { makePrivateFolder, syncFolder, syncFoldersUpFrom } from '../../files/folders.ts';
import { isAlive, type MarkSystem, parseMark } from '../../files/process-mark.ts';
import { rename } from '../../files/rename.ts';
import { writableRemedy } from '../../files/temporary-file.ts';
import { inputName, journalName, type RunFolders, runNames } from '../past-runs/run-names.ts';
import { type Journal, type OpenJournalFile, openJournal } from './journal.ts';
import type { BeginLine } from './lines.ts';
import { draftFolder, removeRunFolder } from './run-folder.ts';

interface FolderOptions {
  /** Copies an input that cannot be read again, such as a pipe, to the given path. */
  readonly copyInput?: ((path: string) => Promise<void>) | undefined;
  readonly openFile?: OpenJournalFile | undefined;
  /** Writes further lines to the new journal, which then replaces the existing run of this name. */
  readonly copyResults?: ((journal: Journal) => Promise<void>) | undefined;
}

/** Creates a run's folder. It gets its name only when its content is on disk, because a journal without a begin line is damaged. */
export async function createRunFolder(
  begin: BeginLine,
  folders: RunFolders,
  system: MarkSystem,
  { copyInput, openFile, copyResults }: FolderOptions = {},
): Promise<void> {
  const { runs } = folders;
  const draft = draftFolder(folders, system);
  try {
    makePrivateFolder(draft);
    removeDeadDrafts(runs, system);
    await copyInput?.(join(draft, inputName));
    const journal = await openJournal(join(draft, journalName), 0, openFile);
    const write = async (): Promise<void> => {
      await journal.write(begin);
      await copyResults?.(journal);
    };
    await write().finally(() => journal.close());
    syncFolder(draft, system);
    if (copyResults) removeRunFolder(begin.run, folders, system);
    const isFirst = runNames(folders).length === 0;
    rename(draft, join(runs, begin.run), system);
    if (isFirst) syncFoldersUpFrom(runs, system);
    else syncFolder(runs, system);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    const failure = fileError('make', join(runs, begin.run), error);
    if (failure.hint !== undefined || errorCode(failure.cause) === undefined) throw failure;
    throw new LocalError(failure.message, { cause: failure.cause, hint: writableRemedy(dirname(runs)) });
  }
}

/** A killed process may leave a draft with a copy of its input, which belongs to no run. */
function removeDeadDrafts(runs: string, system: MarkSystem): void {
  for (const name of readdirSync(runs)) {
    const mark = parseMark(/^\.(.+)\.draft$/.exec(name)?.[1] ?? '');
    if (mark && !isAlive(mark, system)) rmSync(join(runs, name), { recursive: true, force: true });
  }
}
