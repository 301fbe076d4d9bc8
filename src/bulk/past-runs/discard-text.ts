import { canSettle, mayHaveChanged, type RunState, unrepeatableCount } from '../journal/journal-state.ts';
import { isRevertible } from '../runs.ts';

/** Says how to start anew. If the record of a run that changed something is deleted, the same rows are sent twice, so undo comes first. */
export function discardText(state: RunState): string {
  const { run } = state.begin;
  const forget = `linkctl runs forget ${run}`;
  if (!mayHaveChanged(state) || !isRevertible(state.begin)) return `to discard the run: ${forget}`;
  const isRefused = canSettle(state) && unrepeatableCount(state) > 0;
  const settled = isRefused ? ', after its command has settled its unknown rows' : '';
  return `to undo the run${settled}: linkctl undo ${run}; to forget it and keep its changes: ${forget}`;
}
