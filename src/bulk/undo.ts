import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { System } from '../base/system.ts';
import type { LinkKey } from '../contract/link.ts';
import type { EditFields } from '../contract/operations.ts';
import { foldJournal } from './journal/fold.ts';
import { type BeforeImage, readImages } from './journal/images.ts';
import { openJournal, readJournal } from './journal/journal.ts';
import { linksOf, statusesOf } from './journal/ledger.ts';
import type { BeginLine, ResultLine } from './journal/lines.ts';
import { indexesOf } from './journal/ranges.ts';
import { claimRun } from './journal/run-folder.ts';
import type { RowState, RunState } from './journal/run-state.ts';
import { placeOf } from './matching/place.ts';
import type { KnownRecord } from './matching/verdict.ts';
import { journalName, type RunFolders, runFolders } from './run-names.ts';

/** A link as it was. */
export type EarlierLink = KnownRecord;

/** What a run did, or may have done, to one link. */
export interface DoneChange {
  /** As the run named it. On edition A without a domain where that was the default one. */
  readonly link: LinkKey;
  /** The fields that it was to get. */
  readonly asked: EditFields;
  /** The link before; null for one that did not exist. Undefined for a link that the run created. */
  readonly before: EarlierLink | null | undefined;
  /** Of a created link: a fingerprint of where it led. */
  readonly place?: string | undefined;
}

/** A run that is to be taken back. */
export interface DoneRun {
  readonly begin: BeginLine;
  /** Every row has its final status. */
  readonly isComplete: boolean;
  /** Folder with all that is kept of it. */
  readonly folder: string;
  /** What was done, some at a time, in the order of the run. */
  changes(): AsyncGenerator<readonly DoneChange[]>;
}

/** Reads a run that is to be undone. Throws `LocalError` where its journal is damaged. */
export async function readDoneRun(stateFolder: string, run: string): Promise<DoneRun> {
  const folder = join(runFolders(stateFolder).runs, run);
  const state = await foldJournal(join(folder, journalName));
  const { begin, complete } = state;
  const changes = () => (begin.operation === 'shorten' ? createdLinks(folder, state) : changedLinks(folder, state));
  return { begin, isComplete: complete, folder, changes };
}

/** Whether a created link leads elsewhere than when it was created. */
export function leadsElsewhere({ place }: DoneChange, now: EarlierLink): boolean {
  return place !== undefined && placeOf(now) !== place;
}

/** Rows of which nothing was applied. A row that failed may have been changed in part. */
const untouched: ReadonlySet<RowState> = new Set(['free', 'unchanged', 'existing']);

async function* changedLinks(folder: string, state: RunState): AsyncGenerator<readonly DoneChange[]> {
  for await (const images of readImages(folder, state.begin.input.rows)) {
    yield images.filter(({ row }) => !untouched.has(state.stateOf(row))).map(changeOf);
  }
}

function changeOf({ payload: { hash, domain, ...asked }, record }: BeforeImage): DoneChange {
  return { link: { hash, domain }, asked, before: record };
}

/** The links that a shortening run reported as created. Rows that are in doubt have none. */
async function* createdLinks(folder: string, { placeOf }: RunState): AsyncGenerator<readonly DoneChange[]> {
  for await (const { line, offset } of readJournal(join(folder, journalName))) {
    if (line.type !== 'result') continue;
    // The first rows of a keyed run are sent twice on purpose (R-X7): the later line counts.
    yield createdOf(line, (row) => placeOf(row).offset === offset);
  }
}

function createdOf(line: ResultLine, isLatest: (row: number) => boolean): DoneChange[] {
  const links = linksOf(line);
  const rows = indexesOf(line.rows);
  const created: DoneChange[] = [];
  let done = 0;
  for (const [position, status] of statusesOf(line).entries()) {
    if (status === 'failed') continue;
    const link = links[done];
    done += 1;
    if (status !== 'created' || !link || !isLatest(rows[position] ?? -1)) continue;
    created.push({ link: { hash: link.hash, domain: line.domain }, asked: {}, before: undefined, place: link.print });
  }
  return created;
}

/**
 * Writes into a run's journal that another one takes it back, before that sends anything: from then on the same command begins anew
 * (U2). Throws `LocalError` while another process works on the run.
 */
export async function recordUndone(
  { undoes, by }: { readonly undoes: string; readonly by: string },
  folders: RunFolders,
  system: System,
): Promise<void> {
  const path = join(folders.runs, undoes, journalName);
  if (!existsSync(path)) return;
  const claim = await claimRun(undoes, folders, system);
  try {
    const { size, undoneBy } = await foldJournal(path);
    if (undoneBy === by) return;
    const journal = await openJournal(path, size);
    const at = new Date(system.now()).toISOString();
    await journal.write({ type: 'undone', by, at }).finally(() => journal.close());
  } finally {
    claim.release();
  }
}
