import { randomBytes } from 'node:crypto';
import { isLocalhost, isLoopback } from '../contract/web-address.ts';
import { callCounter } from './api/call-counter.ts';
import { Refusal } from './api/refusal.ts';
import { answer, type Dispatcher } from './dispatcher.ts';
import { splitPort } from './hosts.ts';
import { type Maintenance, startMaintenance } from './maintenance.ts';
import type { ServiceRequest, ServiceResponse } from './message.ts';
import { readDomain, type ServiceOptions, type ServiceSettings, serviceSettings } from './service-options.ts';
import { openSqliteStore } from './store/sqlite/sqlite-store.ts';
import type { Store } from './store/store.ts';
import { type ClickCounter, clickCounter } from './visits/click-counter.ts';

export { diskHint } from '../files/sqlite.ts';

/** A fixed default port, so that links still work after a restart. */
export const defaultPort = 8787;

/** The service ended, and these clicks are lost; the cause says why. */
export class UnstoredClicks extends Error {
  readonly clicks: number;

  constructor(clicks: number, cause: unknown) {
    super('clicks could not be stored', { cause });
    this.clicks = clicks;
  }
}

/** A request from this process. */
export interface OwnRequest extends Pick<ServiceRequest, 'method' | 'target' | 'headers'> {
  readonly body: Buffer;
}

/** The service without an address. */
export interface OpenService {
  readonly settings: ServiceSettings;
  readonly store: Store;
  readonly clicks: ClickCounter;
  /** Answers a request that a listener received. Never rejects. */
  handle(request: ServiceRequest): Promise<ServiceResponse>;
  /** Answers a request from this process, as if it had come over HTTP. Never rejects. */
  answer(request: OwnRequest): Promise<ServiceResponse>;
  /** From here on requests are answered; before, they are asked to come later. `port` is the one of the listener. */
  begin(port?: number): Promise<void>;
  isOpen(): boolean;
  /** To be called once: stores the clicks and releases the data. Rejects, with `UnstoredClicks` if clicks are lost. */
  close(): Promise<void>;
}

/** Rejects if the data cannot be opened. `host` is the address to which the service will be bound. */
export async function openService(options: ServiceOptions): Promise<OpenService> {
  const { onFailure = () => {} } = options;
  const ports = new Map((options.domains ?? []).map(readDomain).map(({ name, port }) => [name, port]));
  const settings = serviceSettings(options, ports);
  const store = await openStore(options, settings);
  const clicks = clickCounter(store, onFailure);
  const { maxCallsPerDay, maxBodyBytes } = settings.limits;
  const calls = callCounter(store, { limit: maxCallsPerDay, now: settings.now }, onFailure);
  let isOpen = false;
  const dispatcher: Dispatcher = {
    settings,
    store,
    calls,
    clicks,
    onFailure,
    hasRedirects: options.redirects,
    isLocal: isLoopback(options.host ?? '127.0.0.1'),
    isOpen: () => isOpen,
  };
  let maintenance: Maintenance | undefined;
  const handle = (request: ServiceRequest) => answer(dispatcher, request);
  return {
    settings,
    store,
    clicks,
    handle,
    answer: ({ body, ...request }) =>
      handle({
        ...request,
        httpVersion: '1.1',
        host: String(request.headers.host ?? ''),
        address: '',
        body: async () => bounded(body, maxBodyBytes),
      }),
    begin: async (port) => {
      const isOwn = options.linksPort === 'own';
      const local = isOwn ? `localhost:${port}` : await localAddress(store, options.linksPort);
      if (local !== undefined && !ports.has('localhost')) ports.set('localhost', splitPort(local).port);
      const address = options.publicUrl ?? (isOwn ? local : undefined);
      maintenance = startMaintenance(store, { address, visitorDays: options.visitorDays, now: settings.now }, onFailure);
      await maintenance.started;
      isOpen = true;
    },
    isOpen: () => isOpen,
    close: () =>
      closeAll([
        () =>
          clicks.flush().catch((cause: unknown) => {
            throw new UnstoredClicks(clicks.waiting(), cause);
          }),
        () => calls.flush(async () => {}),
        async () => maintenance?.stop(),
        () => store.close(),
      ]),
  };
}

function bounded(body: Buffer, bound: number): Buffer {
  if (body.length > bound) throw new Refusal(1310);
  return body;
}

/** The address of links on this machine: where another process serves them, or else will. */
async function localAddress(store: Store, usual: number | undefined): Promise<string | undefined> {
  if (usual === undefined) return undefined;
  return (await store.servedAddresses()).find(isLocalhost) ?? `localhost:${usual}`;
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
export async function closeAll(steps: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
