import { shellWord } from '../../base/shell-word.ts';
import { endpoints, type OperationName } from '../../contract/operations.ts';
import type { Fault } from '../call-error.ts';
import type { AnyInput, ApiRequest } from './requests.ts';

/**
 * How often a call may be sent again while it is in doubt whether it was applied (RELIABILITY.md 2.1). What is not listed is
 * sent again as often as the attempts allow: reads, and changes that end in the same state however often they are made.
 */
export function repeatsInDoubt(operation: OperationName, input: AnyInput): number {
  return repeats[operation]?.(input) ?? Number.POSITIVE_INFINITY;
}

/** A change that may have happened: exit 10, and a command that shows whether it did. */
export function inDoubt(operation: OperationName, input: AnyInput, fault: Fault): Fault {
  return {
    ...fault,
    outcome: 'ambiguous',
    kind: 'unknown',
    last: fault,
    message: `it is not known whether ${deeds[operation] ?? 'the change was made'}: ${fault.message}`,
    hint: `look before repeating it: ${look(operation, input)}`,
  };
}

/** The same for a call that was written by hand. */
export function rawInDoubt({ method, path }: ApiRequest, fault: Fault): Fault {
  const message = `it is not known whether ${method} ${path} was done: ${fault.message}`;
  return {
    ...fault,
    outcome: 'ambiguous',
    kind: 'unknown',
    last: fault,
    message,
    hint: 'look before repeating it: linkctl list',
  };
}

/** Whether a call changes something. */
export function changes(operation: OperationName): boolean {
  return endpoints[operation].method !== 'GET';
}

const never = (): number => 0;

const repeats: { readonly [O in OperationName]?: (input: AnyInput) => number } = {
  // Each repetition might make new links; bulk runs know when it does not.
  shortenUrls: never,
  // A selection by tags may hold other URLs by now; one whose edit leaves the selection as it is may be tried once more.
  editSelectedUrls: ({ query, body }) =>
    query?.tags === undefined ? Number.POSITIVE_INFINITY : Number(!selectsByWhatItSets(query.tags, body)),
  deleteUrls: ({ query }) => (query?.tags === undefined ? Number.POSITIVE_INFINITY : 0),
  // Clicks that came in the meantime would be erased too.
  resetStats: never,
  resetSelectedStats: never,
  // Whether a rename happened can be seen: that is checked before it is repeated (tag-changes.ts, bulk/operations/edit.ts).
  renameTag: never,
  editUrl: ({ body }) => (renames(body) ? 0 : Number.POSITIVE_INFINITY),
  editUrls: ({ body }) => (renames(body) ? 0 : Number.POSITIVE_INFINITY),
};

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

const deeds: { readonly [O in OperationName]?: string } = {
  shortenUrls: 'the short URLs were created',
  editUrl: 'the URL was changed',
  editSelectedUrls: 'the URLs were changed',
  editUrls: 'the URLs were changed',
  deleteUrl: 'the URL was deleted',
  deleteUrls: 'the URLs were deleted',
  resetStats: 'the counters were reset',
  resetSelectedStats: 'the counters were reset',
  addTag: 'the tag was added',
  renameTag: 'the tag was renamed',
  deleteTag: 'the tag was deleted',
};

function look(operation: OperationName, { path, query, body }: AnyInput): string {
  if (operation === 'addTag' || operation === 'renameTag' || operation === 'deleteTag') return 'linkctl tags';
  if (operation === 'shortenUrls') return `linkctl list --limit ${Math.max(1, items(body).length)}`;
  const command = operation === 'resetStats' || operation === 'resetSelectedStats' ? 'linkctl stats' : 'linkctl list';
  if (query?.tags !== undefined) return `${command} --by-tags ${shellWord(String(query.tags))}`;
  const hashes = [path?.hash, ...(query?.hashes === undefined ? [] : String(query.hashes).split(','))].filter(
    (hash) => hash !== undefined,
  );
  const renamed = items(body).flatMap((item) =>
    'custom_hash' in item && typeof item.custom_hash === 'string' ? [item.custom_hash] : [],
  );
  const named = [...hashes, ...renamed];
  return named.length > 0 && named.length <= 5 ? `${command} -- ${named.join(' ')}` : command;
}
