import { isLoopback } from '../contract/web-address.ts';
import { type Api, answerCall, type Target } from './api.ts';
import { refuse } from './api-responses.ts';
import type { ClickCounter } from './click-counter.ts';
import { answerPage } from './cors.ts';
import { hostName, normalizeDomain } from './hosts.ts';
import type { ServiceRequest, ServiceResponse } from './message.ts';
import { answerVisit, type Redirects, unavailable } from './redirects.ts';
import type { Store } from './store/store.ts';

/** The root of version 3 of the interface, on every local service; below any prefix, too (V1). */
export const apiRoot = '/api/3';

/** What it takes to answer a request. */
export interface Dispatcher {
  readonly api: Api;
  readonly redirects: Redirects | undefined;
  readonly clicks: ClickCounter;
  /** Bound to loopback. */
  readonly isLocal: boolean;
}

/** The whole service as a function: what is below an API root goes to the API, the rest to the redirects. Never rejects. */
export async function answer(dispatcher: Dispatcher, request: ServiceRequest): Promise<ServiceResponse> {
  const { api, redirects } = dispatcher;
  try {
    const [path, search] = splitTarget(request.target);
    const rootLength = lengthOfRoot(path);
    if (rootLength > 0) {
      const target = { root: path.slice(0, rootLength), path: path.slice(rootLength), query: new URLSearchParams(search) };
      return await answerPage(request, api.settings.allowedOrigins, () => admitCall(dispatcher, request, target));
    }
    return redirects ? await visit(api, redirects, request, [path, search]) : refuse(1301);
  } catch (error) {
    api.onFailure(error);
    return refuse(101);
  }
}

async function admitCall(
  { api, clicks, isLocal }: Dispatcher,
  request: ServiceRequest,
  target: Target,
): Promise<ServiceResponse> {
  if (isLocal && !(await isOwnHost(api.store, request))) return refuse(1217);
  // So that an answer counts every click that came before its call.
  await clicks.settle();
  return await answerCall(api, request, target);
}

async function visit(
  api: Api,
  redirects: Redirects,
  request: ServiceRequest,
  [path, search]: readonly [string, string],
): Promise<ServiceResponse> {
  try {
    return await answerVisit(redirects, request, path, search);
  } catch (error) {
    api.onFailure(error);
    return unavailable;
  }
}

/** Where the root of the API ends in a path, whatever comes before it (V1); 0 without one. */
function lengthOfRoot(path: string): number {
  for (let at = path.indexOf(apiRoot); at >= 0; at = path.indexOf(apiRoot, at + 1)) {
    const end = at + apiRoot.length;
    if (end === path.length || path[end] === '/') return end;
  }
  return 0;
}

/** The path and the query of a request. */
function splitTarget(target: string): [string, string] {
  const at = target.indexOf('?');
  return at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)];
}

/** a web page whose name was made to resolve to this machine (DNS rebinding) sends its own name here. */
async function isOwnHost(store: Store, request: ServiceRequest): Promise<boolean> {
  const { host } = request;
  // No browser leaves it out.
  if (host === '' || isLoopback(hostName(host))) return true;
  const names = [normalizeDomain(host), normalizeDomain(hostName(host))];
  return (await store.listDomains()).some((domain) => names.includes(domain.name));
}
