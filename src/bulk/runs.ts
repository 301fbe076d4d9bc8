import { statSync } from 'node:fs';
import { join } from 'node:path';
import { CliError, messageOf, NotFoundError, UsageError } from '../base/errors.ts';
import { shortPrint } from '../base/fingerprint.ts';
import type { System } from '../base/system.ts';
import type { Client } from '../client/client.ts';
import { urlsByHash } from '../client/named-urls.ts';
import { foldJournal } from './journal/fold.ts';
import { readJournal } from './journal/journal.ts';
import { linksOf } from './journal/ledger.ts';
import type { BeginLine, ResultLine } from './journal/lines.ts';
import { deleteRun, journalName, type RunFolders, runFolders, runNames, whileThere } from './journal/run-folder.ts';
import type { RunState } from './journal/run-state.ts';
import type { RowStatus } from './results/row-outcome.ts';

/** A run as `runs list` and `runs show` print it. */
export interface RunOverview {
  readonly run: string;
  /** `finished`: every row has its final status. `damaged`: the journal cannot be read; `problem` says why. */
  readonly state: 'finished' | 'unfinished' | 'damaged';
  /** Absent where the journal is damaged at its beginning. */
  readonly begin?: BeginLine | undefined;
  /** Rows by status; `not_sent` are those that a further run would send. */
  readonly counts: Readonly<Partial<Record<RowStatus, number>>>;
  /** Why the last process ended: `complete`, `quota`, `signal` …; absent where it was killed. */
  readonly lastEnd?: string | undefined;
  readonly problem?: string | undefined;
  /** Where the journal lies. */
  readonly journal: string;
}

/** Days that the journal of a finished run is kept. */
const keptDays = 30;

/** All runs, oldest first. */
export async function listRuns(stateFolder: string): Promise<RunOverview[]> {
  const folders = runFolders(stateFolder);
  const overviews: RunOverview[] = [];
  for (const run of runNames(folders)) {
    const found = await overview(run, folders);
    if (found) overviews.push(found);
  }
  return overviews.sort((one, other) => (beginOf(one) < beginOf(other) ? -1 : 1));
}

function beginOf({ begin, run }: RunOverview): string {
  return begin?.at ?? `${run.slice(0, 4)}-${run.slice(4, 6)}-${run.slice(6, 8)}`;
}

/** One run. Throws `NotFoundError` for an unknown name. */
export async function showRun(stateFolder: string, run: string): Promise<RunOverview> {
  const folders = foldersOf(run, stateFolder);
  return (await overview(run, folders)) ?? noRun(run);
}

/** Deletes the journal of a run; its links stay as they are. Throws `LocalError` while a process works on the run. */
export async function forgetRun(stateFolder: string, run: string, system: System): Promise<void> {
  if (!(await deleteRun(run, runFolders(stateFolder), system))) noRun(run);
}

/** Deletes journals of finished runs that are older than 30 days. One that cannot be deleted now waits for the next time. */
export async function pruneRuns(stateFolder: string, system: System): Promise<void> {
  const folders = runFolders(stateFolder);
  for (const run of runNames(folders)) {
    const written = statSync(join(folders.runs, run, journalName), { throwIfNoEntry: false })?.mtimeMs;
    if (written === undefined || system.now() - written < keptDays * 86_400_000) continue;
    if ((await overview(run, folders))?.state !== 'finished') continue;
    await deleteRun(run, folders, system).catch((error: unknown) => {
      if (!(error instanceof CliError)) throw error;
    });
  }
}

/** A link that is not as the run left it. */
export interface Discrepancy {
  readonly hash: string;
  readonly problem: 'missing' | 'changed';
  /** Where it leads now, of a changed one. */
  readonly long_url?: string | undefined;
}

export interface VerifySettings {
  readonly client: Pick<Client, 'send'>;
  /** Hashes in one call at most. */
  readonly batchSize: number;
}

export interface Verification {
  readonly checked: number;
  readonly discrepancies: readonly Discrepancy[];
}

/** Reads every link again that a run made or changed (R-X10), in groups; nothing is changed. */
export async function* verifyRun(stateFolder: string, run: string, settings: VerifySettings): AsyncGenerator<Verification> {
  const folders = foldersOf(run, stateFolder);
  const journal = join(folders.runs, run, journalName);
  const { begin, placeOf } = (await whileThere(run, folders, () => foldJournal(journal))) ?? noRun(run);
  if (begin.operation !== 'shorten' && begin.operation !== 'edit') {
    throw new UsageError(`run ${run} created no links; there is nothing to verify`);
  }
  for await (const { line, offset } of readJournal(journal)) {
    if (line.type !== 'result') continue;
    // The first rows of a keyed run are sent twice on purpose (R-X7): the later line counts.
    const isLatest = placeOf(line.rows[0]?.[0] ?? 0).offset === offset;
    if (isLatest) yield await verifyLine(line, { ...settings, domain: begin.domain });
  }
}

/** Whether the links of a line exist and lead to the same. A link that was made, but not as asked, only has to exist. */
async function verifyLine(line: ResultLine, settings: VerifySettings & { domain: string | undefined }): Promise<Verification> {
  const links = linksOf(line);
  const hashes = links.map(({ hash }) => hash);
  const found = await urlsByHash(hashes, { ...settings, domain: line.domain ?? settings.domain });
  const discrepancies = links.flatMap(({ hash, print }): Discrepancy[] => {
    const record = found.get(hash);
    if (!record) return [{ hash, problem: 'missing' }];
    const isSame = print === undefined || shortPrint(record.long_url ?? '') === print;
    return isSame ? [] : [{ hash, problem: 'changed', long_url: record.long_url }];
  });
  return { checked: links.length, discrepancies };
}

/** Throws `NotFoundError` for a name that is none. */
function foldersOf(run: string, stateFolder: string): RunFolders {
  const folders = runFolders(stateFolder);
  return runNames(folders).includes(run) ? folders : noRun(run);
}

function noRun(run: string): never {
  throw new NotFoundError(`no run ${run}`, { hint: 'linkctl runs list' });
}

/** Undefined where another process has deleted it meanwhile. */
async function overview(run: string, folders: RunFolders): Promise<RunOverview | undefined> {
  const journal = join(folders.runs, run, journalName);
  try {
    const state = await whileThere(run, folders, () => foldJournal(journal));
    if (!state) return undefined;
    const { begin, lastEnd, complete } = state;
    return { run, state: complete ? 'finished' : 'unfinished', begin, lastEnd, counts: countsOf(state), journal };
  } catch (error) {
    return { run, state: 'damaged', counts: {}, problem: messageOf(error), journal };
  }
}

function countsOf({ counts }: RunState): Partial<Record<RowStatus, number>> {
  const reported: Partial<Record<RowStatus, number>> = {};
  for (const [state, number] of counts) {
    const status: RowStatus = state === 'free' ? 'not_sent' : state === 'open' ? 'unknown' : state;
    reported[status] = (reported[status] ?? 0) + number;
  }
  return reported;
}
