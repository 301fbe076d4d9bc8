import { Exchange } from './exchange.ts';
import type { DirectAnswer, Transport } from './transport.ts';

/** Asks a server in this process by a function call. */
export function directTransport(host: string, answer: DirectAnswer): Transport {
  return {
    exchange: (request, timeouts, signal) => {
      const exchange = new Exchange(host, timeouts, signal);
      if (exchange.settled) return exchange.outcome;
      // In a turn of the event loop of its own, so that signals and timers have theirs between two requests.
      setImmediate(async () => {
        if (exchange.settled) return;
        exchange.sent();
        const { status, headers, body } = await answer(request);
        exchange.head(status, headers);
        exchange.body(Buffer.from(body));
        exchange.end();
      });
      return exchange.outcome;
    },
  };
}
