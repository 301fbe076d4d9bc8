import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type ApiRequest, addressOf } from '../call/api-request.ts';
import type { ClientEvent, ClientOptions, ExchangeDetail } from '../client-options.ts';
import { type Trust, trustFor } from '../trust.ts';
import { Exchange } from './exchange.ts';
import { proxyFor } from './proxies.ts';
import {
  maximumHeaders,
  maximumIdle,
  type Timeouts,
  type Transport,
  type TransportOptions,
  type WireAnswer,
  type WireFailure,
  type WireRequest,
} from './transport.ts';

export interface Connection {
  exchange(request: ApiRequest, signal?: AbortSignal): Promise<WireAnswer | WireFailure>;
  /** Reads the key once, before the first request. */
  ready(): Promise<string> | undefined;
  warn(message: string): void;
}

/** Opens no connection before the first exchange. */
export function createConnection(options: ClientOptions): Connection {
  const { baseUrl, username, readKey, system, observe, redact = (text) => text, caFile, answer, timeout } = options;
  const warn = (message: string): void => observe?.({ kind: 'warning', message });
  const base = new URL(baseUrl);
  let credentials: Promise<string> | undefined;
  const ready = (): typeof credentials => {
    credentials ??= readKey?.().then((key) => Buffer.from(`${username}:${key}`).toString('base64'));
    return credentials;
  };
  const wireRequest = wireRequests(base, options, ready);
  // Loading takes milliseconds, for which the record of a typed change waits for the disk anyway.
  if (!answer) setImmediate(() => void nodeModule(base));
  let transport: Promise<Transport> | undefined;
  return {
    exchange: async (request, signal) => {
      transport ??= openTransport({ origin: base, caFile, env: system.env, answer, warn });
      const wire = await wireRequest(request);
      const started = system.elapsed();
      const { exchange } = await transport;
      if (request.method !== 'GET') options.onChange?.();
      const answered = await exchange(wire, timeoutsFor(request.method, timeout), signal);
      const outcome = withoutEcho(answered, wire, options, warn);
      observe?.(exchangeEvent({ request, wire, outcome, milliseconds: system.elapsed() - started }, redact));
      return outcome;
    },
    ready,
    warn,
  };
}

function wireRequests(
  base: URL,
  options: ClientOptions,
  ready: () => Promise<string> | undefined,
): (request: ApiRequest) => Promise<WireRequest> {
  const root = base.pathname.replace(/\/+$/, '');
  const agent = userAgent(options);
  return async ({ method, path, query, body }) => {
    const credentials = await ready();
    const overridden = options.methodOverride && method !== 'GET' && method !== 'POST';
    return {
      method: overridden ? 'POST' : method,
      path: root + addressOf({ path, query }),
      headers: {
        host: base.host,
        'user-agent': agent,
        accept: 'application/json',
        'accept-encoding': 'identity',
        ...(credentials && { authorization: `Basic ${credentials}` }),
        ...(overridden && { 'x-http-method-override': method }),
        ...(body !== undefined && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
      },
      body,
    };
  };
}

/** Removes a key that the server returns, unless the request contained it, for example in a URL. */
function withoutEcho(
  outcome: WireAnswer | WireFailure,
  { path, body: asked = '' }: WireRequest,
  { withoutKey }: ClientOptions,
  warn: (message: string) => void,
): WireAnswer | WireFailure {
  if (!withoutKey || outcome.kind === 'failure') return outcome;
  const body = withoutKey(outcome.body);
  if (body === outcome.body || withoutKey(path + asked) !== path + asked) return outcome;
  warn('the server returns the API key in its responses; linkctl removes it');
  return { ...outcome, body };
}

/** Milliseconds. `--timeout` limits the time until the answer begins; the whole exchange may take twice as long. */
function timeoutsFor(method: string, asked?: number): Timeouts {
  const defaults = method === 'GET' ? { headers: 30_000, total: 60_000 } : { headers: 120_000, total: 180_000 };
  const { headers, total } =
    asked === undefined ? defaults : { headers: asked * 1000, total: Math.min(asked * 2000, longestTimer) };
  return { connect: Math.min(10_000, headers), headers, idle: Math.min(30_000, headers), total };
}

/** Milliseconds; longer ones end at once. */
const longestTimer = 2 ** 31 - 1;

function userAgent({ version, system }: ClientOptions): string {
  const major = /^v?(\d+)/.exec(system.nodeVersion)?.[1] ?? '0';
  return `linkctl/${version} (node/${major}.x; ${system.platform})`;
}

/** Prefers `node:http`, which starts twice as fast as undici and sends batches as fast. undici is loaded for proxies. */
export async function openTransport(options: TransportOptions): Promise<Transport> {
  if (options.answer) return (await import('./direct-transport.ts')).directTransport(options.origin.host, options.answer);
  const proxy = proxyFor(options);
  const trust = await trustFor(options);
  if (proxy) return (await import('./undici-transport.ts')).undiciTransport(options.origin, trust, proxy);
  return await nodeTransport(options.origin, trust);
}

async function nodeModule({ protocol }: URL): Promise<typeof import('node:http') | typeof import('node:https')> {
  return protocol === 'https:' ? await import('node:https') : await import('node:http');
}

export async function nodeTransport(origin: URL, trust: Trust): Promise<Transport> {
  const secure = origin.protocol === 'https:';
  const { Agent, request } = await nodeModule(origin);
  const agent = new Agent({ keepAlive: true, timeout: maximumIdle, ...(secure && { ...trust, ca: trust.ca?.slice() }) });
  return {
    exchange: ({ method, path, headers, body }, timeouts, signal) => {
      const exchange = new Exchange(origin.host, timeouts, signal);
      if (exchange.settled) return exchange.outcome;
      const outgoing = request(origin, { agent, method, path, maxHeaderSize: maximumHeaders });
      // Headers among the options would be printed by NODE_DEBUG, including the key.
      for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value);
      exchange.onStop(() => outgoing.destroy());
      outgoing.on('socket', (socket) => {
        // A new connection writes after its handshake; a kept one right after this event.
        if (socket.connecting || (secure && !isEstablished(socket))) {
          socket.once(secure ? 'secureConnect' : 'connect', () => exchange.sent());
        } else exchange.sent();
      });
      outgoing.on('response', (answer) => receive(answer, exchange));
      outgoing.on('error', (error) => exchange.fail(error));
      outgoing.end(body);
      return exchange.outcome;
    },
  };
}

function receive(answer: IncomingMessage, exchange: Exchange): void {
  exchange.head(answer.statusCode ?? 0, answer.headers);
  answer.on('data', (chunk: Buffer) => exchange.body(chunk));
  answer.on('error', (error) => exchange.fail(error));
  answer.on('end', () => exchange.end());
}

function isEstablished(socket: Socket | TLSSocket): boolean {
  return 'getProtocol' in socket && socket.getProtocol() !== null && socket.authorized;
}

interface Exchanged {
  readonly request: ApiRequest;
  readonly wire: WireRequest;
  readonly outcome: WireAnswer | WireFailure;
  readonly milliseconds: number;
}

function exchangeEvent(exchanged: Exchanged, redact: (text: string) => string): ClientEvent {
  const { request, outcome, milliseconds } = exchanged;
  return {
    kind: 'exchange',
    method: request.method,
    milliseconds,
    path: () => redact(addressOf(request)),
    outcome: () => (outcome.kind === 'answer' ? outcome.status : redact(outcome.message)),
    detail: () => detailOf(exchanged, redact),
  };
}

/** An allow list, so that no unknown header can leak a credential. */
const shownHeaders: ReadonlySet<string> = new Set([
  'accept',
  'content-length',
  'content-type',
  'date',
  'retry-after',
  'server',
  'user-agent',
  'x-http-method-override',
  'x-request-id',
]);

function detailOf({ wire, outcome }: Exchanged, redact: (text: string) => string): ExchangeDetail {
  return {
    requestHeaders: { ...shown(wire.headers, redact), authorization: 'Basic [redacted]' },
    requestBody: wire.body === undefined ? undefined : redact(wire.body),
    ...(outcome.kind === 'answer' && { responseHeaders: shown(outcome.headers, redact), responseBody: redact(outcome.body) }),
  };
}

function shown(headers: Readonly<Record<string, string>>, redact: (text: string) => string): Record<string, string> {
  const entries = Object.entries(headers).filter(([name]) => shownHeaders.has(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, redact(value)]));
}
