import { UsageError } from '../../base/errors.ts';
import { type Edition, editions, thisServer } from '../../contract/editions.ts';
import { endpoints, type OperationName } from '../../contract/operations.ts';
import { keyFault } from '../../contract/records.ts';

export interface ApiRequest {
  readonly method: string;
  /** From the API root, percent-encoded. */
  readonly path: string;
  readonly query: readonly (readonly [string, string])[];
  /** JSON text. */
  readonly body?: string | undefined;
}

export interface AnyInput {
  readonly path?: { readonly [name: string]: string } | undefined;
  readonly query?: { readonly [name: string]: string | number | undefined } | undefined;
  readonly body?: unknown;
  readonly bodyText?: string | undefined;
}

/**
 * Throws `UsageError` before anything is sent: for calls that the edition does not have, for a segment that would change the path, for a
 * value from which the key was removed, and for a change without a selection, which could affect all links.
 */
export function requestFor(operation: OperationName, input: AnyInput, edition: Edition): ApiRequest {
  const endpoint = endpoints[operation];
  const { path = {}, query = {}, body, bodyText } = input;
  if (endpoint.edition && endpoint.edition !== edition) {
    throw new UsageError(`${thisServer(edition)} has no ${endpoint.path.slice(1)} endpoint`, {
      hint: operation === 'listDomains' ? 'to see the domain of the account: linkctl account' : undefined,
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
  assertSendable(request);
  return request;
}

/** The items of a body, if it has some. */
export function itemsOf(body: unknown): object[] {
  const urls = typeof body === 'object' && body !== null && 'urls' in body ? body.urls : undefined;
  return Array.isArray(urls) ? urls.filter((item) => typeof item === 'object' && item !== null) : [];
}

/** The path of `linkctl api`, from the API root; it may contain a query. */
export interface RawRequest extends Pick<ApiRequest, 'method' | 'path' | 'body'> {
  readonly query?: ApiRequest['query'] | undefined;
}

export function rawRequest({ method, path, query = [], body }: RawRequest): ApiRequest {
  if (!/^[A-Z]+$/.test(method))
    throw new UsageError(`"${method}" is not an HTTP method; expected one of {GET|POST|PATCH|DELETE}`);
  if (!path.startsWith('/')) throw new UsageError(`the path "${path}" must start with /, such as /urls`);
  if (/[\s#\\]|[^\x21-\x7e]/.test(path)) throw new UsageError(`the path "${path}" must be percent-encoded`);
  const [address = '', ...search] = path.split('?');
  if (address.split('/').some((part) => /^(\.|%2e){1,2}$/i.test(part))) {
    throw new UsageError(`the path "${path}" must not contain . or ..`);
  }
  decoded(address);
  const request = { method, path: address, query: [...new URLSearchParams(search.join('?')), ...query], body };
  assertSendable(request);
  return request;
}

export function addressOf({ path, query }: Pick<ApiRequest, 'path' | 'query'>): string {
  const search = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
  return search === '' ? path : `${path}?${search}`;
}

/** `encodeURIComponent` keeps `.` and `..`, which servers resolve. */
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

function assertSendable(request: ApiRequest): void {
  const fault = keyFault(addressOf(request) + request.body);
  if (fault) throw new UsageError(fault);
  assertSelective(request);
}

/** A server could apply a change without a selection to all links, so such a change is refused. */
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

/** Throws if the path is not percent-encoded. */
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

/** In the third edit style every item has its own hash (4.3.7). */
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
