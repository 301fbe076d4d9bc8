import type { EditFields } from '../../contract/operations.ts';
import { fieldsToChange } from '../../link/same.ts';
import { type BeforeImage, keptImages } from '../journal/images.ts';
import { changeKind, doubtfulCount, isInDoubt, type RunState } from '../journal/journal-state.ts';
import type { RunRecord } from './run-names.ts';

/**
 * Counts rows as `free` that were in a batch, but certainly in no call, although they have no result. Images are on disk before anything is
 * sent, so a row without one was refused beforehand.
 */
export async function withoutUnsent(state: RunState, record: RunRecord): Promise<RunState> {
  const { begin, stateOf } = state;
  if (!begin.undo || doubtfulCount(state) === 0) return state;
  const sent = new Set<number>();
  const images = await keptImages(record, begin.input.rows);
  for await (const some of images.backwards())
    for (const image of some) if (isInDoubt(stateOf(image.row)) && wasSent(image, state)) sent.add(image.row);
  return { ...state, stateOf: (row) => (isInDoubt(stateOf(row)) && !sent.has(row) ? 'free' : stateOf(row)) };
}

/**
 * Returns whether a row without a result was in a call, by its image from before. Nothing is sent if the reading answers it: the link to
 * change is missing or already as requested, or the hash of a new link is taken.
 */
export function wasSent(
  { row, payload, record, seen = [] }: BeforeImage,
  { begin, open }: Pick<RunState, 'begin' | 'open'>,
): boolean {
  const { hash: _, domain: __, ...asked }: BeforeImage['payload'] & EditFields = payload;
  // Only new links are sent without an earlier one, and always with a destination.
  if (!record) return begin.operation !== 'edit' && asked.long_url !== undefined;
  // A resumed run sends a new link in doubt again without another reading, because it has its own hash.
  if (changeKind(begin) === 'shorten') {
    return [...open.values()].filter(({ unsettled }) => unsettled.has(row)).length > 1;
  }
  // An edit may have been sent later, in doubt, because somebody had changed the link.
  const isDone = Object.keys(asked).length > 0 && fieldsToChange(asked, record).length === 0;
  return !isDone || seen.length > 0;
}
