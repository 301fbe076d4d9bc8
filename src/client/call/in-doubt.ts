import { shellWord } from '../../base/shell-word.ts';
import { endpoints, type OperationName } from '../../contract/operations.ts';
import type { Fault } from '../call-error.ts';
import type { AnyInput, ApiRequest } from './api-request.ts';
import type { RetriedCall } from './retry.ts';

interface Doubt {
  /** Continues "outcome unknown:". */
  readonly deed: string;
  /** Command that shows whether the change was made; `list` by default. */
  readonly shownBy?: 'stats' | 'tags';
  /** Maximum number of repetitions; unlimited by default. */
  readonly repeats?: (input: AnyInput) => number;
}

const never = (): number => 0;
const unlessRenaming = ({ body }: AnyInput): number => (renames(body) ? 0 : Number.POSITIVE_INFINITY);

const doubts: { readonly [O in OperationName]?: Doubt } = {
  // A repetition could create duplicates; bulk runs know when it cannot.
  shortenUrls: { deed: 'the links may have been created', repeats: never },
  // The callers check whether the rename happened before they repeat it (tag-changes.ts, bulk/operations/editing.ts).
  editUrl: { deed: 'the link may have been changed', repeats: unlessRenaming },
  editUrls: { deed: 'the links may have been changed', repeats: unlessRenaming },
  // The tags may select other links by now. One repetition is allowed, unless the edit changes the selection.
  editSelectedUrls: {
    deed: 'the links may have been changed',
    repeats: ({ query, body }) =>
      query?.tags === undefined ? Number.POSITIVE_INFINITY : Number(!changesItsSelection(query.tags, body)),
  },
  deleteUrl: { deed: 'the link may have been deleted' },
  deleteUrls: {
    deed: 'the links may have been deleted',
    repeats: ({ query }) => (query?.tags === undefined ? Number.POSITIVE_INFINITY : 0),
  },
  // A repetition would erase clicks that were counted meanwhile.
  resetStats: { deed: 'the counters may have been reset', shownBy: 'stats', repeats: never },
  resetSelectedStats: { deed: 'the counters may have been reset', shownBy: 'stats', repeats: never },
  addTag: { deed: 'the tag may have been added', shownBy: 'tags' },
  renameTag: { deed: 'the tag may have been renamed', shownBy: 'tags', repeats: never },
  deleteTag: { deed: 'the tag may have been deleted', shownBy: 'tags' },
};

type DoubtPolicy = Pick<RetriedCall, 'repeats' | 'inDoubt'>;

const readPolicy: DoubtPolicy = { repeats: Number.POSITIVE_INFINITY };

export function doubtPolicy(operation: OperationName, input: AnyInput): DoubtPolicy {
  if (endpoints[operation].method === 'GET') return readPolicy;
  const { deed = 'the change may have been made', shownBy, repeats } = doubts[operation] ?? {};
  return {
    repeats: repeats?.(input) ?? Number.POSITIVE_INFINITY,
    inDoubt: (fault) => doubtful(fault, deed, operation === 'shortenUrls' ? newest(input) : commandFor(input, shownBy)),
  };
}

/** A raw call is never repeated, because its effect is unknown. */
export function rawDoubtPolicy({ method, path }: ApiRequest): DoubtPolicy {
  if (method === 'GET') return readPolicy;
  return { repeats: 0, inDoubt: (fault) => doubtful(fault, `${method} ${path} may have taken effect`, 'linkctl list') };
}

/** Turns the fault into exit code 10, with a command that shows what happened. */
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

function renames(body: unknown): boolean {
  return items(body).some((item) => Object.hasOwn(item, 'custom_hash'));
}

/** The automatic label `email_stats` selects by a field that an edit by tags can change. */
function changesItsSelection(expression: string | number, body: unknown): boolean {
  return /email_stats/i.test(String(expression)) && items(body).some((item) => Object.hasOwn(item, 'email_stats'));
}

function items(body: unknown): object[] {
  const urls = typeof body === 'object' && body !== null && 'urls' in body ? body.urls : undefined;
  return Array.isArray(urls) ? urls.filter((item) => typeof item === 'object' && item !== null) : [];
}
