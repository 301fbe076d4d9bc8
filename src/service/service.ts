import { randomBytes } from 'node:crypto';
import { isLoopback } from '../contract/web-address.ts';
import { callCounter } from './calls.ts';
import { clickCounter } from './clicks.ts';
import { answer, apiRoot, type Dispatcher } from './dispatcher.ts';
import { addressReader } from './forwarding.ts';
import { type Certificate, type Listener, listen } from './listener.ts';
import { type Metrics, startMetrics } from './metrics.ts';
import { monitor } from './monitor.ts';
import { readDomain, type ServiceOptions, serviceSettings } from './service-options.ts';
import type { ServiceSettings } from './settings.ts';
import { openSqliteStore } from './store/sqlite/sqlite-store.ts';
import type { Store } from './store/store.ts';

export { diskHint } from '../files/sqlite.ts';
export { StoreFailure } from './store/store-failure.ts';

export interface RunningService {
  /** `http://127.0.0.1:PORT/api/3`. */
  readonly baseUrl: string;
  readonly origin: string;
  readonly port: number;
  /** That of health and figures, where they are served. */
  readonly metricsPort: number | undefined;
  /** Names of the account's domains, the default one first. */
  readonly domains: readonly string[];
  /** New connections get this certificate. Throws for one that cannot be used. */
  renewCertificate(certificate: Certificate): void;
  /** Answers what is under way, stores the clicks, and releases port and data. */
  close(): Promise<void>;
}

/** Where `serve` listens by default, so that links still work after a restart. */
export const usualPort = 8787;

/** Serves the API, and the redirects if wanted. Rejects where the data cannot be opened or the address is not available. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { host = '127.0.0.1', metricsPort } = options;
  const settings = serviceSettings(options);
  const metrics = metricsPort === undefined ? undefined : startMetrics();
  const onFailure = (error: unknown): void => {
    metrics?.countFailure();
    options.onFailure?.(error);
  };
  const store = await openStore(options, settings);
  const clicks = clickCounter(store, onFailure);
  const { callsPerDay } = settings.limits;
  const calls = callCounter(store, { limit: callsPerDay, now: settings.now }, onFailure);
  const redirects = options.redirects ? { store, clicks, settings } : undefined;
  const dispatcher: Dispatcher = { api: { settings, store, calls, onFailure }, redirects, clicks, isLocal: isLoopback(host) };
  const listeners: Listener[] = [];
  const stopListening = () => closeAll(listeners.map((each) => each.close));
  const close = once(() => closeAll([stopListening, clicks.flush, calls.flush, () => store.close()]));
  try {
    const listener = await listenForVisitors(options, dispatcher, metrics);
    listeners.push(listener);
    const { bodyBytes } = settings.limits;
    const watched =
      metrics && (await listen({ host, port: metricsPort ?? 0, bodyBytes, handle: monitor(metrics, store, clicks) }));
    if (watched) listeners.push(watched);
    const origin = `${options.certificate ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${listener.port}`;
    const [first] = await store.listDomains();
    const port = options.namedByPort ? listener.port : first?.name === 'localhost' ? options.linksPort : undefined;
    if (port !== undefined) await store.renameLocalDomain(`localhost:${port}`);
    const domains = (await store.listDomains()).map(({ name }) => name);
    const { renewCertificate } = listener;
    return {
      baseUrl: origin + apiRoot,
      origin,
      port: listener.port,
      metricsPort: watched?.port,
      domains,
      renewCertificate,
      close,
    };
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}

function listenForVisitors(options: ServiceOptions, dispatcher: Dispatcher, metrics: Metrics | undefined): Promise<Listener> {
  const { host = '127.0.0.1', port = 0, certificate, trustedProxies = [], onExchange } = options;
  return listen({
    host,
    port,
    bodyBytes: dispatcher.api.settings.limits.bodyBytes,
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

async function openStore({ domains = [], ...options }: ServiceOptions, { now }: ServiceSettings): Promise<Store> {
  const { edition, username, random = randomBytes } = options;
  if (edition === 'b' && domains.length > 1) throw new Error('edition B has one domain: name one at most');
  const account = { edition, username, domains: domains.map(readDomain), now, random };
  if (!options.store) return openSqliteStore({ ...account, directory: options.data });
  const { openPostgresStore } = await import('./store/postgres/postgres-store.ts');
  return openPostgresStore({ ...account, ...options.store, place: options.store });
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
