import { closeSync, existsSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isoTime } from '../../base/times.ts';
import type { Client } from '../../client/client.ts';
import { withoutLocalPort } from '../../contract/web-address.ts';
import { errorCode, fileWork } from '../../files/file-error.ts';
import { absolutePath, makePrivateFolder } from '../../files/folders.ts';
import { removeFile } from '../../files/remove-file.ts';
import type { ValueColumns } from '../../link/prints.ts';
import { newestFirst, orderOf, type RunFolders, runRecord, smallRecord } from '../past-runs/run-names.ts';
import type { FoundRun, RunDescription, RunPlan, Surroundings } from '../run-plan.ts';
import type { Journal } from './journal.ts';
import type { OpenIntent, RowState } from './journal-state.ts';
import type { LineLocation } from './line-reader.ts';
import type { BeginLine, RunIdentity, Watermark } from './lines.ts';
import { smallJournal } from './small-journal.ts';

/**
 * Two command lines with the same identity are the same run. Leaves out the port of a local service, which may change at its next start, and
 * converts options as in the journal, so that both can be compared.
 */
export function identityOf(
  { identity: { server, username: account } }: Pick<Client, 'identity'>,
  { operation, mode, domain, input, options }: Omit<RunIdentity, 'server' | 'account'>,
): RunIdentity {
  const own = domain && withoutLocalPort(domain);
  return { operation, mode, server, account, domain: own, input, options: JSON.parse(JSON.stringify(options)) };
}

export function identityOfPlan(
  { input: { name, sha256, rows, size, file, copyTo }, options, mode, fromArguments }: RunPlan,
  operation: RunIdentity['operation'],
  domain: string | undefined,
  client: Pick<Client, 'identity'>,
): RunIdentity {
  const isFile = copyTo === undefined && !fromArguments;
  return identityOf(client, {
    operation,
    mode: mode?.name,
    domain,
    input: {
      name: isFile ? absolutePath(name) : name,
      sha256,
      rows,
      size,
      file: file && { ...file, name: absolutePath(file.name) },
    },
    options: { ...options, generateHashes: mode?.generateHashes || undefined },
  });
}

export function beginLine(
  run: string,
  identity: RunIdentity,
  { what, undo, undoes, direction, kept, profile, results, failed }: RunDescription,
  { client, system, folders }: Surroundings,
): BeginLine {
  return {
    type: 'begin',
    version: 1,
    run,
    order: nextOrder(folders),
    ...identity,
    what,
    undo: undo || undefined,
    undoes,
    direction,
    kept: kept?.(),
    profile,
    edition: client.edition,
    outputs: outputsOf({ results, failed }),
    at: isoTime(system.now()),
  };
}

export function outputsOf({ results, failed }: Pick<RunDescription, 'results' | 'failed'>): string[] {
  return [results, failed].filter((path) => path !== undefined).map(absolutePath);
}

/** Begins the record of links given as arguments. Nothing is written before the first intent. */
export async function beginSmallRecord(run: string, identity: RunIdentity, plan: RunDescription, environment: Surroundings) {
  const record = smallRecord(run, environment.folders);
  const begin = beginLine(run, identity, plan, environment);
  const journal = smallJournal(record.path, environment.system, environment.openJournalFile);
  await journal.write(begin);
  return { name: run, record, journal, state: newState(begin), resumed: false };
}

/** Begins a run that is never resumed. Its key is random: it is never searched for, and two runs may begin in the same second. */
export async function beginOneOff(identity: RunIdentity, plan: RunDescription, environment: Surroundings) {
  const { system, folders } = environment;
  // While a command looks for the key, nothing is in doubt.
  await environment.client.ready();
  const key = Math.floor(system.random() * 2 ** 32)
    .toString(16)
    .padStart(8, '0');
  const run = newRunName(key, system.now(), folders);
  return { ...(await beginSmallRecord(run, identity, plan, environment)), release: () => undefined };
}

/** Returns the state of a run whose journal has only a begin line. */
export function newState(begin: BeginLine) {
  return {
    begin,
    complete: false,
    lastEnd: undefined as string | undefined,
    shown: false,
    undoneBy: [] as readonly string[],
    outgrown: new Set<string>(),
    wasMissed: false,
    mayHaveChangedMore: false,
    kept: begin.kept ?? 0,
    size: 0,
    nextBatch: 1,
    open: new Map<number, OpenIntent & { readonly unsettled: Set<number> }>(),
    keys: new Map<number, string>(),
    priorDestinations: new Map<number, string>(),
    priorUrls: new Map<number, string>(),
    unknownDetails: new Map<number, string>(),
    mark: undefined as Watermark | undefined,
    given: undefined as ValueColumns | undefined,
    counts: new Map<RowState, number>([['free', begin.input.rows]]),
    stateOf: (_row: number): RowState => 'free',
    mayBePartlyApplied: (_row: number): boolean => false,
    locationOf: (_row: number): LineLocation => ({ offset: 0, length: 0 }),
  };
}

export function newRunName(key: string, now: number, folders: RunFolders): string {
  const time = isoTime(now);
  const name = `${time.slice(0, 10).replaceAll('-', '')}-${time.slice(11, 19).replaceAll(':', '')}-${key}`;
  for (let nth = 1; ; nth += 1) {
    const candidate = nth === 1 ? name : `${name}-${nth}`;
    if (!existsSync(runRecord(candidate, folders).path)) return candidate;
  }
}

/** A locked run whose journal was read and is open. */
export interface BegunRun extends FoundRun {
  readonly journal: Journal;
  readonly resumed: boolean;
  /** A resumed run that is not complete gets a new number, because what it changes now is the latest change. */
  readonly order?: number | undefined;
  release(): void;
}

/** Returns the next number and creates an empty file of that name. Numbers only grow, whatever the clock says, and are never used twice. */
export function nextOrder(folders: RunFolders): number {
  const folder = folders.orders;
  makePrivateFolder(folder);
  return fileWork('number the record in', folder, () => {
    for (;;) {
      const given = numbersIn(folder);
      const next = Math.max(0, ...(given.length > 0 ? given : newestFirst(folders).map(orderOf))) + 1;
      if (!isMade(join(folder, String(next)))) continue;
      const now = numbersIn(folder);
      const isHighest = now.every((other) => other <= next);
      // A faster process may have used this number and deleted its file, unless the number is the highest.
      for (const other of now) if (isHighest ? other < next : other === next) removeFile(join(folder, String(other)));
      if (isHighest) return next;
    }
  });
}

function numbersIn(folder: string): number[] {
  return readdirSync(folder)
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function isMade(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', 0o600));
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}
