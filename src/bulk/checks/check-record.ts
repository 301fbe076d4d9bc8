import type { CheckStatus, Verdict } from '../../check/verdict.ts';
import type { Identity } from '../../client/subject.ts';
import type { RowState } from '../journal/journal-state.ts';
import { foldRun } from '../journal/run-folder.ts';
import { newestRuns, runFolders, runRecord, titleOf } from '../records/run-names.ts';
import { RecordedVerdicts } from './recorded-verdicts.ts';

/** A check of the past, by its journal. */
export interface CheckRecord {
  readonly what: string;
  readonly at: string;
  readonly complete: boolean;
  readonly domain: string | undefined;
  /** The selection as it was typed, and whether short URLs were asked. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly input: string;
  statusOf(link: number): RowState | CheckStatus;
  verdictOf(link: number): Promise<Verdict | undefined>;
  close(): Promise<void>;
}

/** The checks of an account of which a journal is kept and that found anything, newest first; each is to be closed. */
export async function* checkRecords(
  stateFolder: string,
  { server, username }: Pick<Identity, 'server' | 'username'>,
): AsyncGenerator<CheckRecord> {
  const folders = runFolders(stateFolder);
  for (const { run, begin } of newestRuns(stateFolder)) {
    if (begin?.operation !== 'check' || begin.server !== server || begin.account !== username) continue;
    const { journal: path, input } = runRecord(run, folders);
    const state = await foldRun(run, folders);
    const links = begin.input.rows;
    if (!state || (state.counts.get('free') ?? 0) === links) continue;
    const verdicts = new RecordedVerdicts(path, state, 0);
    yield {
      what: titleOf(begin),
      at: begin.at,
      complete: state.complete,
      domain: begin.domain,
      options: begin.options,
      input,
      statusOf: (link) => state.stateOf(link),
      verdictOf: (link) => verdicts.read(link),
      close: () => verdicts.close(),
    };
  }
}
