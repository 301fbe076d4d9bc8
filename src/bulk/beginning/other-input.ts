import { isAbsolute } from 'node:path';
import { LocalError } from '../../base/errors.ts';
import { isUntouched, type RunState } from '../journal/journal-state.ts';
import type { BeginLine, RunIdentity } from '../journal/lines.ts';
import { foldRun, readBegin } from '../journal/run-folder.ts';
import { discardText } from '../past-runs/discard-text.ts';
import { type RunFolders, runFolders, runNames, runRecord, titleOf } from '../past-runs/run-names.ts';
import { isUndone } from '../past-runs/undo-chain.ts';
import type { InputFile, RunEnvironment } from '../run-plan.ts';
import { changesOf, countsOf } from '../runs.ts';

interface Beginning {
  readonly again: boolean | undefined;
  /** The run is on the default domain. */
  readonly onDefault: boolean;
}

/** Throws `LocalError` for an unfinished run if its file or the default domain has changed since. With `again`, warns of what it leaves. */
export async function assertSameInput(
  identity: RunIdentity,
  { again, onDefault }: Beginning,
  { stateFolder, warn }: Pick<RunEnvironment, 'stateFolder' | 'warn'>,
): Promise<void> {
  const state = await unfinishedOther(identity, onDefault, runFolders(stateFolder));
  if (!state) return;
  if (!again) throw notResumable(identity, state);
  const { begin } = state;
  const left = changesOf(countsOf(state));
  warn(`run ${begin.run} (${titleOf(begin)}) stays unfinished${left && ` (${left})`}; ${discardText(state)}`);
}

/** Returns an unfinished run whose file or the default domain has changed since: it is unknown which rows are done. */
async function unfinishedOther(identity: RunIdentity, onDefault: boolean, folders: RunFolders): Promise<RunState | undefined> {
  for (const name of runNames(folders)) {
    const record = runRecord(name, folders);
    const begin = record.isSmall ? undefined : await readBegin(record).catch(() => undefined);
    if (!begin || !isRelated(identity, begin, onDefault)) continue;
    // Not locked here: another process may delete it.
    const state = await foldRun(name, folders);
    if (state && !state.complete && !isUntouched(state) && !(await isUndone(state, folders))) return state;
  }
  return undefined;
}

function notResumable({ input }: RunIdentity, state: RunState): LocalError {
  const { run, domain, input: earlier } = state.begin;
  if (earlier.sha256 === input.sha256) {
    return new LocalError(`run ${run} of ${input.name} started on ${domain}, which is no longer the default domain`, {
      hint: `to resume, add --domain ${domain}, or set LINKCTL_DOMAIN if that is refused; ${discardText(state)}`,
    });
  }
  return new LocalError(`${fileOf(input)?.name} changed since the unfinished run ${run}`, {
    hint: `restore the old file and run the command again; ${discardText(state)}`,
  });
}

function isRelated({ operation, server, account, domain, input }: RunIdentity, begin: BeginLine, onDefault: boolean): boolean {
  if (begin.operation !== operation || begin.server !== server || begin.account !== account) return false;
  if (begin.domain !== domain) return onDefault && begin.input.sha256 === input.sha256;
  const [file, earlier] = [fileOf(input), fileOf(begin.input)];
  return file !== undefined && file.name === earlier?.name && file.sha256 !== earlier.sha256;
}

/** Returns the file that contains the rows or names their links. */
function fileOf(input: RunIdentity['input']): InputFile | undefined {
  return input.file ?? (isAbsolute(input.name) ? input : undefined);
}
