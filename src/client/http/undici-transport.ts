import { type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { ProxyFailure } from '../failure-messages.ts';
import type { Trust } from '../trust.ts';
import { Exchange } from './exchange.ts';
import type { Proxies } from './proxies.ts';
import { maximumHeaders, maximumIdle, type Transport } from './transport.ts';

export function undiciTransport(origin: URL, { ca, ...verification }: Trust, proxies: Proxies): Transport {
  const tls = { ...verification, ...(ca && { ca: [...ca] }) };
  // Empty values are passed too, because undici would read missing ones from the environment of the process.
  const agent = new EnvHttpProxyAgent({
    ...proxies,
    connect: tls,
    requestTls: tls,
    proxyTls: tls,
    clientFactory: proxyClient,
    pipelining: 1,
    keepAliveTimeout: maximumIdle,
    keepAliveMaxTimeout: maximumIdle,
    maxHeaderSize: maximumHeaders,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    exchange: ({ method, path, headers, body }, timeouts, signal) => {
      const exchange = new Exchange(origin.host, timeouts, signal);
      if (exchange.settled) return exchange.outcome;
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
      return exchange.outcome;
    },
  };
}

/**
 * Replaces errors of the proxy: undici takes that of a connection that the proxy closed for one of a kept connection, and would connect
 * again without end, each time with the password of the proxy.
 */
function proxyClient(proxy: URL, options: Pool.Options): Pool {
  const pool = new Pool(proxy, options);
  const connect = pool.connect.bind(pool);
  const named = (cause: unknown): never => {
    throw new ProxyFailure(proxy, cause);
  };
  return Object.assign(pool, { connect: (request: Dispatcher.ConnectOptions) => connect(request).catch(named) });
}
