import type { OperationInput, OperationName, OperationResult } from '../contract/operations.ts';
import type { Envelope } from '../contract/records.ts';
import { foldLabel } from '../contract/tag-label.ts';
import { CallError } from './call-error.ts';
import type { Send, SendOptions } from './client-options.ts';
import { renames } from './doubt.ts';

type Answer<O extends OperationName> = OperationResult<O> & Envelope;

/**
 * Makes a call whose doubt can be cleared by what the server says afterwards (RELIABILITY.md 2.1): a thing that is gone after
 * a deletion in doubt was deleted, and a rename in doubt is looked at before it is repeated. "Not found" for a group may be for one
 * of many: what became of the rows of a bulk change is looked at where the rows are known.
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

const recoveries: { readonly [O in OperationName]?: Recovery<O> } = {
  deleteUrl: (call, input, options) => goneIs(1306, () => call('deleteUrl', input, options)),
  deleteTag: (call, input, options) => goneIs(1309, () => call('deleteTag', input, options)),
  renameTag,
  editUrl: (call, input, options) => (renames(input.body) ? renameUrl(call, input, options) : call('editUrl', input, options)),
};

/** How often a rename in doubt is tried. */
const maximumRounds = 3;
const done: Envelope = { error: { code: 0, message: '' } };

function isDoubt(error: unknown): error is CallError {
  return error instanceof CallError && error.outcome === 'ambiguous';
}

/** After a deletion in doubt, "not found" is the proof that it was done. */
async function goneIs(code: number, attempt: () => Promise<Envelope>): Promise<Envelope> {
  try {
    return await attempt();
  } catch (error) {
    if (isDoubt(error) && error.apiCode === code) return done;
    throw error;
  }
}

function renameUrl(call: Send, input: OperationInput<'editUrl'>, options?: SendOptions): Promise<Answer<'editUrl'>> {
  const { hash } = input.path;
  const renamed = input.body.urls[0].custom_hash ?? hash;
  return rename({
    attempt: () => call('editUrl', input, options),
    isRefused: ({ urls }) => urls.some(({ error }) => Boolean(error?.code)),
    refusalCode: 1306,
    look: async () => {
      const { urls } = await call('listUrls', { query: { ...input.query, hashes: `${hash},${renamed}` } }, options);
      if (hash !== renamed && urls.some((url) => url.hash === hash)) return 'undone';
      const current = urls.find((url) => url.hash === renamed);
      return current ? { ...done, urls: [{ ...current, error: done.error }] } : 'unclear';
    },
  });
}

function renameTag(call: Send, input: OperationInput<'renameTag'>, options?: SendOptions): Promise<Answer<'renameTag'>> {
  const old = foldLabel(input.path.label);
  const { label } = input.body;
  return rename({
    attempt: () => call('renameTag', input, options),
    isRefused: () => false,
    refusalCode: 1309,
    look: async () => {
      const labels = (await call('listTags', {}, options)).tags.map((tag) => tag.label);
      // Labels are compared without regard to case (2.5); after a change of case alone, only the exact text tells.
      const isUndone = old === foldLabel(label) ? !labels.includes(label) : labels.some((other) => foldLabel(other) === old);
      if (isUndone) return 'undone';
      return labels.some((other) => foldLabel(other) === foldLabel(label)) ? { ...done, tags: [{ label }] } : 'unclear';
    },
  });
}

interface Rename<T> {
  attempt(): Promise<T>;
  /** Whether an answer refuses the item: after a doubt that can mean that the doubtful attempt was applied. */
  isRefused(answer: T): boolean;
  /** The code of the whole call with the same meaning. */
  readonly refusalCode: number;
  look(): Promise<T | 'undone' | 'unclear'>;
}

async function rename<T>({ attempt, isRefused, refusalCode, look }: Rename<T>): Promise<T> {
  let doubt: CallError | undefined;
  for (let round = 1; ; round += 1) {
    const tried = await attempt().then(
      (answer) => ({ answer }),
      (error: unknown) => ({ error }),
    );
    if ('answer' in tried) {
      if (!doubt || !isRefused(tried.answer)) return tried.answer;
      const seen = await lookAfter(doubt, look);
      return typeof seen === 'string' ? tried.answer : seen;
    }
    const { error } = tried;
    const isLate = doubt !== undefined && error instanceof CallError && error.apiCode === refusalCode;
    if (!isDoubt(error) && !isLate) throw doubt ?? error;
    const seen = await lookAfter(doubt ?? error, look);
    if (typeof seen !== 'string') return seen;
    if (seen === 'unclear' || isLate || round === maximumRounds) throw error;
    doubt = error;
  }
}

/** What cannot be looked at stays in doubt: the first error is the one that matters. */
async function lookAfter<T>(doubt: CallError, look: () => Promise<T>): Promise<T> {
  try {
    return await look();
  } catch {
    throw doubt;
  }
}
