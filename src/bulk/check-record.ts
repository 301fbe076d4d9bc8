import { join } from 'node:path';
import type { CheckStatus, Verdict } from '../check/verdict.ts';
import type { Identity } from '../client/subject.ts';
import { foldJournal } from './journal/fold.ts';
import { RecordedVerdicts } from './journal/recorded-verdicts.ts';
import { whileThere } from './journal/run-folder.ts';
import type { RowState } from './journal/run-state.ts';
import { inputName, journalName, newestRuns, runFolders, titleOf } from './run-names.ts';

/** A check of the past, by its journal. */
export interface CheckRecord {
  readonly run: string;
  /** The command as people read it: `check --by-tags promo`. */
  readonly what: string;
  /** When it began, in ISO 8601. */
  readonly at: string;
  /** Everything was asked. */
  readonly complete: boolean;
  readonly links: number;
  /** Links by what was found of them. */
  readonly counts: ReadonlyMap<RowState, number>;
  /** Path of the links, as they were kept. */
  readonly input: string;
  statusOf(link: number): RowState | CheckStatus;
  /** What was found of a link; undefined where it was not reached. */
  verdictOf(link: number): Promise<Verdict | undefined>;
  close(): Promise<void>;
}

/**
 * The newest check of an account that found anything; undefined where none is recorded. Links that were named one by one say little of an
 * account: a check of these counts where there is no other.
 */
export async function lastCheckRecord(
  stateFolder: string,
  { server, username }: Pick<Identity, 'server' | 'username'>,
): Promise<CheckRecord | undefined> {
  const folders = runFolders(stateFolder);
  const checks = [...newestRuns(stateFolder, '', Number.POSITIVE_INFINITY)].filter(
    ({ begin }) => begin?.operation === 'check' && begin.server === server && begin.account === username,
  );
  const wide = checks.filter(({ begin }) => begin?.options.operands === undefined);
  for (const { run, begin } of [...wide, ...checks]) {
    if (!begin) continue;
    const folder = join(folders.runs, run);
    const path = join(folder, journalName);
    const state = await whileThere(run, folders, () => foldJournal(path));
    const links = begin.input.rows;
    if (!state || (state.counts.get('free') ?? 0) === links) continue;
    const verdicts = new RecordedVerdicts(path, state, 0);
    return {
      run,
      what: titleOf(begin),
      at: begin.at,
      complete: state.complete,
      links,
      counts: state.counts,
      input: join(folder, inputName),
      statusOf: (link) => state.stateOf(link),
      verdictOf: (link) => verdicts.read(link),
      close: () => verdicts.close(),
    };
  }
  return undefined;
}
