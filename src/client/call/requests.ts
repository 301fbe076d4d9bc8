import { UsageError } from '../../base/errors.ts';
import { type Edition, editions, thisServer } from '../../contract/editions.ts';
import { endpoints, type OperationName } from '../../contract/operations.ts';

/** A call of the API before it becomes bytes. */
export interface ApiRequest {
  readonly method: string;
  /** From the API root, percent-encoded. */
  readonly path: string;
  readonly query: readonly (readonly [string, string])[];
  /** JSON text. */
  readonly body?: string | undefined;
}

/** The parts of an operation's input, whatever the operation is. */
export interface AnyInput {
  readonly path?: { readonly [name: string]: string } | undefined;
  readonly query?: { readonly [name: string]: string | number | undefined } | undefined;
  readonly body?: unknown;
  readonly bodyText?: string | undefined;
}

/**
 * Where and how an operation is sent. Throws `UsageError`, before anything is sent, for what the edition does not have (B53), for
 * a segment that would change the path and for a selection that would select everything.
 */
export function requestFor(operation: OperationName, input: AnyInput, edition: Edition): ApiRequest {
  const endpoint = endpoints[operation];
  const { path = {}, query = {}, body, bodyText } = input;
  if (endpoint.edition && endpoint.edition !== edition) {
    throw new UsageError(`${thisServer(edition)} has no ${endpoint.path.slice(1)} endpoint`, {
      hint: operation === 'listDomains' ? 'linkctl account shows the domain of the account' : undefined,
    });
  }
  if (query.domain !== undefined && !editions[edition].severalDomains) {
    throw new UsageError(`${thisServer(edition)} has one domain; --domain is not available`);
  }
  const request = {
    method: endpoint.method,
    path: endpoint.path.replace(/:(\w+)/g, (_, member: string) => segment(path[member] ?? '', member)),
    query: Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)] as const])),
    body: bodyText ?? (body === undefined ? undefined : JSON.stringify(body)),
  };
  assertSelective(request);
  return request;
}

/** A call as a person wrote it for `api`: a path from the API root, perhaps with a query of its own. */
export interface RawRequest extends Pick<ApiRequest, 'method' | 'path' | 'body'> {
  readonly query?: ApiRequest['query'] | undefined;
}

export function rawRequest({ method, path, query = [], body }: RawRequest): ApiRequest {
  if (!/^[A-Z]+$/.test(method))
    throw new UsageError(`"${method}" is not an HTTP method; expected one of {GET|POST|PATCH|DELETE}`);
  if (!path.startsWith('/')) throw new UsageError(`the path "${path}" must start with /, such as /urls`);
  if (/[\s#\\]|[^\x21-\x7e]/.test(path)) throw new UsageError(`the path "${path}" must be percent-encoded`);
  const [address = '', search] = splitOnce(path, '?');
  if (address.split('/').some((part) => /^(\.|%2e){1,2}$/i.test(part))) {
    throw new UsageError(`the path "${path}" must not contain . or ..`);
  }
  decoded(address);
  const request = { method, path: address, query: [...new URLSearchParams(search ?? ''), ...query], body };
  assertSelective(request);
  return request;
}

/** Path and query as they are sent. */
export function addressOf({ path, query }: Pick<ApiRequest, 'path' | 'query'>): string {
  const search = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
  return search === '' ? path : `${path}?${search}`;
}

/** One segment of a path. `encodeURIComponent` leaves `.` and `..` alone, and servers resolve them: R 0.6. */
function segment(value: string, member: string): string {
  if (value === '' || value === '.' || value === '..') {
    throw new UsageError(`"${value}" is not a ${member}: it would change the request path`);
  }
  if (/[\x00-\x1f\x7f-\x9f]/.test(value)) throw new UsageError(`a ${member} cannot contain control characters`);
  try {
    return encodeURIComponent(value);
  } catch (cause) {
    throw new UsageError(`the ${member} is not valid Unicode`, { cause });
  }
}

/** Whatever is deleted, reset or edited as a group is named: without a selection a server might take everything. */
function assertSelective({ method, path, query, body }: ApiRequest): void {
  if (method !== 'DELETE' && method !== 'PATCH') return;
  const target = decoded(path).toLowerCase().split('/').filter(Boolean).join('/');
  if (target !== 'urls' && target !== 'stats') return;
  const selectors = query.filter(([name]) => name === 'hashes' || name === 'tags');
  const isNamed = method === 'PATCH' && selectors.length === 0 && namesEveryItem(body);
  if (selectors.length > 1) throw new UsageError('select by hashes or by tags, not both');
  if (!isNamed && !selectors.some(([name, value]) => isSelection(name, value))) {
    throw new UsageError(`nothing is selected: ${method} ${path} needs hashes or a tag expression`);
  }
}

/** Throws for what is not percent-encoded. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (cause) {
    throw new UsageError(`the path "${path}" is not percent-encoded correctly`, { cause });
  }
}

function isSelection(name: string, value: string): boolean {
  return name === 'tags' ? value.trim() !== '' : value.split(',').every((hash) => hash.trim() !== '');
}

/** The third edit style: every item has its hash (4.3.7). */
function namesEveryItem(body: string | undefined): boolean {
  try {
    const items: unknown = JSON.parse(body ?? '')?.urls;
    return (
      Array.isArray(items) && items.length > 0 && items.every((item) => typeof item?.hash === 'string' && item.hash.trim() !== '')
    );
  } catch {
    return false;
  }
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
