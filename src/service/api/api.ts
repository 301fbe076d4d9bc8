import { utcTime } from '../../base/times.ts';
import { endpoints, type Method, type OperationName, type OperationResult } from '../../contract/operations.ts';
import type { Call } from '../handlers/call.ts';
import { handlers } from '../handlers/handlers.ts';
import { domainNamed } from '../hosts.ts';
import { header, type ServiceRequest, type ServiceResponse } from '../message.ts';
import type { ServiceSettings } from '../service-options.ts';
import type { Store, StoredDomain } from '../store/store.ts';
import { refuse, succeed } from './api-responses.ts';
import { authenticate } from './authentication.ts';
import { readPayload } from './bodies.ts';
import type { CallCounter } from './call-counter.ts';
import { Refusal, refusalOf } from './refusal.ts';
import { matchRoute } from './routes.ts';

export interface Api {
  readonly settings: ServiceSettings;
  readonly store: Store;
  readonly calls: CallCounter;
  /** Called for errors that are no refusals; the client gets 101, or 1219 while links are imported. */
  readonly onFailure: (error: unknown) => void;
}

export interface Target {
  /** The path of the API itself, which ends in `/api/3`. */
  readonly root: string;
  /** The rest of the path; empty, or beginning with a slash. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Never rejects. */
export async function answerCall(api: Api, request: ServiceRequest, target: Target): Promise<ServiceResponse> {
  let operation: OperationName | undefined;
  try {
    await admit(api, request);
    const { path, query } = target;
    const route = matchRoute(api.settings.edition, readMethod(request), path, query);
    operation = route.operation;
    const payload = hasPayload(endpoints[operation].method) ? await readPayload(request) : undefined;
    const answer = succeed(await run(operation, openCall(api, target, route.path, payload)));
    return { ...answer, subject: { kind: 'call', operation, code: 0 } };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal !== error) api.onFailure(error);
    return { ...refuse(refusal), subject: { kind: 'call', operation, code: refusal.code } };
  }
}

/** Checks the credentials (section 5), then counts the call. Calls with wrong credentials do not count. */
async function admit({ settings, calls }: Api, request: ServiceRequest): Promise<void> {
  const { account, credentials, now } = settings;
  authenticate(request, credentials);
  // API.md does not mention expired accounts; public deployments refuse them like inactive ones.
  if (!account.active || account.expirationDate <= utcTime(now())) throw new Refusal(1217);
  if (!(await calls.admit())) throw new Refusal(1303);
}

/** A POST may stand for another method (4.1.3). */
function readMethod(request: ServiceRequest): string {
  const override = request.method === 'POST' ? header(request, 'x-http-method-override') : undefined;
  return override?.trim().toUpperCase() || request.method;
}

function hasPayload(method: Method): boolean {
  return method === 'POST' || method === 'PATCH';
}

function openCall(api: Api, { root, query }: Target, path: object, payload: unknown): Call<OperationName> {
  const { settings, store, calls } = api;
  // After `hashes=a&hashes=b` one link would be deleted, and the answer would be that all is done. Edition B ignores `domain`.
  const single = settings.edition === 'a' ? ['hashes', 'tags', 'domain'] : ['hashes', 'tags'];
  if (single.some((name) => query.getAll(name).length > 1)) throw new Refusal(1305);
  return {
    root,
    path,
    query,
    payload,
    settings,
    store,
    workingDomain: () => findWorkingDomain(api, query),
    usage: () => calls.flush(store.usage),
    note: (describe) => (settings.edition === 'a' ? describe : undefined),
  };
}

/** 4.1.7. Edition B ignores the parameter, like any unknown one. */
async function findWorkingDomain({ settings, store }: Api, query: URLSearchParams): Promise<StoredDomain> {
  const named = settings.edition === 'a' ? query.get('domain') : null;
  const domains = await store.listDomains();
  const domain = named === null ? domains.find(({ isDefault }) => isDefault) : domainNamed(named, domains);
  if (!domain) throw new Refusal(1313);
  return domain;
}

/** The operation is known only at run time; the pattern of the route guarantees the path values. */
function run<O extends OperationName>(operation: O, call: Call<O>): Promise<OperationResult<O>> {
  return handlers[operation](call);
}
