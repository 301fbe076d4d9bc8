import { isAbsolute } from 'node:path';
import { type CliError, LocalError, UnknownOutcomeError } from '../../base/errors.ts';
import { newestCommand } from '../../client/link-commands.ts';
import { onDomain } from '../../client/subject.ts';
import type { ShortenItem } from '../../contract/operations.ts';
import { isInDoubt, isUntouched, type RunState, unrepeatableCount } from '../journal/journal-state.ts';
import type { BeginLine, RunIdentity } from '../journal/lines.ts';
import { foldRun, readBegin } from '../journal/run-folder.ts';
import { discardText } from '../past-runs/discard-text.ts';
import { type RunFolders, runFolders, runNames, runRecord, titleOf } from '../past-runs/run-names.ts';
import { isUndone } from '../past-runs/undo-chain.ts';
import type { InputFile, RunBeginning, RunEnvironment, RunInput } from '../run-plan.ts';
import { changesOf, countsOf } from '../runs.ts';

interface Beginning extends Pick<RunBeginning, 'again' | 'input'> {
  /** The run is on the default domain. */
  readonly onDefault: boolean;
}

/**
 * Throws if another run would not start from scratch: `LocalError` for an unfinished run if its file or the default domain has changed since,
 * `UnknownOutcomeError` for a run that was undone while rows of it may still have links. With `again`, warns of what stays.
 */
export async function assertNothingLeft(
  identity: RunIdentity,
  { again, input, onDefault }: Beginning,
  { stateFolder, warn }: Pick<RunEnvironment, 'stateFolder' | 'warn'>,
): Promise<void> {
  const { state, undone } = (await runLeft(identity, onDefault, runFolders(stateFolder))) ?? {};
  if (!state) return;
  if (!again) throw undone ? await maybeCreated(identity, state, input) : notResumable(identity, state);
  warn(undone ? leftLinks(state) : unfinishedText(state));
}

/** Returns a run of the same file or the same links that left something, which this command does not resume. */
async function runLeft(identity: RunIdentity, onDefault: boolean, folders: RunFolders) {
  for (const name of runNames(folders)) {
    const record = runRecord(name, folders);
    const begin = record.isSmall ? undefined : await readBegin(record).catch(() => undefined);
    if (!begin || !isRelated(identity, begin, onDefault)) continue;
    // Not locked here: another process may delete it.
    const state = await foldRun(name, folders);
    if (!state || isUntouched(state)) continue;
    const undone = await isUndone(state, folders);
    // It is unknown which rows of an unfinished run are done.
    if (undone ? unrepeatableCount(state) > 0 : !state.complete) return { state, undone };
  }
  return undefined;
}

function leftLinks(state: RunState): string {
  return `run ${state.begin.run} was undone, but ${unrepeatableCount(state)} of its rows may have links`;
}

/** Names the destinations of the first of these rows, unless the file has changed since. */
async function maybeCreated(identity: RunIdentity, state: RunState, input: RunInput): Promise<CliError> {
  const { begin, stateOf } = state;
  const details: string[] = [];
  let index = 0;
  for await (const rows of identity.input.sha256 === begin.input.sha256 ? input.open() : []) {
    for (const { item } of rows) {
      const { long_url = '' }: Partial<ShortenItem> = item;
      if (isInDoubt(stateOf(index))) details.push(long_url);
      index += 1;
    }
    if (details.length > shownRows) break;
  }
  const more = details.length > shownRows ? ['and others'] : [];
  return new UnknownOutcomeError(leftLinks(state), {
    details: [...details.slice(0, shownRows), ...more],
    hint: `check with: ${newestCommand(unrepeatableCount(state), begin.domain)}; to shorten all rows nevertheless, add --again`,
  });
}

const shownRows = 5;

function unfinishedText(state: RunState): string {
  const { begin } = state;
  const left = changesOf(countsOf(state));
  return `run ${begin.run} (${titleOf(begin)}) stays unfinished${left && ` (${left})`}; ${discardText(state)}`;
}

function notResumable({ input }: RunIdentity, state: RunState): LocalError {
  const { run, domain, input: earlier } = state.begin;
  if (earlier.sha256 === input.sha256) {
    return new LocalError(`run ${run} of ${input.name} started on ${domain}, which is no longer the default domain`, {
      hint: `to resume, add${onDomain(domain)}, or set LINKCTL_DOMAIN if that is refused; ${discardText(state)}`,
    });
  }
  return new LocalError(`${fileOf(input)?.name} changed since the unfinished run ${run}`, {
    hint: `restore the old file and run the command again; ${discardText(state)}`,
  });
}

function isRelated({ operation, server, account, domain, input }: RunIdentity, begin: BeginLine, onDefault: boolean): boolean {
  if (begin.operation !== operation || begin.server !== server || begin.account !== account) return false;
  // If it is unfinished, a run of the same input and domain is resumed instead.
  if (begin.input.sha256 === input.sha256 && (onDefault || begin.domain === domain)) return true;
  const [file, earlier] = [fileOf(input), fileOf(begin.input)];
  return begin.domain === domain && file !== undefined && file.name === earlier?.name && file.sha256 !== earlier.sha256;
}

/** Returns the file that contains the rows or names their links. */
function fileOf(input: RunIdentity['input']): InputFile | undefined {
  return input.file ?? (isAbsolute(input.name) ? input : undefined);
}
