import type { TagRecord } from '../contract/records.ts';
import { foldLabel } from '../contract/tag-label.ts';
import { CallError } from './call-error.ts';
import type { Client } from './client.ts';

type Sender = Pick<Client, 'send'>;

/** How often a rename in doubt is tried. */
const maximumRounds = 3;
const tagNotFound = 1309;

/** DELETE /tags/[label]. After a deletion in doubt, "not found" is the proof that it was done (R 2.1). */
export async function deleteTag({ send }: Sender, label: string): Promise<void> {
  try {
    await send('deleteTag', { path: { label } });
  } catch (error) {
    if (!isOpen(error) || !isNoTag(error)) throw error;
  }
}

/** The server says that there is no such tag. */
export function isNoTag(error: unknown): error is CallError {
  return error instanceof CallError && error.apiCode === tagNotFound;
}

/**
 * PATCH /tags/[label]: the tags that the server answers with. In doubt, the list of tags shows whether it was done (R 2.1). `mayBeDone`:
 * by an earlier process.
 */
export async function renameTag(client: Sender, old: string, label: string, mayBeDone = false): Promise<readonly TagRecord[]> {
  let doubt: CallError | undefined;
  for (let round = 1; ; round += 1) {
    try {
      return (await client.send('renameTag', { path: { label: old }, body: { label } })).tags;
    } catch (error) {
      const isLate = (mayBeDone || doubt !== undefined) && isNoTag(error);
      if (!isOpen(error) && !isLate) throw doubt ?? error;
      const state = await stateOf(client, old, label);
      // Without the list it stays in doubt: the first error is the one that matters.
      if (!state) throw doubt ?? error;
      if (state === 'renamed') return [{ label }];
      if (state === 'unclear' || isLate || round === maximumRounds) throw error;
      doubt = error;
    }
  }
}

/** Whether to read the tags: an attempt may have been applied, and the last one was not refused for another reason. */
function isOpen(error: unknown): error is CallError {
  if (!(error instanceof CallError) || error.outcome !== 'ambiguous') return false;
  return error.last.outcome === 'ambiguous' || error.last.apiCode === tagNotFound;
}

/** Undefined where the tags cannot be listed. */
async function stateOf({ send }: Sender, old: string, label: string): Promise<'renamed' | 'as before' | 'unclear' | undefined> {
  const listed = await send('listTags', {}).catch(() => undefined);
  if (!listed) return undefined;
  const labels = listed.tags.map((tag) => tag.label);
  const has = (wanted: string): boolean => labels.some((other) => foldLabel(other) === foldLabel(wanted));
  // Labels are compared without regard to case (2.5); after a change of case alone, only the exact text shows it.
  const isAsBefore = foldLabel(old) === foldLabel(label) ? !labels.includes(label) : has(old);
  if (isAsBefore) return 'as before';
  return has(label) ? 'renamed' : 'unclear';
}
