import { canSettle, hasOwnHashes, mayHaveChanged, type RunState, unrepeatableCount } from '../journal/journal-state.ts';
import { isRevertible } from '../runs.ts';

/** Says how to start anew. If the record of a run that changed something is deleted, the same rows are sent twice, so undo comes first. */
export function discardText(state: RunState): string {
  const { run } = state.begin;
  // Without a terminal, the command refuses to run without this flag.
  const forget = `linkctl runs forget ${run} --yes`;
  if (!mayHaveChanged(state) || !isRevertible(state.begin)) return `to discard the run: ${forget}`;
  const isRefused = canSettle(state) && unrepeatableCount(state) > 0;
  const settled = isRefused ? ', after its command has settled its unknown rows' : '';
  return `to undo the run${settled}: linkctl undo ${run}; to forget it and ${consequence(state)}: ${forget}`;
}

function consequence({ begin, counts }: RunState): string {
  const made = counts.get('created') ?? 0;
  const isFoundAgain = begin.operation !== 'shorten' || begin.mode === 'dedupe' || hasOwnHashes(begin);
  return isFoundAgain || made === 0 ? 'keep its changes' : `make second links for ${made} of its rows`;
}
