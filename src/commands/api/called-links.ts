import { UsageError } from '../../base/errors.ts';
import { refuseTooMany } from '../../change/limits.ts';
import type { Session } from '../../cli/session.ts';
import type { Edition } from '../../contract/editions.ts';
import { chosenRoute, type Route, routesAt } from '../../contract/routes.ts';
import { isSameDomain } from '../../contract/web-address.ts';

/** A call as typed. */
interface TypedCall {
  /** In capitals. */
  readonly method: string;
  /** Below the API root; it may contain a query. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
}

/** What the API says about a call. */
export interface CalledLinks {
  /** For example `DELETE /urls`. */
  readonly title: string;
  /** Of the path and the flags. */
  readonly parameters: URLSearchParams;
  /** Undefined for an operation that the API does not list. */
  readonly route: Route | undefined;
  /** Elsewhere `tags` is no parameter. */
  readonly selectsByTags: boolean;
}

export function calledLinks({ method, path, query }: TypedCall, edition: Edition): CalledLinks {
  const [address = '', ...search] = path.split('?');
  const parameters = new URLSearchParams(search.join('?'));
  for (const [name, value] of query) parameters.append(name, value);
  const route = chosenRoute(routesAt(address, edition), method, parameters);
  const isSelection = route?.endpoint.domain === true && route.path.hash === undefined && method !== 'POST';
  return { title: `${method} ${address}`, parameters, route, selectsByTags: isSelection && parameters.has('tags') };
}

/**
 * Returns the domain that has to be added to the parameters. An operation that the API does not list gets it, too: it applies to all
 * operations (4.1.7). Throws a UsageError for a `--domain` that does not apply or that contradicts the parameter.
 */
export function addedDomain(
  { title, parameters, route, selectsByTags }: CalledLinks,
  { domain, domainNamed }: Session,
): string | undefined {
  if (domain === undefined) return undefined;
  const given = parameters.getAll('domain');
  const reason =
    route && !route.endpoint.domain
      ? `--domain does not apply to ${title}`
      : selectsByTags
        ? '--domain does not apply to tags: tag selections act on all domains, the server ignores domain'
        : given.some((other) => !isSameDomain(other, domain)) && `specify only one of --domain ${domain} or domain=${given}`;
  if (reason && domainNamed) throw new UsageError(reason);
  return reason || given.length > 0 ? undefined : domain;
}

/** Throws a UsageError if `--max-affected` is exceeded, or if the call does not name its links: only those can be counted. */
export function refuseUncounted(called: CalledLinks, body: unknown, session: Session): void {
  const count = namedLinks(called, body);
  if (count === undefined)
    throw new UsageError(`--max-affected does not apply to ${called.title}: the call does not name links that can be counted`);
  refuseTooMany(count, session);
}

function namedLinks({ parameters, route, selectsByTags }: CalledLinks, body: unknown): number | undefined {
  // The operations on links are those that take a domain.
  if (!route?.endpoint.domain || selectsByTags) return undefined;
  if (route.path.hash !== undefined) return 1;
  const hashes = route.endpoint.method === 'POST' ? null : parameters.get('hashes');
  const named: unknown = hashes?.split(',') ?? Object(body).urls;
  return Array.isArray(named) ? named.length : undefined;
}
