import { type ApiRequest, addressOf } from '../call/requests.ts';
import type { ClientOptions } from '../client-options.ts';
import { exchangeEvent } from './exchange-event.ts';
import { openTransport } from './open-transport.ts';
import type { Timeouts, Transport, WireAnswer, WireFailure, WireRequest } from './transport.ts';

/** The way to the server: turns calls of the API into authenticated HTTP requests, and reports each to the observer. */
export interface Connection {
  exchange(request: ApiRequest, signal?: AbortSignal): Promise<WireAnswer | WireFailure>;
  warn(message: string): void;
  close(): Promise<void>;
}

/** Opens nothing before the first exchange. */
export function createConnection(options: ClientOptions): Connection {
  const { baseUrl, system, observe, redact = (text) => text, caFile, timeout } = options;
  const warn = (message: string): void => observe?.({ kind: 'warning', message });
  const wireRequest = wireRequests(options);
  let transport: Promise<Transport> | undefined;
  return {
    exchange: async (request, signal) => {
      transport ??= openTransport({ origin: new URL(baseUrl), caFile, env: system.env, warn });
      const wire = await wireRequest(request);
      const started = system.now();
      const answered = await (await transport).exchange(wire, timeoutsFor(request.method, timeout), signal);
      const outcome = withoutEcho(answered, wire, options, warn);
      observe?.(exchangeEvent({ request, wire, outcome, milliseconds: system.now() - started }, redact));
      return outcome;
    },
    warn,
    close: async () => (await transport?.catch(() => undefined))?.close(),
  };
}

/** The key is read once, before the first request. */
function wireRequests(options: ClientOptions): (request: ApiRequest) => Promise<WireRequest> {
  const { username, readKey, methodOverride } = options;
  const base = new URL(options.baseUrl);
  const root = base.pathname.replace(/\/+$/, '');
  const agent = userAgent(options);
  let credentials: Promise<string> | undefined;
  return async ({ method, path, query, body }) => {
    credentials ??= readKey?.().then((key) => Buffer.from(`${username}:${key}`, 'utf8').toString('base64'));
    const overridden = methodOverride && method !== 'GET' && method !== 'POST';
    return {
      method: overridden ? 'POST' : method,
      path: root + addressOf({ path, query }),
      headers: {
        host: base.host,
        'user-agent': agent,
        accept: 'application/json',
        'accept-encoding': 'identity',
        ...(credentials && { authorization: `Basic ${await credentials}` }),
        ...(overridden && { 'x-http-method-override': method }),
        ...(body !== undefined && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
      },
      body,
    };
  };
}

/** a key that the server sends back goes no further, unless the request itself held it, as a part of some address. */
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

/** A time-out that was asked for is for the answer to begin; all of it may take twice as long. */
function timeoutsFor(method: string, asked?: number): Timeouts {
  const usual = method === 'GET' ? { headers: 30_000, total: 60_000 } : { headers: 120_000, total: 180_000 };
  const { headers, total } = asked === undefined ? usual : { headers: asked * 1000, total: asked * 2000 };
  return { connect: Math.min(10_000, headers), headers, idle: Math.min(30_000, headers), total };
}

/** `linkctl/1.2.3 (node/20.x; linux)` (B83). */
function userAgent({ version, system }: ClientOptions): string {
  const major = /^v?(\d+)/.exec(system.nodeVersion)?.[1] ?? '0';
  return `linkctl/${version} (node/${major}.x; ${system.platform})`;
}
