import { existsSync, rmSync } from 'node:fs';
import { absolutePath } from '../../files/folders.ts';
import type { BegunRun } from '../beginning/begun-run.ts';
import { newestRuns, orderOf, type RunFolders, runFolders, runRecord, smallFiles, smallRecord } from '../records/run-names.ts';
import type { RunEnvironment, RunPlan } from '../run-plan.ts';
import type { RunState } from './journal-state.ts';
import type { BeginLine } from './lines.ts';
import { nextOrder } from './order.ts';
import type { RunIdentity } from './run-folder.ts';
import { type SmallJournal, smallJournal } from './small-journal.ts';

type Described = Pick<RunPlan<object>, 'what' | 'undo' | 'undoes' | 'profile' | 'results' | 'failed'>;
type Surroundings = Pick<RunEnvironment, 'client' | 'system' | 'stateFolder' | 'openJournalFile'>;

/** A run whose record is one file. */
interface SmallRun extends BegunRun {
  readonly journal: SmallJournal;
}

export function beginLine(
  run: string,
  identity: RunIdentity,
  { what, undo, undoes, profile, results, failed }: Described,
  { client, system, stateFolder }: Surroundings,
): BeginLine {
  return {
    type: 'begin',
    version: 1,
    run,
    order: newOrder(runFolders(stateFolder)),
    ...identity,
    what,
    undo: undo || undefined,
    undoes,
    profile,
    edition: client.edition,
    outputs: [results, failed].filter((path) => path !== undefined).map(absolutePath),
    at: new Date(system.now()).toISOString(),
  };
}

/** Begins the record of links that were typed. Nothing is written before the first batch is. */
export async function beginSmallRecord(
  run: string,
  identity: RunIdentity,
  plan: Described,
  environment: Surroundings,
): Promise<Omit<SmallRun, 'release'>> {
  const folders = runFolders(environment.stateFolder);
  pruneSmall(folders);
  const record = smallRecord(run, folders);
  const begin = beginLine(run, identity, plan, environment);
  const journal = smallJournal(record.path, environment.system, environment.openJournalFile);
  await journal.write(begin);
  return { name: run, path: record.journal, record, journal, state: newRunState(begin), resumed: false };
}

/** Begins what is never resumed: nobody looks for it by what it is, and two may begin in the same second. */
export async function beginOneOff(identity: RunIdentity, plan: Described, environment: Surroundings): Promise<SmallRun> {
  const { system, stateFolder } = environment;
  const key = Buffer.from(system.randomBytes(4)).toString('hex');
  const run = newRunName(key, system.now(), runFolders(stateFolder));
  return { ...(await beginSmallRecord(run, identity, plan, environment)), release: () => undefined };
}

function newRunState(begin: BeginLine): RunState {
  return {
    begin,
    complete: false,
    lastEnd: undefined,
    shown: false,
    undoneBy: [],
    size: 0,
    nextBatch: 1,
    open: new Map(),
    keys: new Map(),
    priorDestinations: new Map(),
    priorUrls: new Map(),
    mark: undefined,
    counts: new Map([['free', begin.input.rows]]),
    stateOf: () => 'free',
    locationOf: () => ({ offset: 0, length: 0 }),
  };
}

export function newRunName(key: string, now: number, folders: RunFolders): string {
  const [date = '', time = ''] = new Date(now).toISOString().replace(/[-:]/g, '').split(/[T.]/);
  const name = `${date}-${time}-${key}`;
  for (let nth = 1; ; nth += 1) {
    const candidate = nth === 1 ? name : `${name}-${nth}`;
    if (!existsSync(runRecord(candidate, folders).path)) return candidate;
  }
}

function newOrder({ state, orders }: RunFolders): number {
  return nextOrder(orders, () => Math.max(0, ...newestRuns(state).map(orderOf)));
}

/** Records of typed links that are kept: the newest. */
const keptSmall = 200;
/** To find the newest all are read, so they are not counted exactly each time. */
const tooManySmall = 250;

/** Deletes the oldest records of typed links where there are too many. */
function pruneSmall(folders: RunFolders): void {
  const names = new Set(smallFiles(folders));
  if (names.size < tooManySmall) return;
  const sorted = newestRuns(folders.state).filter(({ run }) => names.has(run));
  for (const { run } of sorted.slice(keptSmall)) rmSync(runRecord(run, folders).path, { force: true });
}
