import type { Edition } from '../../contract/editions.ts';
import type { Method } from '../../contract/operations.ts';
import { chosenRoute, type Route, routesAt } from '../../contract/routes.ts';
import { Refusal } from './refusal.ts';

/** Throws 1301 for an unknown path and 1302 for a wrong method. HEAD works wherever GET does. */
export function matchRoute(edition: Edition, method: string, path: string, query: URLSearchParams): Route {
  const here = routesAt(path, edition);
  if (here.length === 0) throw new Refusal(1301);
  const route = chosenRoute(here, method === 'HEAD' ? 'GET' : method, query);
  if (!route) throw new Refusal(1302, '', { allow: allowed(here.map(({ endpoint }) => endpoint.method)) });
  return route;
}

/** The value of the `Allow` header. */
function allowed(methods: readonly Method[]): string {
  return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))].join(', ');
}
