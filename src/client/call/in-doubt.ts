import { shellWord } from '../../base/shell-word.ts';
import { endpoints, type OperationName } from '../../contract/operations.ts';
import type { Fault } from '../call-error.ts';
import type { AnyInput, ApiRequest } from './requests.ts';
import type { RetriedCall } from './retry.ts';

/** How a change in doubt is reported and repeated. */
interface Doubt {
  /** Continues "outcome unknown:". */
  readonly deed: string;
  /** The command that shows whether it was done; `list` without it. */
  readonly shownBy?: 'stats' | 'tags';
  /** How often it may be sent again (R 2.1); without limit where absent. */
  readonly repeats?: (input: AnyInput) => number;
}

const never = (): number => 0;
const unlessRenaming = ({ body }: AnyInput): number => (renames(body) ? 0 : Number.POSITIVE_INFINITY);

const doubts: { readonly [O in OperationName]?: Doubt } = {
  // Each repetition might make new links; bulk runs know when it does not.
  shortenUrls: { deed: 'the links may have been created', repeats: never },
  // Whether a rename happened can be seen: that is checked before it is repeated (tag-changes.ts, bulk/operations/edit.ts).
  editUrl: { deed: 'the link may have been changed', repeats: unlessRenaming },
  editUrls: { deed: 'the links may have been changed', repeats: unlessRenaming },
  // By tags, other links may be selected by now. It is repeated once, unless the edit changes what the tags select.
  editSelectedUrls: {
    deed: 'the links may have been changed',
    repeats: ({ query, body }) =>
      query?.tags === undefined ? Number.POSITIVE_INFINITY : Number(!selectsByWhatItSets(query.tags, body)),
  },
  deleteUrl: { deed: 'the link may have been deleted' },
  deleteUrls: {
    deed: 'the links may have been deleted',
    repeats: ({ query }) => (query?.tags === undefined ? Number.POSITIVE_INFINITY : 0),
  },
  // Clicks that came in the meantime would be erased too.
  resetStats: { deed: 'the counters may have been reset', shownBy: 'stats', repeats: never },
  resetSelectedStats: { deed: 'the counters may have been reset', shownBy: 'stats', repeats: never },
  addTag: { deed: 'the tag may have been added', shownBy: 'tags' },
  renameTag: { deed: 'the tag may have been renamed', shownBy: 'tags', repeats: never },
  deleteTag: { deed: 'the tag may have been deleted', shownBy: 'tags' },
};

/** What is done about a call that may have been applied. */
export type DoubtPolicy = Pick<RetriedCall, 'repeats' | 'inDoubt'>;

const ofReads: DoubtPolicy = { repeats: Number.POSITIVE_INFINITY };

export function doubtPolicy(operation: OperationName, input: AnyInput): DoubtPolicy {
  if (endpoints[operation].method === 'GET') return ofReads;
  const { deed = 'the change may have been made', shownBy, repeats } = doubts[operation] ?? {};
  return {
    repeats: repeats?.(input) ?? Number.POSITIVE_INFINITY,
    inDoubt: (fault) => doubtful(fault, deed, operation === 'shortenUrls' ? newest(input) : commandFor(input, shownBy)),
  };
}

/** The same for a call that was written by hand. */
export function rawDoubtPolicy({ method, path }: ApiRequest): DoubtPolicy {
  if (method === 'GET') return ofReads;
  return { repeats: 0, inDoubt: (fault) => doubtful(fault, `${method} ${path} may have taken effect`, 'linkctl list') };
}

/** A change that may have happened: exit 10, and a command that shows whether it did. */
function doubtful(fault: Fault, deed: string, command: string): Fault {
  const message = `outcome unknown: ${deed}: ${fault.message}`;
  return { ...fault, outcome: 'ambiguous', kind: 'unknown', last: fault, message, hint: `check before repeating: ${command}` };
}

function newest({ body }: AnyInput): string {
  return `linkctl list --limit ${Math.max(1, items(body).length)}`;
}

function commandFor({ path, query, body }: AnyInput, shownBy: 'list' | 'stats' | 'tags' = 'list'): string {
  const command = `linkctl ${shownBy}`;
  if (shownBy === 'tags') return command;
  if (query?.tags !== undefined) return `${command} --by-tags ${shellWord(String(query.tags))}`;
  const hashes = [path?.hash ?? [], query?.hashes === undefined ? [] : String(query.hashes).split(',')].flat();
  const renamed = items(body).flatMap((item) =>
    'custom_hash' in item && typeof item.custom_hash === 'string' ? [item.custom_hash] : [],
  );
  const named = [...hashes, ...renamed];
  return named.length > 0 && named.length <= 5 ? `${command} -- ${named.join(' ')}` : command;
}

/** Whether any item of an edit gets a new hash. */
function renames(body: unknown): boolean {
  return items(body).some((item) => Object.hasOwn(item, 'custom_hash'));
}

/** The automatic label `email_stats` selects by a field that an edit by tags can set (FIELD-NOTES 24). */
function selectsByWhatItSets(expression: string | number, body: unknown): boolean {
  return /email_stats/i.test(String(expression)) && items(body).some((item) => Object.hasOwn(item, 'email_stats'));
}

function items(body: unknown): object[] {
  const urls = typeof body === 'object' && body !== null && 'urls' in body ? body.urls : undefined;
  return Array.isArray(urls) ? urls.filter((item) => typeof item === 'object' && item !== null) : [];
}
