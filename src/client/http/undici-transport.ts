import { type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { ProxyFailure } from '../failure-messages.ts';
import type { Trust } from '../trust.ts';
import { Exchange } from './exchange.ts';
import type { ProxySettings } from './proxies.ts';
import { maximumHeaders, maximumIdle, type Transport, type WireAnswer, type WireFailure } from './transport.ts';

export function undiciTransport(
  origin: URL,
  { ca, ...verification }: Trust,
  { variable, url, noProxy }: ProxySettings,
): Transport {
  const tls = { ...verification, ...(ca && { ca: [...ca] }) };
  let isProxied = false;
  const agent = new EnvHttpProxyAgent({
    // The proxy of both schemes. undici would read a missing value, but not an empty one, from the environment of the process.
    httpProxy: url,
    httpsProxy: '',
    noProxy,
    connect: tls,
    requestTls: tls,
    proxyTls: tls,
    clientFactory: (proxy: URL, options: Pool.Options) =>
      proxyClient(proxy, options, () => {
        isProxied = true;
      }),
    pipelining: 1,
    keepAliveTimeout: maximumIdle,
    keepAliveMaxTimeout: maximumIdle,
    maxHeaderSize: maximumHeaders,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  /** The proxy is the more likely cause, if undici asked it. */
  const hinted = (outcome: WireAnswer | WireFailure): WireAnswer | WireFailure => {
    if (outcome.kind === 'answer' || !isProxied) return outcome;
    return { ...outcome, hint: outcome.hint ?? `${variable} is set: check the proxy, or add the host to NO_PROXY` };
  };
  return {
    exchange: async ({ method, path, headers, body }, timeouts, signal) => {
      const exchange = new Exchange(origin.host, timeouts, signal);
      if (exchange.settled) return hinted(await exchange.outcome);
      agent.dispatch(
        { origin: origin.origin, method: method as 'GET', path, headers, body: body ?? null },
        {
          onRequestStart(controller) {
            // Called right before the first byte, so a call that was aborted while connecting ends unsent.
            if (exchange.settled) controller.abort(new Error('aborted'));
            exchange.onStop(() => controller.abort(new Error('aborted')));
            exchange.sent();
          },
          onResponseStart(_controller, status, answered) {
            if (status >= 200) exchange.head(status, answered);
          },
          onResponseData: (_controller, chunk) => exchange.body(chunk),
          onResponseEnd: () => exchange.end(),
          onResponseError: (_controller, error) => exchange.fail(error),
        },
      );
      return hinted(await exchange.outcome);
    },
  };
}

/**
 * Replaces errors of the proxy: undici takes that of a connection that the proxy closed for one of a kept connection, and would connect
 * again without end, each time with the password of the proxy. `asked` is called before each connection through the proxy.
 */
function proxyClient(proxy: URL, options: Pool.Options, asked: () => void): Pool {
  const pool = new Pool(proxy, options);
  const connect = pool.connect.bind(pool);
  const named = (cause: unknown): never => {
    throw new ProxyFailure(proxy, { cause });
  };
  return Object.assign(pool, {
    connect: async (request: Dispatcher.ConnectOptions) => {
      asked();
      const tunnel = await connect(request).catch(named);
      if (tunnel.statusCode === 200) return tunnel;
      tunnel.socket.on('error', () => undefined).destroy();
      throw new ProxyFailure(proxy, { status: tunnel.statusCode });
    },
  });
}
