import type { Edition } from './editions.ts';
import { type Endpoint, endpoints, type OperationName } from './operations.ts';

/** An operation at a path. */
export interface Route {
  readonly operation: OperationName;
  readonly endpoint: Endpoint;
  /** Decoded values of the `:name` segments. */
  readonly path: { readonly [name: string]: string };
}

/** Returns the operations of all methods at a path below the API root; none for a path that the API does not have. */
export function routesAt(path: string, edition: Edition): Route[] {
  // Accepts a trailing slash, as public deployments do.
  const segments = path.replace(/\/$/, '').split('/');
  const all = Object.entries(endpoints) as [OperationName, Endpoint][];
  return all.flatMap(([operation, endpoint]) => {
    const isHere = endpoint.edition === undefined || endpoint.edition === edition;
    const values = isHere ? matchPath(endpoint.path.split('/'), segments) : undefined;
    return values ? [{ operation, endpoint, path: values }] : [];
  });
}

/** Chooses by the method, in capitals, and by whether the query has a selection. */
export function chosenRoute(routes: readonly Route[], method: string, query: Pick<URLSearchParams, 'has'>): Route | undefined {
  const selected = query.has('hashes') || query.has('tags');
  return routes.find(
    ({ endpoint }) => endpoint.method === method && (endpoint.selected === undefined || endpoint.selected === selected),
  );
}

function matchPath(pattern: readonly string[], segments: readonly string[]): { [name: string]: string } | undefined {
  if (pattern.length !== segments.length) return undefined;
  const values: { [name: string]: string } = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? '';
    if (!part.startsWith(':')) {
      if (part !== segment) return undefined;
      continue;
    }
    const value = decodeSegment(segment);
    if (value === undefined || value === '') return undefined;
    values[part.slice(1)] = value;
  }
  return values;
}

function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
