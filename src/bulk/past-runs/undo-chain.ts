import { existsSync } from 'node:fs';
import { LocalError, messageOf, UsageError } from '../../base/errors.ts';
import { shellWord } from '../../base/quoted.ts';
import type { Identity } from '../../client/subject.ts';
import { foundAllUndone, isOver, mayHaveChanged, type RunState } from '../journal/journal-state.ts';
import { isWithheld } from '../journal/line-reader.ts';
import type { BeginLine, UndoDirection } from '../journal/lines.ts';
import { foldKeptRun, foldRun, readBegin } from '../journal/run-folder.ts';
import { type NamedRun, newestFirst, type RunFolders, type RunRecord, runNames, runRecord, startTimeOf } from './run-names.ts';
import { endsOf, reversalsOf } from './undos.ts';

/** Returns the newest undo of the run that is not redone; undefined if there is none. */
export async function undoerOf(state: RunState, folders: RunFolders): Promise<string | undefined> {
  return endsOf(await reversalsOf(state, folders)).findLast(({ isUndo }) => isUndo)?.run;
}

/** Returns true if the run was undone and not redone. The same command then starts a new run, because the journal is out of date. */
export async function isUndone(state: RunState, folders: RunFolders): Promise<boolean> {
  return (await undoerOf(state, folders)) !== undefined;
}

/**
 * Returns true if the same command continues the run, be it to show its result. After a later change the links may differ from a recorded
 * result, so the run is over.
 */
export async function isToContinue(state: RunState, folders: RunFolders): Promise<boolean> {
  return !isOver(state) && (!state.complete || !(await hasLaterChange(state.begin, folders)));
}

async function hasLaterChange({ run, server, account }: BeginLine, folders: RunFolders): Promise<boolean> {
  for (const { run: later, begin } of newestFirst(folders)) {
    if (later === run) return false;
    if (begin?.server !== server || begin.account !== account || begin.operation === 'check') continue;
    const state = await foldRun(later, folders);
    if (state && mayHaveChanged(state)) return true;
  }
  return false;
}

/** What `undo` or `redo` reverts of a run. */
export interface Parts {
  /** The run itself or its undos, which cover everything that there is to revert. */
  readonly wholes: readonly string[];
  /** False if the record of an undo is gone, so that its part shows only in the ends. */
  readonly areAll: boolean;
  /** Nothing was reverted yet. */
  readonly isWhole: boolean;
  /** The ends of the chain to be reverted first, the newest first: their records show how the links were right before them. */
  readonly ends: readonly string[];
  /** This run was reverted, but the result of that was not shown. */
  readonly unshown: string | undefined;
  /** The run that did last what is asked for, or that found it done. */
  readonly doneBy: { readonly run: string; readonly foundDone: boolean } | undefined;
}

/** Throws `NotFoundError` if the record of the run is gone, and `LocalError` if its journal is damaged. */
export async function partsOf(run: string, command: UndoDirection, folders: RunFolders): Promise<Parts> {
  const { reversals, isOfUndos, wholes, areAll } = await chainOf(run, command, folders);
  const ends: string[] = [];
  const lost: string[] = [];
  let doneBy: Parts['doneBy'];
  let unshown: string | undefined;
  for (const end of endsOf(reversals).toReversed()) {
    if (end.isUndo === isOfUndos) {
      // The links of the run show what a redo did, also without its record. What an undo did shows only its record.
      if (end.state) ends.push(end.run);
      else if (isOfUndos) lost.push(end.run);
    } else {
      doneBy ??= { run: end.run, foundDone: end.state !== undefined && foundAllUndone(end.state.begin) };
      if (!end.state || !(await isToContinue(end.state, folders))) continue;
      ends.push(end.undoes);
      if (end.state.complete) unshown ??= end.undoes;
    }
  }
  return { wholes: [...wholes, ...lost], areAll, isWhole: reversals.length === 0, ends, unshown, doneBy };
}

/** Throws as `partsOf` does. */
export async function wholesOf(run: string, command: UndoDirection, folders: RunFolders): Promise<readonly string[]> {
  return (await chainOf(run, command, folders)).wholes;
}

async function chainOf(run: string, command: UndoDirection, folders: RunFolders) {
  const state = await foldKeptRun(run, folders);
  const reversals = await reversalsOf(state, folders);
  // `redo` reverts the undos of a run. An undo that is named is itself reverted.
  const isOfUndos = command === 'redo' && state.begin.direction !== 'undo';
  if (!isOfUndos) return { reversals, isOfUndos, wholes: [run], areAll: true };
  const undos = reversals.filter(({ undoes }) => undoes === run).toReversed();
  const kept = undos.filter((undo) => undo.state !== undefined);
  return { reversals, isOfUndos, wholes: kept.map((undo) => undo.run), areAll: kept.length === undos.length };
}

/** Returns the run with which the chain of a run begins, or the run itself if the record of the first one is gone. */
export async function wholeOf(run: string, folders: RunFolders): Promise<string> {
  const first = await firstOf(run, folders);
  const begin = await readBegin(runRecord(first, folders)).catch(() => undefined);
  return begin?.undoes === undefined ? first : run;
}

/** Returns the oldest run of a chain whose record is kept. */
export async function firstOf(run: string, folders: RunFolders): Promise<string> {
  const { undoes } = (await readBegin(runRecord(run, folders)).catch(() => undefined)) ?? {};
  return undoes === undefined || !existsSync(runRecord(undoes, folders).path) ? run : await firstOf(undoes, folders);
}

/** Accepts runs of the profile in use, which are the candidates if no run is named. */
export type IsOwn = (begin: BeginLine) => boolean;

/** Asks whether something of a run that was undone and redone in parts is still applied. */
export type IsLeft = (run: string) => Promise<boolean>;

/**
 * Returns the run that `undo` reverts by default: the newest change that is not undone. A redo is as new as it was made, whatever it redid. An
 * unfinished or unshown undo is continued.
 */
export async function nextToUndo(folders: RunFolders, isOwn: IsOwn, isLeft: IsLeft): Promise<string | undefined> {
  const chains = new Map<string, AppliedChange | undefined>();
  for await (const own of ownRuns(folders, isOwn)) {
    const first = await firstOf(own.run, folders);
    if (!chains.has(first)) {
      const begin = first === own.run ? own.begin : await readBegin(runRecord(first, folders)).catch(() => undefined);
      chains.set(first, begin && (await appliedChange({ run: first, begin }, folders, isLeft)));
    }
    const found = chains.get(first);
    // If the newest run of the chain is that of another profile, it is not asked here, but the first one is.
    if (found && (found.since === own.run || first === own.run)) return found.run;
  }
  return undefined;
}

interface AppliedChange {
  readonly run: string;
  /** The newest run of the chain whose work is still applied, or is to be continued. */
  readonly since: string;
}

/** Returns the change of the chain that begins with this run; undefined if no chain begins here, or nothing of it is applied. */
export async function appliedChange(
  { run, begin }: OwnRun,
  folders: RunFolders,
  isLeft: IsLeft,
): Promise<AppliedChange | undefined> {
  const { undoes } = begin;
  if (undoes !== undefined && existsSync(runRecord(undoes, folders).path)) return undefined;
  const state = await foldRun(run, folders);
  if (!state || !mayHaveChanged(state)) return undefined;
  const ends = endsOf(await reversalsOf(state, folders));
  // If it is an undo, the record of the run that it undoes is gone.
  const isOfLost = begin.direction === 'undo';
  const newest = ends.findLast(({ isUndo }) => isUndo === isOfLost)?.run;
  const applied = newest === undefined ? undefined : { run: newest, since: newest };
  if (isOfLost) return applied;
  if (ends.length === 0) return { run, since: run };
  for (const end of ends) if (end.isUndo && end.state && (await isToContinue(end.state, folders))) return { run, since: end.run };
  return applied && (await isLeft(run)) ? applied : undefined;
}

/** Returns the undo that `redo` reverts by default: the newest that was not redone; undefined if another change was made since. */
export async function nextToRedo(folders: RunFolders, isOwn: IsOwn): Promise<string | undefined> {
  for await (const { run, begin } of ownRuns(folders, isOwn)) {
    const state = await foldRun(run, folders);
    if (!state || !mayHaveChanged(state) || (await isUndone(state, folders))) continue;
    if (begin.undoes === undefined) return undefined;
    if (begin.direction === 'undo') return run;
    if (await isToContinue(state, folders)) return begin.undoes;
  }
  return undefined;
}

export interface OwnRun extends NamedRun {
  readonly begin: BeginLine;
}

/**
 * Newest first, without checks, because they change nothing. Throws `LocalError` at a run that may be older than a damaged record: only the
 * name of such a record can be trusted, which has the time of its start.
 */
async function* ownRuns(folders: RunFolders, isOwn: IsOwn): AsyncGenerator<OwnRun> {
  const unread = runNames(folders);
  const assertReadable = async (since: number): Promise<void> => {
    for (let last = unread.at(-1); last !== undefined && startTimeOf(last) >= since; last = unread.at(-1)) {
      await assertBegin(last, folders);
      unread.pop();
    }
  };
  for (const { run, begin } of newestFirst(folders)) {
    if (!begin || begin.operation === 'check' || !isOwn(begin)) continue;
    await assertReadable(startTimeOf(run));
    yield { run, begin };
  }
  await assertReadable(0);
}

async function assertBegin(run: string, folders: RunFolders): Promise<void> {
  const record = runRecord(run, folders);
  const begin = await readBegin(record).catch((error: unknown) => {
    if (isWithheld(error)) throw withheldError(error, record);
    return undefined;
  });
  // Another process may have deleted the record meanwhile.
  if (begin || !existsSync(record.path)) return;
  throw new LocalError(`the record of run ${run} is damaged, and it may be that of the last change`, {
    hint: `to undo an earlier run, name it (linkctl runs), or delete the damaged record: linkctl runs forget ${run}`,
  });
}

function withheldError(cause: unknown, { journal }: RunRecord): LocalError {
  return new LocalError(messageOf(cause), {
    cause,
    hint: `it may be the record of the last change: make it readable (ls -ln ${shellWord(journal)}), or name the run to undo (linkctl runs)`,
  });
}

type Account = Pick<Identity, 'server' | 'username' | 'profile'>;

/** On another account, equal hashes are other links. With `isReading`, the same profile is enough, because its server may have moved. */
export function assertSameAccount(begin: BeginLine, { identity }: { readonly identity: Identity }, isReading = false): void {
  const { server, username, profile } = identity;
  if (begin.server === server && begin.account === username) return;
  // The server of the profile may have moved.
  if (isReading && begin.profile === profile && begin.account === username) return;
  const isOther = begin.profile !== undefined && profile !== undefined && begin.profile !== profile;
  const [owner, other] = isOther
    ? [`profile "${begin.profile}"`, `profile "${profile}"`]
    : [`${begin.account} on ${begin.server}`, `${username} on ${server}`];
  throw new UsageError(`run ${begin.run} belongs to ${owner}, not to ${other}`, { hint: accountHint(begin, identity) });
}

function accountHint(begin: BeginLine, { profile, server, baseUrl }: Identity): string {
  if (begin.profile === undefined) return 'select its profile with --profile';
  if (begin.profile !== profile) return `add --profile ${begin.profile}`;
  // The sandbox has an account for each edition.
  if (server !== baseUrl) return `add --edition ${begin.edition}`;
  return `profile ${profile} has another account now: linkctl auth list`;
}

/** Returns true for a run of the account and profile in use. Without a profile, on either side, the account is enough. */
export function isOfProfile(begin: BeginLine, { server, username, profile }: Account): boolean {
  const isSameProfile = begin.profile === undefined || profile === undefined || begin.profile === profile;
  return begin.server === server && begin.account === username && isSameProfile;
}
