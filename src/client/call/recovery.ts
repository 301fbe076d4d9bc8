import type { OperationInput, OperationName, OperationResult } from '../../contract/operations.ts';
import type { Envelope } from '../../contract/records.ts';
import { foldLabel } from '../../contract/tag-label.ts';
import { CallError } from '../call-error.ts';
import type { Send, SendOptions } from '../client-options.ts';

type Answer<O extends OperationName> = OperationResult<O> & Envelope;

/**
 * Makes a call whose doubt can be cleared by what the server says afterwards (RELIABILITY.md 2.1): tags. URLs are looked after by
 * `bulk/doubt.ts`, which remembers what was in doubt beyond one call.
 */
export function callAndRecover<O extends OperationName>(
  call: Send,
  operation: O,
  input: OperationInput<O>,
  options?: SendOptions,
): Promise<Answer<O>> {
  const recovery = recoveries[operation] as Recovery<O> | undefined;
  return recovery ? recovery(call, input, options) : call(operation, input, options);
}

type Recovery<O extends OperationName> = (call: Send, input: OperationInput<O>, options?: SendOptions) => Promise<Answer<O>>;

const recoveries: { readonly [O in OperationName]?: Recovery<O> } = { deleteTag, renameTag };

/** How often a rename in doubt is tried. */
const maximumRounds = 3;
const done: Envelope = { error: { code: 0, message: '' } };
const tagNotFound = 1309;

/** Whether an attempt may have been applied, and the last one was not refused for another reason: then nothing is asked. */
function isDoubt(error: unknown): error is CallError {
  if (!(error instanceof CallError) || error.outcome !== 'ambiguous') return false;
  return error.last.outcome === 'ambiguous' || error.last.apiCode === tagNotFound;
}

/** After a deletion in doubt, "not found" is the proof that it was done. */
async function deleteTag(call: Send, input: OperationInput<'deleteTag'>, options?: SendOptions): Promise<Answer<'deleteTag'>> {
  try {
    return await call('deleteTag', input, options);
  } catch (error) {
    if (isDoubt(error) && error.apiCode === tagNotFound) return done;
    throw error;
  }
}

async function renameTag(call: Send, input: OperationInput<'renameTag'>, options?: SendOptions): Promise<Answer<'renameTag'>> {
  let doubt: CallError | undefined;
  for (let round = 1; ; round += 1) {
    try {
      return await call('renameTag', input, options);
    } catch (error) {
      const isLate = doubt !== undefined && error instanceof CallError && error.apiCode === tagNotFound;
      if (!isDoubt(error) && !isLate) throw doubt ?? error;
      const seen = await findTag(doubt ?? error, call, input, options);
      if (typeof seen !== 'string') return seen;
      if (seen === 'unclear' || isLate || round === maximumRounds) throw error;
      doubt = error;
    }
  }
}

/** What cannot be looked at stays in doubt: the first error is the one that matters. */
async function findTag(
  doubt: CallError,
  call: Send,
  { path, body: { label } }: OperationInput<'renameTag'>,
  options?: SendOptions,
): Promise<Answer<'renameTag'> | 'undone' | 'unclear'> {
  const listed = await call('listTags', {}, options).catch(() => {
    throw doubt;
  });
  const labels = listed.tags.map((tag) => tag.label);
  const [old, renamed] = [path.label, label].map(foldLabel);
  // Labels are compared without regard to case (2.5); after a change of case alone, only the exact text tells.
  const isUndone = old === renamed ? !labels.includes(label) : labels.some((other) => foldLabel(other) === old);
  if (isUndone) return 'undone';
  return labels.some((other) => foldLabel(other) === renamed) ? { ...done, tags: [{ label }] } : 'unclear';
}
