import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { Exchange } from './exchange.ts';
import { maximumHeaders, maximumIdle, type Transport } from './transport.ts';
import type { Trust } from './trust.ts';

/** HTTP and HTTPS straight to the server, by `node:http`, on connections that are kept. */
export async function nodeTransport(origin: URL, trust: Trust): Promise<Transport> {
  const secure = origin.protocol === 'https:';
  const { Agent, request } = secure ? await import('node:https') : await import('node:http');
  const agent = new Agent({ keepAlive: true, timeout: maximumIdle, ...(secure && { ...trust, ca: trust.ca?.slice() }) });
  return {
    exchange: ({ method, path, headers, body }, timeouts, signal) => {
      const exchange = new Exchange(origin.host, timeouts, signal);
      if (exchange.settled) return exchange.outcome;
      const outgoing = request(origin, { agent, method, path, maxHeaderSize: maximumHeaders });
      // Not among the options: NODE_DEBUG prints those, the key included.
      for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value);
      exchange.onStop(() => outgoing.destroy());
      outgoing.on('socket', (socket) => {
        // On a new connection nothing is written before it is established; on a kept one writing begins right after this event.
        if (socket.connecting || (secure && !isEstablished(socket))) {
          socket.once(secure ? 'secureConnect' : 'connect', () => exchange.sent());
        } else exchange.sent();
      });
      outgoing.on('response', (answer) => receive(answer, exchange));
      outgoing.on('error', (error) => exchange.fail(error));
      outgoing.end(body);
      return exchange.outcome;
    },
    close: async () => agent.destroy(),
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
