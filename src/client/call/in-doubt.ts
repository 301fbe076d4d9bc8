import { endpoints, type OperationName } from '../../contract/operations.ts';
import { type AnyInput, type ApiRequest, itemsOf } from './api-request.ts';
import type { RetriedCall } from './retry-loop.ts';

const never = (): number => 0;
const unlessRenaming = ({ body }: AnyInput): number => (renames(body) ? 0 : Number.POSITIVE_INFINITY);

/** Maximum number of repetitions; unlimited for all others. */
const repeats: { readonly [O in OperationName]?: (input: AnyInput) => number } = {
  // A repetition could create duplicates; bulk runs know when it cannot.
  shortenUrls: never,
  // The callers check whether the rename happened before they repeat it (tag-changes.ts, bulk/operations/editing.ts).
  editUrl: unlessRenaming,
  editUrls: unlessRenaming,
  // The tags may select other links by now. One repetition is allowed, unless the edit changes the selection.
  editSelectedUrls: ({ query, body }) =>
    query?.tags === undefined ? Number.POSITIVE_INFINITY : Number(!changesItsSelection(query.tags, body)),
  deleteUrls: ({ query }) => (query?.tags === undefined ? Number.POSITIVE_INFINITY : 0),
  // A repetition would erase clicks that were counted meanwhile.
  resetStats: never,
  resetSelectedStats: never,
  renameTag: never,
};

type DoubtPolicy = Pick<RetriedCall, 'repeats' | 'inDoubt'>;

const readPolicy: DoubtPolicy = { repeats: Number.POSITIVE_INFINITY };

/** The texts are imported on demand, because few calls need them. */
export function doubtPolicy(operation: OperationName, input: AnyInput): DoubtPolicy {
  if (endpoints[operation].method === 'GET') return readPolicy;
  return {
    repeats: repeats[operation]?.(input) ?? Number.POSITIVE_INFINITY,
    inDoubt: async (fault) => (await import('./doubtful-fault.ts')).doubtful(fault, operation, input),
  };
}

/** A raw call is never repeated, because its effect is unknown. */
export function rawDoubtPolicy(request: ApiRequest): DoubtPolicy {
  if (request.method === 'GET') return readPolicy;
  return { repeats: 0, inDoubt: async (fault) => (await import('./doubtful-fault.ts')).doubtfulRaw(fault, request) };
}

function renames(body: unknown): boolean {
  return itemsOf(body).some((item) => Object.hasOwn(item, 'custom_hash'));
}

/** The automatic label `email_stats` selects by a field that an edit by tags can change. */
function changesItsSelection(expression: string | number, body: unknown): boolean {
  return /email_stats/i.test(String(expression)) && itemsOf(body).some((item) => Object.hasOwn(item, 'email_stats'));
}
