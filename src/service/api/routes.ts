import type { Edition } from '../../contract/editions.ts';
import { type Endpoint, endpoints, type Method, type OperationName } from '../../contract/operations.ts';
import { Refusal } from './refusal.ts';

interface Route {
  readonly operation: OperationName;
  /** Decoded values of the `:name` segments. */
  readonly path: { readonly [name: string]: string };
}

/** Throws 1301 for an unknown path and 1302 for a wrong method. HEAD works wherever GET does. */
export function matchRoute(edition: Edition, method: string, path: string, query: URLSearchParams): Route {
  // Accepts a trailing slash, as public deployments do.
  const segments = path.replace(/\/$/, '').split('/');
  const here = candidates(edition).flatMap(([operation, endpoint]) => {
    const values = matchPath(endpoint.path.split('/'), segments);
    return values ? [{ operation, endpoint, path: values }] : [];
  });
  if (here.length === 0) throw new Refusal(1301);
  const selected = query.has('hashes') || query.has('tags');
  const sought = method === 'HEAD' ? 'GET' : method;
  const route = here.find(
    ({ endpoint }) => endpoint.method === sought && (endpoint.selected === undefined || endpoint.selected === selected),
  );
  if (!route) throw new Refusal(1302, '', { allow: allowed(here.map(({ endpoint }) => endpoint.method)) });
  return route;
}

/** The value of the `Allow` header. */
function allowed(methods: readonly Method[]): string {
  return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))].join(', ');
}

function candidates(edition: Edition): [OperationName, Endpoint][] {
  const all = Object.entries(endpoints) as [OperationName, Endpoint][];
  return all.filter(([, endpoint]) => endpoint.edition === undefined || endpoint.edition === edition);
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
