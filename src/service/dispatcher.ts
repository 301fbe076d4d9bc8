import { isLoopback } from '../contract/web-address.ts';
import { type Api, answerCall, type Target } from './api/api.ts';
import { refuse, refuseHost } from './api/api-responses.ts';
import { notYet, refusalOf } from './api/refusal.ts';
import { withCors } from './cors.ts';
import { domainNamed, hostName } from './hosts.ts';
import type { ServiceRequest, ServiceResponse } from './message.ts';
import type { Store } from './store/store.ts';
import { answerVisit, type Redirects, unavailable } from './visits/redirects.ts';

/** The API root, which may follow any prefix. */
export const apiRoot = '/api/3';

export interface Dispatcher extends Api, Redirects {
  /** Visits are answered, too. */
  readonly hasRedirects: boolean;
  /** The service is bound to loopback. */
  readonly isLocal: boolean;
  /** A process without its address and its domains answers nobody. */
  readonly isOpen: () => boolean;
}

/** Routes requests below an API root to the API, and all others to the redirects. Never rejects. */
export async function answer(dispatcher: Dispatcher, request: ServiceRequest): Promise<ServiceResponse> {
  try {
    const [path = '', search = ''] = request.target.split(/\?(.*)/s);
    const rootLength = lengthOfRoot(path);
    if (!dispatcher.isOpen()) return rootLength > 0 ? refuse(notYet) : unavailable;
    if (rootLength > 0) {
      const target = { root: path.slice(0, rootLength), path: path.slice(rootLength), query: new URLSearchParams(search) };
      return await withCors(request, dispatcher.settings.allowedOrigins, () => admitCall(dispatcher, request, target));
    }
    return dispatcher.hasRedirects ? await visit(dispatcher, request, path, search) : refuse(1301);
  } catch (error) {
    dispatcher.onFailure(error);
    return refuse(refusalOf(error));
  }
}

async function admitCall(dispatcher: Dispatcher, request: ServiceRequest, target: Target): Promise<ServiceResponse> {
  if (dispatcher.isLocal && !(await isOwnHost(dispatcher.store, request))) return refuseHost();
  // The response must include every click before the call.
  await dispatcher.clicks.settle();
  return await answerCall(dispatcher, request, target);
}

async function visit(dispatcher: Dispatcher, request: ServiceRequest, path: string, search: string): Promise<ServiceResponse> {
  try {
    return await answerVisit(dispatcher, request, path, search);
  } catch (error) {
    dispatcher.onFailure(error);
    return unavailable;
  }
}

/** Accepts any prefix; returns 0 if there is no API root. */
function lengthOfRoot(path: string): number {
  for (let at = path.indexOf(apiRoot); at >= 0; at = path.indexOf(apiRoot, at + 1)) {
    const end = at + apiRoot.length;
    if (end === path.length || path[end] === '/') return end;
  }
  return 0;
}

/** Rejects the host names of web pages that resolve to this machine (DNS rebinding). */
async function isOwnHost(store: Store, request: ServiceRequest): Promise<boolean> {
  const { host } = request;
  // Every browser sends a host.
  return host === '' || isLoopback(hostName(host)) || domainNamed(host, await store.listDomains()) !== undefined;
}
