import { existsSync } from 'node:fs';
import { LocalError } from '../../base/errors.ts';
import type { System } from '../../base/system.ts';
import type { Client } from '../../client/client.ts';
import { withoutLocalPort } from '../../contract/web-address.ts';
import { runsOf } from '../beginning/found-run.ts';
import { isUntouched, type RunState, settledRows } from '../journal/journal-state.ts';
import type { BeginLine } from '../journal/lines.ts';
import { claimBeginning, type RunIdentity, runKey } from '../journal/run-folder.ts';
import { runFolders, runRecord } from './run-names.ts';

export interface KeptRun {
  readonly begin: BeginLine;
  readonly input: string;
  readonly left: number;
}

interface Surroundings {
  readonly client: Pick<Client, 'identity'>;
  readonly system: System;
  readonly stateFolder: string;
}

type Sought = Pick<RunIdentity, 'operation' | 'domain'> & { readonly sha256: string };

/** The runs of the same command that were begun and are not complete, newest first; also those that sent nothing. */
export async function unfinishedRuns(
  { operation, domain, sha256 }: Sought,
  { client: { identity }, system, stateFolder }: Surroundings,
): Promise<readonly { readonly name: string; readonly state: RunState }[]> {
  const folders = runFolders(stateFolder);
  const input = { name: '', sha256, rows: 0 };
  const { server, username: account } = identity;
  const key = runKey({ operation, server, account, domain: domain && withoutLocalPort(domain), input });
  const beginning = await claimBeginning(key, folders, system);
  const { unfinished } = await runsOf(key, folders).finally(() => beginning.release());
  return unfinished;
}

/** The unfinished run that the same command resumes, with the rows that it had; undefined where there is none that did anything. */
export async function keptRun(sought: Sought, surroundings: Surroundings): Promise<KeptRun | undefined> {
  for (const { name, state } of await unfinishedRuns(sought, surroundings)) {
    if (isUntouched(state)) continue;
    const { input: path } = runRecord(name, runFolders(surroundings.stateFolder));
    if (!existsSync(path)) {
      throw new LocalError(`run ${name} cannot be resumed: its list of links is missing`, {
        hint: `to discard the run: linkctl runs forget ${name}`,
      });
    }
    const { begin } = state;
    return { begin, input: path, left: begin.input.rows - settledRows(state) };
  }
  return undefined;
}
