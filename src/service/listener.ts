import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { ServiceRequest, ServiceResponse } from './message.ts';
import { Refusal } from './refusal.ts';

interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  /** Bytes of a body, above which reading it is refused with 1310. */
  readonly bodyBytes: number;
  /** Never rejects. */
  readonly handle: (request: ServiceRequest) => Promise<ServiceResponse>;
}

interface Listener {
  readonly port: number;
  /** Takes no more connections and resolves when the requests under way are answered. */
  close(): Promise<void>;
}

/** R-54, in milliseconds. */
const headersTimeout = 5000;
const requestTimeout = 30_000;

/** Room for 1000 hashes of 25 characters in a query. */
const maxHeaderSize = 65_536;

/** Milliseconds that requests under way have to finish when the listener closes. */
const drainTime = 5000;

/** Listens over `node:http`; rejects where the address cannot be had. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  let closing = false;
  const server = createServer({ headersTimeout, requestTimeout, maxHeaderSize, connectionsCheckingInterval: 1000 });
  server.on('request', (incoming, outgoing) => {
    void options
      .handle(serviceRequest(incoming, options.bodyBytes))
      .then((response) => send(incoming, outgoing, response, closing));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    close: () => {
      closing = true;
      return closeServer(server);
    },
  };
}

function serviceRequest(incoming: IncomingMessage, bodyBytes: number): ServiceRequest {
  return {
    method: incoming.method ?? '',
    target: incoming.url ?? '/',
    headers: incoming.headers,
    address: incoming.socket.remoteAddress ?? '',
    body: () => readBody(incoming, bodyBytes),
  };
}

/** What exceeds the bound is discarded as it arrives, so that the answer reaches a client that is still sending. */
function readBody(incoming: IncomingMessage, bound: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const refuse = (): void => {
      incoming.removeAllListeners('data').resume();
      chunks.length = 0;
      reject(new Refusal(1310));
    };
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > bound) refuse();
      else chunks.push(chunk);
    });
    incoming.on('end', () => resolve(Buffer.concat(chunks)));
    // The client is gone: nobody reads this answer.
    incoming.on('error', () => reject(new Refusal(1305)));
    incoming.on('close', () => reject(new Refusal(1305)));
  });
}

function send(incoming: IncomingMessage, outgoing: ServerResponse, response: ServiceResponse, closing: boolean): void {
  // An unread body must not be taken for the next request.
  if (!incoming.complete) incoming.resume();
  outgoing.writeHead(response.status, {
    ...response.headers,
    'content-length': Buffer.byteLength(response.body),
    ...(closing && { connection: 'close' }),
  });
  outgoing.end(incoming.method === 'HEAD' ? undefined : response.body);
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), drainTime);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
