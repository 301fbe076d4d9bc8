import { isAbsolute } from 'node:path';
import { type CliError, LocalError, UnknownOutcomeError, UsageError } from '../../base/errors.ts';
import { destinationsCommand } from '../../client/link-commands.ts';
import { onDomain } from '../../client/subject.ts';
import type { ShortenItem } from '../../contract/operations.ts';
import {
  changeKind,
  isInDoubt,
  isUntouched,
  mayHaveChanged,
  type RunState,
  unrepeatableCount,
} from '../journal/journal-state.ts';
import type { BeginLine, RecordedInput, RunIdentity } from '../journal/lines.ts';
import { foldRun, lastLine } from '../journal/run-folder.ts';
import { assertIdle } from '../past-runs/later-lines.ts';
import { leftCount, readRevertibleRun } from '../past-runs/reverted-changes.ts';
import { newestFirst, type RunFolders, runRecord, titleOf } from '../past-runs/run-names.ts';
import { discardText, makesSecondLinks, waysText } from '../past-runs/second-links.ts';
import { isUndone, undoerOf } from '../past-runs/undo-chain.ts';
import type { RunBeginning, RunEnvironment, RunInput } from '../run-plan.ts';
import { changesOf, countsOf } from '../runs.ts';
import { changedOptions } from './given-flags.ts';

interface Beginning extends Pick<RunBeginning, 'again' | 'input'> {
  /** The run is on the default domain. */
  readonly onDefault: boolean;
}

/**
 * Throws if another run would not start from scratch: `LocalError` for an unfinished run if its file or the default domain has changed since
 * or another process works on it, and for a run whose undo left links that would get second ones; `UnknownOutcomeError` if rows in doubt of an
 * undone run may have links. With `again`, and for an unfinished run of another stream on stdin, warns of what stays.
 */
export async function assertNothingLeft(
  identity: RunIdentity,
  { again, input, onDefault }: Beginning,
  { folders, warn, system }: Pick<RunEnvironment, 'folders' | 'warn' | 'system'>,
): Promise<void> {
  const left = await runsLeft(identity, onDefault, folders);
  const refused = again ? undefined : left.find(({ state }) => !areStreams(identity, state.begin));
  if (refused) {
    await assertIdle(refused.state.begin.run, folders, system);
    throw await errorOf(refused, identity, input);
  }
  for (const { state, links } of left.slice(0, 1)) warn(links === undefined ? unfinishedText(state) : leftText(state, links));
}

interface LeftRun {
  readonly state: RunState;
  /** Of a run that was undone, the number of its links that may be left; undefined for an unfinished run. */
  readonly links: number | undefined;
}

async function errorOf({ state, links }: LeftRun, identity: RunIdentity, input: RunInput): Promise<CliError> {
  if (links === undefined) return notResumable(identity, state);
  const { run } = state.begin;
  const rest = links > 0 ? `to undo the rest: linkctl undo ${run}, and with --force what that leaves unchanged; ` : '';
  const message = leftText(state, links);
  if (unrepeatableCount(state) === 0) return new LocalError(message, { hint: `${rest}${waysText(identity, state.begin)}` });
  const { details, hint } = await rowsInDoubt(identity, state, input);
  return new UnknownOutcomeError(message, { details, hint: `${rest}${hint}` });
}

/** Returns the runs of the same file or the same links that left something, which this command does not resume, newest first. */
async function runsLeft(identity: RunIdentity, onDefault: boolean, folders: RunFolders): Promise<LeftRun[]> {
  const left: LeftRun[] = [];
  const all = newestFirst(folders);
  let usedAt: number | undefined;
  for (const [position, { run, begin }] of all.entries()) {
    const record = runRecord(run, folders);
    if (!begin || record.isSmall || !isRelated(identity, begin, onDefault)) continue;
    // Not locked here: another process may delete it.
    const isOver = (await lastLine(record.journal).catch(() => undefined))?.type === 'shown';
    const state = isOver ? undefined : await foldRun(run, folders);
    if (!isOver && (!state || isUntouched(state))) continue;
    const usedSince = usedAt;
    if (isOfFile(identity, begin)) usedAt ??= position;
    if (!state) continue;
    const undoer = await undoerOf(state, folders);
    if (undoer === undefined) {
      // It is unknown which rows of an unfinished run are done.
      if (!state.complete) left.push({ state, links: undefined });
      continue;
    }
    const undoneAt = all.findIndex((other) => other.run === undoer);
    const isUsedAfterUndo = usedSince !== undefined && usedSince < (undoneAt < 0 ? position : undoneAt);
    // Somebody decided on the links that are left, if the file was changed and used since the undo.
    const isDecided = begin.input.sha256 !== identity.input.sha256 && isUsedAfterUndo;
    if (isDecided || areStreams(identity, begin)) continue;
    const doubtful = unrepeatableCount(state);
    if (doubtful === 0 && !makesSecondLinks(identity)) continue;
    const links = await leftCount(await readRevertibleRun(run, folders));
    if (doubtful + links > 0) left.push({ state, links });
  }
  return left;
}

/**
 * Throws a LocalError if the file had other contents when a later run used it, which `--again` allows: that run may have edited links of rows
 * that this one has done.
 */
export async function assertNotOvertaken(
  identity: RunIdentity,
  state: RunState,
  { folders, system }: Pick<RunEnvironment, 'folders' | 'system'>,
): Promise<void> {
  const kind = changeKind(state.begin);
  if (kind !== 'edit' && kind !== 'apply') return;
  for (const { run, begin } of newestFirst(folders)) {
    if (run === state.begin.run) return;
    if (!begin || changeKind(begin) !== kind || !isRelated(identity, begin, false) || !isOfFile(identity, begin)) continue;
    const later = await foldRun(run, folders);
    if (!later || !mayHaveChanged(later) || (await isUndone(later, folders))) continue;
    await assertIdle(state.begin.run, folders, system);
    const { name } = fileOf(identity.input) ?? identity.input;
    throw new LocalError(`run ${run} has used ${name} with other contents since its unfinished run ${state.begin.run}`, {
      hint: discardText(state),
    });
  }
}

/** Rows in doubt are not among those of the links, which undo can find. */
function leftText(state: RunState, links: number): string {
  const doubtful = unrepeatableCount(state);
  const more = doubtful > 0 ? `, and ${doubtful} more may have some` : '';
  const left = links > 0 ? `${links} of its rows may still have links${more}` : `${doubtful} of its rows may have links`;
  return `run ${state.begin.run} was undone, but ${left}`;
}

/** The error for a file whose run is finished. Names the rows that have no link, or may have none. */
export function alreadyCompleted(identity: RunIdentity, { begin, counts }: RunState): UsageError {
  const flags = changedOptions(identity, begin);
  const how = flags.length > 0 ? `, with other flags (${flags.join(', ')})` : '';
  const left = (['failed', 'unknown'] as const).flatMap((state) => (counts.get(state) ? `${counts.get(state)} ${state}` : []));
  return new UsageError(
    `${identity.input.name} was already completed by run ${begin.run}${how}${left.length > 0 ? ` (${left.join(', ')})` : ''}`,
    { hint: `${waysText(identity, begin, '--again --dedupe')}; to see the run: linkctl runs show ${begin.run}` },
  );
}

/** Names the destinations of the first rows in doubt, unless the file has changed since: no record shows them then. */
async function rowsInDoubt(identity: RunIdentity, state: RunState, input: RunInput) {
  const { input: now } = identity;
  const { begin, stateOf } = state;
  const hasChanged = now.sha256 !== begin.input.sha256;
  const inDoubt: Partial<ShortenItem>[] = [];
  let index = 0;
  for await (const rows of hasChanged ? [] : input.open()) {
    for (const { item } of rows) {
      if (isInDoubt(stateOf(index))) inDoubt.push(item);
      index += 1;
    }
  }
  const longUrls = inDoubt.slice(0, shownRows).map(({ long_url = '' }) => long_url);
  const more = inDoubt.length > shownRows ? ['and others'] : [];
  const changed = `${fileOf(now)?.name} changed since: whether it has these rows is not known`;
  const forget = hasChanged ? `; to forget the run: linkctl runs forget ${begin.run}` : '';
  const check = `check with: ${destinationsCommand(inDoubt, begin.domain)}`;
  return {
    details: hasChanged ? [changed] : [...longUrls, ...more],
    hint: `${check}; ${waysText(identity, begin, '--again --dedupe')}${forget}`,
  };
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

/** Returns true for a run of the same file with other contents, and of the same input if the command would not continue it. */
export function isRelated(
  { operation, server, account, domain, input }: RunIdentity,
  begin: BeginLine,
  onDefault: boolean,
): boolean {
  if (begin.operation !== operation || begin.server !== server || begin.account !== account) return false;
  // If it is unfinished, a run of the same input and domain is resumed instead.
  if (begin.input.sha256 === input.sha256 && (onDefault || begin.domain === domain)) return true;
  if (begin.domain !== domain || begin.input.sha256 === input.sha256) return false;
  return isOfFile({ input }, begin) || areStreams({ input }, begin);
}

function isOfFile({ input }: Pick<RunIdentity, 'input'>, begin: BeginLine): boolean {
  const file = fileOf(input);
  return file !== undefined && file.name === fileOf(begin.input)?.name;
}

/** Streams have no names, so that of two with other contents nobody knows whether they belong together. */
function areStreams({ input }: Pick<RunIdentity, 'input'>, begin: BeginLine): boolean {
  return input.sha256 !== begin.input.sha256 && [input, begin.input].every(({ name, file }) => name === 'stdin' && !file);
}

/** Returns the file that contains the rows or names their links. */
function fileOf(input: RecordedInput): RecordedInput['file'] {
  return input.file ?? (isAbsolute(input.name) ? input : undefined);
}
