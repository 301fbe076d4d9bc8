import type { Verdict } from '../../check/verdict.ts';
import type { Identity } from '../../client/subject.ts';
import { isUntouched, type RunState } from '../journal/journal-state.ts';
import { foldRun } from '../journal/run-folder.ts';
import { newestFirst, type RunFolders, type RunRecord, runRecord, titleOf } from '../past-runs/run-names.ts';
import { RecordedVerdicts } from './recorded-verdicts.ts';

export type CheckRecord = ReturnType<typeof recordOf>;

/** Yields the recorded checks of an account that have verdicts, newest first. The caller closes each one. */
export async function* checkRecords(
  folders: RunFolders,
  { server, username }: Pick<Identity, 'server' | 'username'>,
): AsyncGenerator<CheckRecord> {
  for (const { run, begin } of newestFirst(folders)) {
    if (begin?.operation !== 'check' || begin.server !== server || begin.account !== username) continue;
    const state = await foldRun(run, folders);
    if (state && !isUntouched(state)) yield recordOf(runRecord(run, folders), state);
  }
}

function recordOf({ journal, input }: RunRecord, state: RunState) {
  const { begin, complete, stateOf } = state;
  const { at, domain, options } = begin;
  const verdicts = new RecordedVerdicts(journal, state, 0);
  return {
    what: titleOf(begin),
    at,
    complete,
    domain,
    /** The selection as typed, and the flags of the check. */
    options,
    input,
    statusOf: stateOf,
    verdictOf: (link: number): Promise<Verdict | undefined> => verdicts.read(link),
    close: (): Promise<void> => verdicts.close(),
  };
}
