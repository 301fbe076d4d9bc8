import { keptImages } from '../journal/images.ts';
import { doubtfulCount, isInDoubt, type RunState } from '../journal/journal-state.ts';
import type { RunRecord } from './run-names.ts';

/**
 * Counts rows as `free` that were in a batch, but certainly in no call, although they have no result. Images are on disk before anything is
 * sent, so a row without one was refused beforehand.
 */
export async function withoutUnsent(state: RunState, record: RunRecord): Promise<RunState> {
  const { begin, stateOf } = state;
  if (!begin.undo || doubtfulCount(state) === 0) return state;
  const { has } = await keptImages(record, begin.input.rows);
  return { ...state, stateOf: (row) => (isInDoubt(stateOf(row)) && !has(row) ? 'free' : stateOf(row)) };
}
