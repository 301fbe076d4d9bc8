import { orElse } from '../../base/errors.ts';
import { flagText } from '../../base/quoted.ts';
import { endpoints, type OperationName } from '../../contract/operations.ts';
import type { Fault } from '../call-error.ts';
import { destinationsCommand, linksCommand } from '../link-commands.ts';
import { onDomain } from '../subject.ts';
import { type AnyInput, type ApiRequest, itemsOf } from './api-request.ts';

const linkDeeds: { readonly [O in OperationName]?: string } = {
  shortenUrls: 'created',
  editUrl: 'changed',
  editUrls: 'changed',
  editSelectedUrls: 'changed',
  deleteUrl: 'deleted',
  deleteUrls: 'deleted',
};

const tagDeeds: { readonly [O in OperationName]?: string } = { addTag: 'added', renameTag: 'renamed', deleteTag: 'deleted' };

/** Continues "outcome unknown:". */
function deedOf(operation: OperationName, { path, query = {}, body }: AnyInput): string {
  const tagDeed = tagDeeds[operation];
  if (tagDeed) return `tag ${JSON.stringify(path?.label ?? Object(body).label)} may have been ${tagDeed}`;
  if (operation === 'resetStats' || operation === 'resetSelectedStats') return 'the counters may have been reset';
  const linkDeed = linkDeeds[operation];
  if (!linkDeed) return 'the change may have been made';
  // A selection has one item for all of its links.
  const isSelection = query.hashes !== undefined || query.tags !== undefined;
  const isOne = path?.hash !== undefined || (!isSelection && itemsOf(body).length === 1);
  return `the ${isOne ? 'link' : 'links'} may have been ${linkDeed}`;
}

/** Turns the fault into exit code 10, with a command that shows what happened. */
export function doubtful(fault: Fault, operation: OperationName, input: AnyInput): Fault {
  const { method, path } = endpoints[operation];
  const command = commandFor({ ...input, method, kind: path.split('/')[1], hash: input.path?.hash });
  return inDoubt(fault, deedOf(operation, input), command);
}

export function doubtfulRaw(fault: Fault, { method, path, query, body }: ApiRequest): Fault {
  const [, kind, hash] = path.split('/').map(decodeURIComponent);
  // A raw body may be anything.
  const sent: unknown = orElse(() => JSON.parse(body ?? ''), undefined);
  const command = commandFor({ method, kind, hash: hash || undefined, query: Object.fromEntries(query), body: sent });
  return inDoubt(fault, `${method} ${path} may have taken effect`, command);
}

function inDoubt(fault: Fault, deed: string, command: string): Fault {
  const message = `outcome unknown: ${deed}: ${fault.message}`;
  return { ...fault, outcome: 'ambiguous', kind: 'unknown', last: fault, message, hint: `check before repeating: ${command}` };
}

interface Changed extends Pick<AnyInput, 'query' | 'body'> {
  readonly method: string;
  /** The first segment of the path: `urls`. */
  readonly kind: string | undefined;
  readonly hash: string | undefined;
}

function commandFor({ method, kind, hash, query = {}, body }: Changed): string {
  if (kind === 'tags') return 'linkctl tags';
  const domain = query.domain === undefined ? undefined : String(query.domain);
  if (method === 'POST') return destinationsCommand(itemsOf(body), domain);
  const shownBy = kind === 'stats' ? 'stats' : 'list';
  // A tag expression selects links of all domains.
  if (query.tags !== undefined) return `linkctl ${shownBy} ${flagText('--by-tags', String(query.tags))}`;
  const hashes = [hash ?? [], query.hashes === undefined ? [] : String(query.hashes).split(',')].flat();
  const renamed = itemsOf(body).flatMap((item) =>
    'custom_hash' in item && typeof item.custom_hash === 'string' ? [item.custom_hash] : [],
  );
  const links = [...hashes, ...renamed].map((hash) => ({ hash, domain }));
  // More names make a hint unreadable.
  return links.length > 0 && links.length <= 5 ? linksCommand(links, shownBy) : `linkctl ${shownBy}${onDomain(domain)}`;
}
