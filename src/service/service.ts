import { randomBytes } from 'node:crypto';
import { type Edition, editions } from '../contract/editions.ts';
import { isLoopback } from '../contract/web-address.ts';
import { refuse } from './answers.ts';
import { type Api, answerCall } from './api.ts';
import { type ClickCounter, clickCounter } from './clicks.ts';
import { hostName, normalizeDomain } from './hosts.ts';
import { listen } from './listener.ts';
import type { ServiceRequest, ServiceResponse } from './message.ts';
import { answerVisit, openRedirects, type Redirects, unavailable } from './redirects.ts';
import { type AccountSettings, type ServiceLimits, type ServiceSettings, unlimited } from './settings.ts';
import { openSqliteStore } from './store/sqlite/sqlite-store.ts';
import type { DomainSettings, Store } from './store/store.ts';

export type { AccountSettings, ServiceLimits } from './settings.ts';
export type { DomainSettings } from './store/store.ts';

/** The root of version 3 of the interface, on every local service; below any prefix, too (V1). */
export const apiRoot = '/api/3';

export interface ServiceOptions {
  readonly edition: Edition;
  /** The directory that keeps the data, made where missing; in memory without it. */
  readonly data?: string | undefined;
  /** `127.0.0.1` by default. */
  readonly host?: string | undefined;
  /** Any free one by default. */
  readonly port?: number | undefined;
  /**
   * The account's domains, the default one first; Unicode or ASCII, with a port where links need one. Stored ones that are not
   * named stay usable. Without any: the stored ones, or `localhost`.
   */
  readonly domains?: readonly DomainSettings[] | undefined;
  /**
   * Whether a default domain `localhost`, whatever port it had, is called `localhost:PORT` from now on: its short URLs, older ones
   * too, can then be followed as they are.
   */
  readonly namedByPort?: boolean | undefined;
  /** The port that a default domain `localhost` without one gets: that on which its short URLs will work. */
  readonly linksPort?: number | undefined;
  readonly username: string;
  readonly apiKey: string;
  readonly limits?: Partial<ServiceLimits> | undefined;
  readonly account?: Partial<AccountSettings> | undefined;
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
  readonly random?: ((size: number) => Uint8Array) | undefined;
  /** Whether `GET /<hash>` redirects; without it, only the API is served. */
  readonly redirects: boolean;
  /** Called for failures that nobody foresaw; their calls are answered with 101. */
  readonly onFailure?: ((error: unknown) => void) | undefined;
}

export interface RunningService {
  /** `http://127.0.0.1:PORT/api/3`. */
  readonly baseUrl: string;
  readonly origin: string;
  readonly port: number;
  /** Names of the account's domains, the default one first. */
  readonly domains: readonly string[];
  /** Answers what is under way, stores the clicks, and releases port and data. */
  close(): Promise<void>;
}

/** Where `serve` listens by default, so that links still work after a restart. */
export const usualPort = 8787;

/** Serves the API, and the redirects if wanted. Rejects where the data cannot be opened or the address is not available. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { host = '127.0.0.1', onFailure = () => {} } = options;
  const settings = serviceSettings(options);
  const store = await openStore(options, settings);
  const clicks = clickCounter(store, onFailure);
  const redirects = options.redirects ? openRedirects(store, clicks, settings.now) : undefined;
  const service: Service = { api: { settings, store, onFailure }, redirects, clicks, isLocal: isLoopback(host) };
  try {
    const handle = (request: ServiceRequest) => answer(service, request);
    const listener = await listen({ host, port: options.port ?? 0, bodyBytes: settings.limits.bodyBytes, handle });
    const origin = `http://${host.includes(':') ? `[${host}]` : host}:${listener.port}`;
    const [first] = await store.listDomains();
    const port = options.namedByPort ? listener.port : first?.name === 'localhost' ? options.linksPort : undefined;
    if (port !== undefined) await store.renameLocalDomain(`localhost:${port}`);
    const domains = (await store.listDomains()).map(({ name }) => name);
    const close = once(() => closeAll([() => listener.close(), () => clicks.flush(), () => store.close()]));
    return { baseUrl: origin + apiRoot, origin, port: listener.port, domains, close };
  } catch (error) {
    await store.close();
    throw error;
  }
}

interface Service {
  readonly api: Api;
  readonly redirects: Redirects | undefined;
  readonly clicks: ClickCounter;
  /** Bound to loopback. */
  readonly isLocal: boolean;
}

/** The whole service as a function: what is below an API root goes to the API, the rest to the redirects. Never rejects. */
async function answer(service: Service, request: ServiceRequest): Promise<ServiceResponse> {
  const { api, redirects, clicks } = service;
  try {
    const [path, search] = splitTarget(request.target);
    const rootLength = lengthOfRoot(path);
    if (rootLength > 0) {
      if (service.isLocal && !(await isOwnHost(api.store, request))) return refuse(1217);
      // So that an answer counts every click that came before its call.
      await clicks.flush().catch(api.onFailure);
      const query = new URLSearchParams(search);
      return await answerCall(api, request, { root: path.slice(0, rootLength), path: path.slice(rootLength), query });
    }
    return redirects ? await visit(service, redirects, request, path) : refuse(1301);
  } catch (error) {
    api.onFailure(error);
    return refuse(101);
  }
}

async function visit({ api }: Service, redirects: Redirects, request: ServiceRequest, path: string): Promise<ServiceResponse> {
  try {
    return await answerVisit(redirects, request, path);
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

/** R-54: a web page whose name was made to resolve to this machine (DNS rebinding) sends its own name here. */
async function isOwnHost(store: Store, request: ServiceRequest): Promise<boolean> {
  const { host } = request;
  // No browser leaves it out.
  if (host === '' || isLoopback(hostName(host))) return true;
  const names = [normalizeDomain(host), normalizeDomain(hostName(host))];
  return (await store.listDomains()).some((domain) => names.includes(domain.name));
}

function serviceSettings(options: ServiceOptions): ServiceSettings {
  const { edition, username, apiKey, limits = {}, account = {} } = options;
  return {
    edition,
    credentials: { username, apiKey },
    limits: {
      groupBound: limits.groupBound ?? editions[edition].groupBound,
      urls: limits.urls ?? unlimited,
      monthUrls: limits.monthUrls ?? unlimited,
      callsPerDay: limits.callsPerDay ?? unlimited,
      // 8 MiB (R-54).
      bodyBytes: limits.bodyBytes ?? 8 * 1024 * 1024,
    },
    account: {
      active: account.active ?? true,
      expirationDate: account.expirationDate ?? '9999-12-31 23:59:59',
      plan: account.plan ?? 'local',
    },
    now: options.now ?? Date.now,
  };
}

function openStore({ domains = [], ...options }: ServiceOptions, { now }: ServiceSettings): Promise<Store> {
  if (options.edition === 'b' && domains.length > 1) throw new Error('edition B has one domain: name one at most');
  return openSqliteStore({
    directory: options.data,
    edition: options.edition,
    username: options.username,
    domains: domains.map(readDomain),
    now,
    random: options.random ?? randomBytes,
  });
}

const redirectCodes: readonly string[] = ['301', '302', '303', '307', '308'];

function readDomain(settings: DomainSettings): DomainSettings {
  const name = normalizeDomain(settings.name);
  if (name === undefined) throw new Error(`${JSON.stringify(settings.name)} is not a domain name`);
  if (settings.redirectCode !== undefined && !redirectCodes.includes(settings.redirectCode)) {
    throw new Error(`redirect code ${settings.redirectCode}: use one of ${redirectCodes.join(', ')}`);
  }
  return { ...settings, name };
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}

/** Runs every step even where an earlier one fails, and throws the first failure. */
async function closeAll(steps: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
