import { shownDomain } from './api/url-records.ts';
import { addressReader } from './client-address.ts';
import { apiRoot } from './dispatcher.ts';
import { type Listener, listen } from './listener.ts';
import { type Metrics, startMetrics } from './metrics.ts';
import { monitor } from './monitor.ts';
import { closeAll, type OpenService, openService } from './open-service.ts';
import { readDomain, type ServiceOptions } from './service-options.ts';
import type { AccountLinks, Store } from './store/store.ts';

export { AddressConflict } from './maintenance.ts';
export { defaultPort, diskHint, UnstoredClicks } from './open-service.ts';
export { ImportRefusal, StoreFailure } from './store/store-options.ts';

/** Health and metrics cannot be served at their address; the cause says why. */
export class MonitorFailure extends Error {}

interface OtherAccounts {
  readonly accounts: readonly AccountLinks[];
  /** The name of the file of the other edition in the same folder. */
  readonly file?: string | undefined;
}

export interface RunningService extends Pick<OpenService, 'answer'>, Pick<Listener, 'port' | 'connections' | 'renewCertificate'> {
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
  /** Replaces all valid keys. */
  renewKeys(keys: readonly string[]): void;
  /** Call before `close`: reports on the health port that the service is stopping, and closes each connection with its next response. */
  drain(): void;
  /** Answers pending requests, stores the clicks, and releases port and data. Rejects, with `UnstoredClicks` if clicks are lost. */
  close(): Promise<void>;
}

/** Rejects if the data cannot be opened or the address is not available. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { host = '127.0.0.1', metricsPort } = options;
  const metrics = metricsPort === undefined ? undefined : startMetrics();
  const onFailure = (error: unknown): void => {
    metrics?.countFailure();
    options.onFailure?.(error);
  };
  const open = await openService({ ...options, onFailure });
  const { store, settings } = open;
  const listeners: Listener[] = [];
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= closeAll([() => closeAll(listeners.map((each) => each.close)), open.close]);
    return closing;
  };
  try {
    const listener = await listenForVisitors(options, open, metrics);
    listeners.push(listener);
    let isStopping = false;
    const state = () => (isStopping ? 'stopping' : open.isOpen() ? undefined : 'starting');
    const monitorListener = metrics && (await listenForMonitors(options, open, metrics, state));
    if (monitorListener) listeners.push(monitorListener);
    await open.begin(listener.port);
    const origin = `${options.certificate ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${listener.port}`;
    const stored = await store.listDomains();
    const domains = (options.edition === 'b' ? stored.slice(0, 1) : stored).map((domain) => shownDomain(domain, settings));
    const { renewCertificate, connections } = listener;
    return {
      baseUrl: origin + apiRoot,
      origin,
      port: listener.port,
      metricsPort: monitorListener?.port,
      domains,
      formerDomains: await formerDomains(store, options),
      otherAccounts: () => otherAccounts(store, options),
      answer: open.answer,
      renewKeys: (keys) => {
        settings.credentials.apiKeys = keys;
      },
      drain: () => {
        isStopping = true;
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

function listenForVisitors(
  { host = '127.0.0.1', port = 0, certificate, trustedProxies = [], onExchange }: ServiceOptions,
  { settings, handle }: OpenService,
  metrics: Metrics | undefined,
): Promise<Listener> {
  return listen({
    host,
    port,
    bodyBytes: settings.limits.maxBodyBytes,
    certificate,
    addressOf: trustedProxies.length > 0 ? addressReader(trustedProxies) : undefined,
    handle,
    onExchange:
      metrics || onExchange
        ? (exchange) => {
            metrics?.count(exchange);
            onExchange?.(exchange);
          }
        : undefined,
  });
}

function listenForMonitors(
  { metricsPort = 0, metricsHost = '127.0.0.1' }: ServiceOptions,
  { settings, store, clicks }: OpenService,
  metrics: Metrics,
  unready: () => string | undefined,
): Promise<Listener> {
  const { maxBodyBytes: bodyBytes } = settings.limits;
  const listening = listen({ host: metricsHost, port: metricsPort, bodyBytes, handle: monitor(metrics, store, clicks, unready) });
  return listening.catch((cause: unknown) => {
    throw new MonitorFailure('the port for health and metrics is not available', { cause });
  });
}
