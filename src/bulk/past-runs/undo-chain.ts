import { existsSync } from 'node:fs';
import { LocalError, UsageError } from '../../base/errors.ts';
import type { Identity } from '../../client/subject.ts';
import type { Edition } from '../../contract/editions.ts';
import { foldJournal } from '../journal/fold.ts';
import { isOver, mayHaveChanged, type RunState } from '../journal/journal-state.ts';
import type { BeginLine, UndoDirection } from '../journal/lines.ts';
import { foldRun, readBegin } from '../journal/run-folder.ts';
import { type NamedRun, newestFirst, newestRuns, type RunFolders, runNames, runRecord, startTimeOf } from './run-names.ts';
import { undosOf, undosOfLost } from './undos.ts';

/** Returns true if the run was undone and not redone. The same command then starts a new run, because the journal is out of date. */
export async function isUndone(state: RunState, folders: RunFolders): Promise<boolean> {
  return (await tipOf(state, folders)).isUndone;
}

/**
 * Returns true if the same command continues the run, be it to show its result. After a later change the links may differ from a recorded
 * result, so the run is over.
 */
export async function isToContinue(state: RunState, folders: RunFolders): Promise<boolean> {
  return !isOver(state) && (!state.complete || !(await hasLaterChange(state.begin, folders)));
}

async function hasLaterChange({ run, server, account }: BeginLine, folders: RunFolders): Promise<boolean> {
  for (const { run: later, begin } of newestFirst(folders, () => true)) {
    if (later === run) return false;
    if (begin?.server !== server || begin.account !== account || begin.operation === 'check') continue;
    const state = await foldRun(later, folders);
    if (state && mayHaveChanged(state)) return true;
  }
  return false;
}

/** The last run in a chain of a run, its undo, the redo of this undo and so on: it decides if the first run is undone. */
export interface Tip {
  readonly run: string;
  /** Undefined if the record is gone. The run then counts as applied. */
  readonly state: RunState | undefined;
  /** The tip undoes the first run. Otherwise it is the first run or redoes it. */
  readonly isUndone: boolean;
  /** The tip does not decide about all rows: a run of the chain after the first left some out, or a run did more rows after it was undone. */
  readonly isPart: boolean;
  /** The undo of the first run with which the chain goes on. */
  readonly undo?: string;
}

/** Throws `LocalError` if the journal is damaged. */
export async function tipOfRun(run: string, folders: RunFolders, direction: UndoDirection): Promise<Tip> {
  const first = await foldJournal(runRecord(run, folders).journal);
  return direction === 'undo' ? tipToUndo(await tipsOf(first, folders)) : await tipOf(first, folders);
}

/** What there is to undo or redo of a run, of which a run of its chain may be only a part. */
interface Rest {
  /** The first run of the chain. */
  readonly first: string;
  /** The runs that undo or redo decides about: the first run, or its undos. Empty if it was never undone. */
  readonly wholes: readonly string[];
}

export async function restOf(run: string, folders: RunFolders, direction: UndoDirection): Promise<Rest> {
  const first = await firstOf(run, folders);
  const state = await foldRun(first, folders).catch(() => undefined);
  const tips = state ? await tipsOf(state, folders) : [];
  // If the record of the run is gone, its undo comes first, and what is left is not known.
  const isKnown = state !== undefined && directionOf(state.begin) !== 'undo';
  const undos = [...new Set(tips.flatMap(({ undo }) => (isKnown && undo) || []))];
  const wholes = direction === 'redo' || undos.length === 0 ? undos : [first];
  return { first, wholes };
}

/** Returns the run with which the chain of a run begins. */
export async function firstOf(run: string, folders: RunFolders): Promise<string> {
  const { undoes } = (await readBegin(runRecord(run, folders)).catch(() => undefined)) ?? {};
  return undoes === undefined || !existsSync(runRecord(undoes, folders).path) ? run : await firstOf(undoes, folders);
}

/** Of a run that was undone in parts, a part that is in force. */
function tipToUndo(tips: readonly Tip[]): Tip {
  return tips.find(({ isUndone }) => !isUndone) ?? firstPart(tips);
}

/** A run can have several undos, each of a part of it. It is undone if one of them was not redone. */
export async function tipOf(first: RunState, folders: RunFolders): Promise<Tip> {
  const tips = await tipsOf(first, folders);
  return tips.find(({ isUndone }) => isUndone) ?? firstPart(tips);
}

function firstPart(tips: readonly Tip[]): Tip {
  return tips.find(({ isPart }) => isPart) ?? (tips[0] as Tip);
}

/** Returns the ends of all chains of undos and redos that changed something, newest first, or the run itself if there are none. */
async function tipsOf(first: RunState, folders: RunFolders): Promise<Tip[]> {
  const tips: Tip[] = [];
  for (const { run, state, isWhole } of await undosOf(first, folders)) {
    if (!state) tips.push(await tipAfterLost(run, folders));
    else {
      for (const tip of await tipsOf(state, folders)) {
        tips.push({ ...tip, isUndone: !tip.isUndone, isPart: tip.isPart || !isWhole, undo: run });
      }
    }
  }
  if (tips.length === 0) return [{ run: first.begin.run, state: first, isUndone: false, isPart: false }];
  // Parts depend on each other: a tag cannot be deleted before it was taken from all links.
  return tips.sort((one, other) => (other.state?.begin.order ?? 0) - (one.state?.begin.order ?? 0));
}

/** An undo without a readable record counts as applied, unless a redo of it is recorded. */
async function tipAfterLost(undo: string, folders: RunFolders): Promise<Tip> {
  const redo = (await undosOfLost(undo, folders)).at(-1)?.state;
  return redo ? await tipOf(redo, folders) : { run: undo, state: undefined, isUndone: true, isPart: false };
}

/** Accepts runs of the profile in use, which are the candidates if no run is named. */
export type IsOwn = (begin: BeginLine) => boolean;

/** Returns the run that `undo` reverts by default: the newest change that is not undone. An unfinished or unshown undo is continued. */
export async function nextToUndo(folders: RunFolders, isOwn: IsOwn): Promise<string | undefined> {
  for await (const own of ownRuns(folders, isOwn)) {
    const target = await targetIn(own, folders);
    if (target !== undefined) return target;
  }
  return undefined;
}

/** Returns the run to undo in the chain that begins with this run; undefined if a chain does not begin here, or nothing is left to undo. */
export async function targetIn({ run, begin }: OwnRun, folders: RunFolders): Promise<string | undefined> {
  const { undoes } = begin;
  if (undoes !== undefined && existsSync(runRecord(undoes, folders).path)) return undefined;
  const state = await foldRun(run, folders);
  if (!state || !mayHaveChanged(state)) return undefined;
  const tips = await tipsOf(state, folders);
  // The record of the run that it undoes is gone.
  const isUndo = directionOf(begin) === 'undo';
  return await targetOfUndo(tipToUndo(isUndo ? tips.map((tip) => ({ ...tip, isUndone: !tip.isUndone })) : tips), folders);
}

/** Returns undefined if nothing is left to undo. */
export async function targetOfUndo({ run, state, isUndone: isBack }: Tip, folders: RunFolders): Promise<string | undefined> {
  if (!isBack) return run;
  return state && (await isToContinue(state, folders)) ? state.begin.undoes : undefined;
}

/** Returns the undo that `redo` reverts by default: the newest that was not redone; undefined if another change was made since. */
export async function nextToRedo(folders: RunFolders, isOwn: IsOwn): Promise<string | undefined> {
  for await (const { run, begin } of ownRuns(folders, isOwn)) {
    const state = await foldRun(run, folders);
    if (!state || !mayHaveChanged(state) || (await isUndone(state, folders))) continue;
    if (begin.undoes === undefined) return undefined;
    if (directionOf(begin) === 'undo') return run;
    if (await isToContinue(state, folders)) return begin.undoes;
  }
  return undefined;
}

/** `redo` also accepts the name of an undo that was not redone, instead of the run that it undid. */
export async function targetOfRedo(
  named: string,
  { run, state, isUndone: isBack, isPart, undo }: Tip,
  folders: RunFolders,
): Promise<string | undefined> {
  const begin = await readBegin(runRecord(named, folders)).catch(() => undefined);
  if (begin && directionOf(begin) === 'undo') return isBack ? undefined : named;
  if (isBack) return run;
  if (!state || directionOf(state.begin) !== 'redo') return undefined;
  if (await isToContinue(state, folders)) return state.begin.undoes;
  return isPart ? undo : undefined;
}

/** Returns undefined for a run that undoes no other. Does not read the record of the undone run, which may be deleted. */
export function directionOf({ undoes, direction, what }: BeginLine): UndoDirection | undefined {
  if (undoes === undefined) return undefined;
  // Earlier builds recorded it only in the title, which they generated.
  return direction ?? (what?.startsWith('redo ') ? 'redo' : 'undo');
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
  for (const { run, begin } of newestRuns(folders.state)) {
    if (!begin || begin.operation === 'check' || !isOwn(begin)) continue;
    await assertReadable(startTimeOf(run));
    yield { run, begin };
  }
  await assertReadable(0);
}

async function assertBegin(run: string, folders: RunFolders): Promise<void> {
  const record = runRecord(run, folders);
  const begin = await readBegin(record).catch(() => undefined);
  // Another process may have deleted the record meanwhile.
  if (begin || !existsSync(record.path)) return;
  throw new LocalError(`the record of run ${run} is damaged, and it may be that of the last change`, {
    hint: `to undo an earlier run, name it (linkctl runs), or delete the damaged record: linkctl runs forget ${run}`,
  });
}

type Account = Pick<Identity, 'server' | 'username' | 'profile'>;

interface AccountInUse {
  readonly identity: Account;
  readonly edition: Edition;
}

/** On another account, equal hashes are other links. With `isReading`, the same profile is enough, because its server may have moved. */
export function assertSameAccount(begin: BeginLine, { identity, edition }: AccountInUse, isReading = false): void {
  const { server, username, profile } = identity;
  if (begin.server === server && begin.account === username) return;
  if (isReading && begin.profile === profile) return;
  const isOther = begin.profile !== undefined && profile !== undefined && begin.profile !== profile;
  const [owner, other] = isOther
    ? [`profile "${begin.profile}"`, `profile "${profile}"`]
    : [`${begin.account} on ${begin.server}`, `${username} on ${server}`];
  throw new UsageError(`run ${begin.run} belongs to ${owner}, not to ${other}`, { hint: accountHint(begin, profile, edition) });
}

/** The sandbox has an account for each edition, and a profile may have got another one. */
function accountHint(begin: BeginLine, profile: string | undefined, edition: Edition): string {
  if (begin.profile === undefined) return 'select its profile with --profile';
  if (begin.profile !== profile) return `add --profile ${begin.profile}`;
  if (begin.edition !== edition) return `add --edition ${begin.edition}`;
  return `profile ${profile} has another account now: linkctl auth list`;
}

/** Returns true for a run of the account and profile in use. Without a profile, on either side, the account is enough. */
export function isOfProfile(begin: BeginLine, { server, username, profile }: Account): boolean {
  const isSameProfile = begin.profile === undefined || profile === undefined || begin.profile === profile;
  return begin.server === server && begin.account === username && isSameProfile;
}
