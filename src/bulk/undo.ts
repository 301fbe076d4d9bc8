import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { System } from '../base/system.ts';
import { SeenKeys } from '../client/seen-keys.ts';
import { type LinkKey, linkText } from '../contract/link.ts';
import { askedPrints, fieldsSincePrinted, type LinkPrints, valuePrints } from '../link/prints.ts';
import { chainIn, changeOf, composed, type DoneChange, type EarlierLink, isIn } from './done-change.ts';
import { foldJournal } from './journal/fold.ts';
import { type BeforeImage, type KeptImages, keptImages } from './journal/images.ts';
import { damaged, linesBackwards, openJournal, type Place, readJournal } from './journal/journal.ts';
import { linksOf, statusesOf } from './journal/ledger.ts';
import type { BeginLine, ResultLine } from './journal/lines.ts';
import { indexesOf } from './journal/ranges.ts';
import { claimRun, readBegin, whileThere } from './journal/run-folder.ts';
import { isSettled, type RowState, type RunState } from './journal/run-state.ts';
import { imagesName, journalName, type RunFolders, reportedName, runFolders, runNames } from './run-names.ts';
import { isUndone } from './undone.ts';

/** A run that is to be taken back. */
export interface DoneRun {
  readonly begin: BeginLine;
  /** What its rows did: of a shortening that edits links whose hashes are taken, as of `apply`, each its own (I6). */
  readonly kind: BeginLine['operation'];
  /** Every row has its final status. */
  readonly isComplete: boolean;
  /** Its result was printed. A process that was killed just before did all, and nobody knows. */
  readonly isReported: boolean;
  /** Rows of which it is not known whether they made links, which cannot be found. */
  readonly lost: number;
  /** Folder with all that is kept of it. */
  readonly folder: string;
  /** What was done, some at a time, the last first. */
  changes(): AsyncGenerator<readonly DoneChange[]>;
}

/** Reads a run that is to be undone. Throws `LocalError` where its journal is damaged. */
export async function readDoneRun(stateFolder: string, run: string): Promise<DoneRun> {
  const folder = join(runFolders(stateFolder).runs, run);
  const state = await foldJournal(join(folder, journalName));
  const { begin, complete } = state;
  const kind = begin.options.onConflict === 'update' ? 'apply' : begin.operation;
  const isCreation = kind === 'shorten';
  return {
    begin,
    kind,
    isComplete: complete,
    isReported: existsSync(join(folder, reportedName)),
    lost: isCreation ? lostRows(state) : 0,
    folder,
    changes: () =>
      isCreation
        ? newLinks(stateFolder, folder, state)
        : kind === 'apply'
          ? appliedChanges(folder, state)
          : changedLinks(folder, state),
  };
}

/** Keeps that the result of an undo was printed: from then on `last` means this undo, and not the run that it takes back (U2). */
export function recordReported(stateFolder: string, run: string): void {
  try {
    writeFileSync(join(runFolders(stateFolder).runs, run, reportedName), '', { mode: 0o600 });
  } catch {
    // The record is gone, or its disk is full: the same command then finds nothing left to undo.
  }
}

/** The fields of a created link that are not as they were when it was made. */
export function fieldsSinceMade({ made = {} }: DoneChange, now: EarlierLink): string[] {
  return fieldsSincePrinted(made, now);
}

/** Rows of which nothing was applied. A row that failed may have been changed in part. */
const untouched: ReadonlySet<RowState> = new Set(['free', 'unchanged', 'existing']);

async function* changedLinks(folder: string, state: RunState): AsyncGenerator<readonly DoneChange[]> {
  const { rows } = state.begin.input;
  const images = await keptImages(folder, rows);
  assertWhole(images, state, join(folder, imagesName));
  const touched = async function* (): AsyncGenerator<readonly BeforeImage[]> {
    for await (const some of images.backwards()) yield some.filter(({ row }) => !untouched.has(state.stateOf(row)));
  };
  const isCertain = (row: number): boolean => state.stateOf(row) !== 'failed' && isSettled(state.stateOf(row));
  const chain = state.begin.operation === 'edit' ? await chainIn(touched) : new Set<string>();
  if (chain.size > 0) {
    const chained: BeforeImage[] = [];
    for await (const some of touched()) chained.push(...some.filter((image) => isIn(chain, image)));
    yield composed(chained, isCertain).reverse();
  }
  for await (const some of touched()) {
    const alone = chain.size === 0 ? some : some.filter((image) => !isIn(chain, image));
    yield alone.map((image) => changeOf(image, isCertain(image.row)));
  }
}

/** What a run did that made links, too: of those there is no image but that there was none. */
async function* appliedChanges(folder: string, state: RunState): AsyncGenerator<readonly DoneChange[]> {
  yield* createdLinks(folder, state);
  const images = await keptImages(folder, state.begin.input.rows);
  for await (const some of images.backwards()) {
    yield some
      .filter(({ row, record }) => record === null && isInDoubt(row, state))
      .map(({ payload: { hash, domain, ...asked } }) => createdLink({ hash, domain }, askedPrints(asked)));
  }
  for await (const some of changedLinks(folder, state)) yield some.filter(({ before }) => before !== null);
}

/** No change without what was there before it (U1). */
function assertWhole(images: KeptImages, { begin, stateOf }: RunState, path: string): void {
  for (let row = 0; row < begin.input.rows; row += 1) {
    const state = stateOf(row);
    if (!untouched.has(state) && state !== 'failed' && !images.has(row)) throw damaged(path, `nothing of row ${row + 1}`);
  }
}

/**
 * The created links of a run, and whether an earlier run has created them already: where nothing shows that a link was there before, a
 * repeated file counts it as created once more. Links that an undo made again were read as missing before.
 */
async function* newLinks(stateFolder: string, folder: string, state: RunState): AsyncGenerator<readonly DoneChange[]> {
  const { begin } = state;
  const known = begin.undoes === undefined ? await earlierLinks(stateFolder, begin) : new SeenKeys();
  for await (const some of createdLinks(folder, state)) {
    yield some.map((change) => {
      const { hash, domain = begin.domain } = change.link;
      return known.add(linkText({ hash, domain })) ? change : { ...change, isEarlier: true };
    });
  }
}

/** The links that earlier runs on the same account created, and that no undo took back. */
async function earlierLinks(stateFolder: string, { run, at, server, account }: BeginLine): Promise<SeenKeys> {
  const folders = runFolders(stateFolder);
  const known = new SeenKeys();
  for (const name of runNames(folders)) {
    const folder = join(folders.runs, name);
    const begin = await whileThere(name, folders, readBegin).catch(() => undefined);
    const isEarlier = begin?.operation === 'shorten' && begin.server === server && begin.account === account && begin.at <= at;
    if (!isEarlier || name === run) continue;
    const state = await foldJournal(join(folder, journalName));
    if (await isUndone(state, folders)) continue;
    for await (const some of createdLinks(folder, state)) {
      for (const { link } of some) known.add(linkText({ hash: link.hash, domain: link.domain ?? begin.domain }));
    }
  }
  return known;
}

/** The links that a run made: those that it reported, and those that it may have made under hashes of its own. */
async function* createdLinks(folder: string, state: RunState): AsyncGenerator<readonly DoneChange[]> {
  const { begin, placeOf, keys } = state;
  const path = join(folder, journalName);
  // Of those with an image, that says it.
  const inDoubt = begin.undo ? [] : [...keys].filter(([row]) => isInDoubt(row, state));
  yield inDoubt.map(([, hash]) => createdLink({ hash, domain: begin.domain }, undefined));
  const places: Place[] = [];
  for await (const { line, ...place } of readJournal(path)) if (line.type === 'result') places.push(place);
  let nth = places.length;
  for await (const line of linesBackwards(path, places)) {
    nth -= 1;
    const offset = places[nth]?.offset;
    // The first rows of a keyed run are sent twice on purpose (R-X7): the later line counts.
    if (line.type === 'result') yield createdOf(line, (row) => placeOf(row).offset === offset);
  }
}

function createdOf(line: ResultLine, isLatest: (row: number) => boolean): DoneChange[] {
  const links = linksOf(line);
  const values = valuePrints(line.values, links.length);
  const rows = indexesOf(line.rows);
  const created: DoneChange[] = [];
  let done = 0;
  for (const [position, status] of statusesOf(line).entries()) {
    if (status === 'failed') continue;
    const link = links[done];
    const made = { long_url: link?.print, ...values[done] };
    done += 1;
    if (status !== 'created' || !link || !isLatest(rows[position] ?? -1)) continue;
    created.push(createdLink({ hash: link.hash, domain: line.domain }, made));
  }
  return created.reverse();
}

function createdLink(link: LinkKey, made: LinkPrints | undefined): DoneChange {
  return { link, asked: {}, before: undefined, made, isCertain: made !== undefined };
}

/** Rows in doubt without a hash of the run's own. */
function lostRows(state: RunState): number {
  let count = 0;
  for (let row = 0; row < state.begin.input.rows; row += 1) if (isInDoubt(row, state) && !state.keys.has(row)) count += 1;
  return count;
}

function isInDoubt(row: number, { stateOf }: RunState): boolean {
  return stateOf(row) !== 'free' && !isSettled(stateOf(row));
}

/** Throws `LocalError` while a process works on the run. */
export async function assertIdle(run: string, folders: RunFolders, system: System): Promise<void> {
  (await claimRun(run, folders, system, 0)).release();
}

/**
 * Writes into a run's journal that another one takes it back, before that sends anything: from then on the same command begins anew
 * (U2). The caller holds the run. Nothing is written where its record is gone.
 */
export async function recordUndone(
  { undoes, by }: { readonly undoes: string; readonly by: string },
  folders: RunFolders,
  system: System,
): Promise<void> {
  if (!runNames(folders).includes(undoes)) return;
  const path = join(folders.runs, undoes, journalName);
  const { size, undoneBy } = await foldJournal(path);
  if (undoneBy === by) return;
  const journal = await openJournal(path, size);
  const at = new Date(system.now()).toISOString();
  await journal.write({ type: 'undone', by, at }).finally(() => journal.close());
}
