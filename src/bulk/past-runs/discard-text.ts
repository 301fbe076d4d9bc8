import { canSettle, mayHaveChanged, type RunState, untraceableRows } from '../journal/journal-state.ts';
import { countsOf, isRevertible, type RunOverview } from '../runs.ts';
import { makesSecondLinks } from './second-links.ts';

/** Says how to start anew. If the record of a run that changed something is deleted, the same rows are sent twice, so undo comes first. */
export function discardText(state: RunState): string {
  const { begin } = state;
  // Without a terminal, the command refuses to run without this flag.
  const forget = `linkctl runs forget ${begin.run} --yes`;
  if (!mayHaveChanged(state) || !isRevertible(begin)) return `to discard the run: ${forget}`;
  // Its command only resumes it with the same rows and flags.
  const isRefused = canSettle(state) && untraceableRows(state).length > 0;
  const settled = isRefused ? ', after its command has settled its unknown rows' : '';
  const consequence = secondLinksText({ begin, counts: countsOf(state) }) ?? 'keep its changes';
  return `to undo the run${settled}: linkctl undo ${begin.run}; to forget it and ${consequence}: ${forget}`;
}

/** Says for how many rows the same command would make second links without the record of the run; undefined if for none. */
export function secondLinksText({
  begin,
  counts,
  undoneBy,
}: Pick<RunOverview, 'begin' | 'counts' | 'undoneBy'>): string | undefined {
  const { created = 0, unknown = 0 } = counts;
  if (!begin || !makesSecondLinks(begin) || created + unknown === 0) return undefined;
  // A row in doubt may have no link, nor one whose run was undone.
  const bound = unknown > 0 || undoneBy !== undefined ? 'up to ' : '';
  return `make second links for ${bound}${created + unknown} of its rows`;
}
