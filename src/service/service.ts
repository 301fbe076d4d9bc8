import { randomBytes } from 'node:crypto';
import { isLocalhost, isLoopback } from '../contract/web-address.ts';
import { callCounter } from './api/call-counter.ts';
import { shownDomain } from './api/url-records.ts';
import { addressReader } from './client-address.ts';
import { answer, apiRoot, type Dispatcher } from './dispatcher.ts';
import { splitPort } from './hosts.ts';
import { type Listener, listen } from './listener.ts';
import { type Maintenance, startMaintenance } from './maintenance.ts';
import type { ServiceRequest, ServiceResponse } from './message.ts';
import { type Metrics, startMetrics } from './metrics.ts';
import { monitor } from './monitor.ts';
import { readDomain, type ServiceOptions, type ServiceSettings, serviceSettings } from './service-options.ts';
import { openSqliteStore } from './store/sqlite/sqlite-store.ts';
import type { AccountLinks, Store } from './store/store.ts';
import { clickCounter } from './visits/click-counter.ts';

export { diskHint } from '../files/sqlite.ts';
export { AddressConflict } from './maintenance.ts';
export { ImportRefusal, StoreFailure } from './store/store-options.ts';

/** Health and metrics cannot be served at their address; the cause says why. */
export class MonitorFailure extends Error {}

/** The service ended, and these clicks are lost; the cause says why. */
export class UnstoredClicks extends Error {
  readonly clicks: number;

  constructor(clicks: number, cause: unknown) {
    super('clicks could not be stored', { cause });
    this.clicks = clicks;
  }
}

interface OtherAccounts {
  readonly accounts: readonly AccountLinks[];
  /** The name of the file of the other edition in the same folder. */
  readonly file?: string | undefined;
}

export interface RunningService extends Pick<Listener, 'port' | 'connect' | 'connections' | 'renewCertificate'> {
  /** Such as `http://127.0.0.1:PORT/api/3`. */
  readonly baseUrl: string;
  readonly origin: string;
  /** The port of health and metrics, if served. */
  readonly metricsPort: number | undefined;
  /** The names of the domains, the default one first. */
  readonly domains: readonly string[];
  /** Domains with links that are not among the configured ones; in edition B, former names of the domain. */
  readonly formerDomains: readonly { readonly name: string; readonly links: number }[];
  /** If the account has no links: the accounts of the same store that have some, the largest first, and a file of the other edition. */
  otherAccounts(): Promise<OtherAccounts>;
  /** Answers a request that no connection brought. Never rejects. */
  answer(request: ServiceRequest): Promise<ServiceResponse>;
  /** Replaces all valid keys. */
  renewKeys(keys: readonly string[]): void;
  /** Call before `close`: reports on the health port that the service is stopping, and closes each connection with its next response. */
  drain(): void;
  /** Answers pending requests, stores the clicks, and releases port and data. Rejects, with `UnstoredClicks` if clicks are lost. */
  close(): Promise<void>;
}

/** A fixed default port, so that links still work after a restart. */
export const defaultPort = 8787;

/** Rejects if the data cannot be opened or the address is not available. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { host = '127.0.0.1', metricsPort, metricsHost = '127.0.0.1' } = options;
  const ports = new Map((options.domains ?? []).map(readDomain).map(({ name, port }) => [name, port]));
  const settings = serviceSettings(options, ports);
  const metrics = metricsPort === undefined ? undefined : startMetrics();
  const onFailure = (error: unknown): void => {
    metrics?.countFailure();
    options.onFailure?.(error);
  };
  const store = await openStore(options, settings);
  const clicks = clickCounter(store, onFailure);
  const { maxCallsPerDay, maxBodyBytes: bodyBytes } = settings.limits;
  const calls = callCounter(store, { limit: maxCallsPerDay, now: settings.now }, onFailure);
  let state: 'starting' | 'serving' | 'stopping' = 'starting';
  const dispatcher: Dispatcher = {
    settings,
    store,
    calls,
    clicks,
    onFailure,
    hasRedirects: options.redirects,
    isLocal: isLoopback(host),
    isOpen: () => state !== 'starting',
  };
  const listeners: Listener[] = [];
  const stopListening = () => closeAll(listeners.map((each) => each.close));
  let maintenance: Maintenance | undefined;
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= closeAll([
      stopListening,
      () =>
        clicks.flush().catch((cause: unknown) => {
          throw new UnstoredClicks(clicks.waiting(), cause);
        }),
      () => calls.flush(async () => {}),
      async () => maintenance?.stop(),
      () => store.close(),
    ]);
    return closing;
  };
  try {
    const listener = await listenForVisitors(options, dispatcher, metrics);
    listeners.push(listener);
    const monitorListener =
      metrics &&
      (await listen({
        host: metricsHost,
        port: metricsPort ?? 0,
        bodyBytes,
        handle: monitor(metrics, store, clicks, () => (state === 'serving' ? undefined : state)),
      }).catch((cause: unknown) => {
        throw new MonitorFailure('the port for health and metrics is not available', { cause });
      }));
    if (monitorListener) listeners.push(monitorListener);
    const origin = `${options.certificate ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${listener.port}`;
    const local = options.linksPort === 'own' ? `localhost:${listener.port}` : await localAddress(store, options.linksPort);
    if (local !== undefined && !ports.has('localhost')) ports.set('localhost', splitPort(local).port);
    const address = options.publicUrl ?? (options.linksPort === 'own' ? local : undefined);
    maintenance = startMaintenance(store, { address, visitorDays: options.visitorDays, now: settings.now }, onFailure);
    await maintenance.started;
    state = 'serving';
    const stored = await store.listDomains();
    const domains = (options.edition === 'b' ? stored.slice(0, 1) : stored).map((domain) => shownDomain(domain, settings));
    const { renewCertificate, connections, connect } = listener;
    return {
      baseUrl: origin + apiRoot,
      origin,
      port: listener.port,
      connect,
      metricsPort: monitorListener?.port,
      domains,
      formerDomains: await formerDomains(store, options),
      otherAccounts: () => otherAccounts(store, options),
      answer: (request) => answer(dispatcher, request),
      renewKeys: (keys) => {
        settings.credentials.apiKeys = keys;
      },
      drain: () => {
        state = 'stopping';
        listener.drain();
      },
      connections,
      renewCertificate,
      close,
    };
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}

/** The address of links on this machine: where another process serves them, or else will. */
async function localAddress(store: Store, usual: number | undefined): Promise<string | undefined> {
  if (usual === undefined) return undefined;
  return (await store.servedAddresses()).find(isLocalhost) ?? `localhost:${usual}`;
}

/** Links on a former domain still work if it resolves to this service. In edition B these are the links of the one domain. */
async function formerDomains(
  store: Store,
  { edition, domains: named = [] }: ServiceOptions,
): Promise<RunningService['formerDomains']> {
  if (named.length === 0) return [];
  const names = new Set(named.map((domain) => readDomain(domain).name));
  const stored = await store.listDomains();
  const former = stored.filter(({ name }) => !names.has(name));
  const counted = former.map(async (own) => {
    const domain = (edition === 'b' && stored[0]) || own;
    const query = { from: { kind: 'domain', domain }, search: undefined, order: 'created', offset: 0, limit: 0 } as const;
    return { name: own.name, links: (await store.listUrls(query)).total };
  });
  return (await Promise.all(counted)).filter(({ links }) => links > 0);
}

/** A mistyped username or edition opens an account without links. */
async function otherAccounts(store: Store, { edition, username }: ServiceOptions): Promise<OtherAccounts> {
  const accounts = await store.listAccounts();
  const isOwn = (account: AccountLinks): boolean => account.edition === edition && account.username === username;
  if (accounts.some(isOwn)) return { accounts: [] };
  return { accounts: accounts.toSorted((one, other) => other.links - one.links), file: store.otherFile?.() };
}

function listenForVisitors(options: ServiceOptions, dispatcher: Dispatcher, metrics: Metrics | undefined): Promise<Listener> {
  const { host = '127.0.0.1', port = 0, isPrivate, certificate, trustedProxies = [], onExchange } = options;
  return listen({
    host,
    port: isPrivate ? undefined : port,
    bodyBytes: dispatcher.settings.limits.maxBodyBytes,
    certificate,
    addressOf: trustedProxies.length > 0 ? addressReader(trustedProxies) : undefined,
    handle: (request) => answer(dispatcher, request),
    onExchange:
      metrics || onExchange
        ? (exchange) => {
            metrics?.count(exchange);
            onExchange?.(exchange);
          }
        : undefined,
  });
}

async function openStore({ domains = [], ...options }: ServiceOptions, { now }: Pick<ServiceSettings, 'now'>): Promise<Store> {
  const { edition, username, random = randomBytes } = options;
  if (edition === 'b' && domains.length > 1) throw new Error('edition B has one domain: name one at most');
  const account = { edition, username, domains: domains.map(readDomain).map(({ port, ...domain }) => domain), now, random };
  if (!options.store) return openSqliteStore({ ...account, directory: options.data });
  const { openPostgresStore } = await import('./store/postgres/postgres-store.ts');
  return openPostgresStore({ ...account, ...options.store, databaseUrl: options.store });
}

/** Runs all steps even if one fails, then throws the first error. */
async function closeAll(steps: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
