import { EnvHttpProxyAgent } from 'undici';
import type { Trust } from '../trust.ts';
import { Exchange } from './exchange.ts';
import type { Proxies } from './proxies.ts';
import { maximumHeaders, maximumIdle, type Transport } from './transport.ts';

/** HTTP and HTTPS by undici, through a proxy where the environment names one for the host. */
export function undiciTransport(origin: URL, { ca, ...verification }: Trust, proxies: Proxies): Transport {
  const tls = { ...verification, ...(ca && { ca: [...ca] }) };
  // The proxies are handed over even when empty: an absent one would be read from the process's own environment.
  const agent = new EnvHttpProxyAgent({
    ...proxies,
    connect: tls,
    requestTls: tls,
    proxyTls: tls,
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
            // Called right before the first byte is written: a call that was given up while it connected ends here, unsent.
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
    close: () => agent.destroy(),
  };
}
