import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import { refuse } from './api-responses.ts';
import type { AddressReader } from './client-address.ts';
import { hasDoubtfulHost, serviceRequest } from './http-requests.ts';
import type { Exchange, ServiceRequest, ServiceResponse } from './message.ts';

/** A certificate, the ones that it hangs on, and its key; PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  /** Bytes of a body, above which reading it is refused with 1310. */
  readonly bodyBytes: number;
  /** HTTP without one. */
  readonly certificate?: Certificate | undefined;
  readonly addressOf?: AddressReader | undefined;
  /** Called for each request when it is answered. */
  readonly onExchange?: ((exchange: Exchange) => void) | undefined;
  /** Never rejects. */
  readonly handle: (request: ServiceRequest) => Promise<ServiceResponse>;
}

export interface Listener {
  readonly port: number;
  /** New connections get this one. Throws for one that cannot be used. */
  renewCertificate(certificate: Certificate): void;
  /** From now on each connection ends with its next answer; others are still taken. */
  drain(): void;
  /** How many there are. */
  connections(): Promise<number>;
  /** Takes no more connections and resolves when the requests under way are answered. */
  close(): Promise<void>;
}

const serverOptions = {
  // R-54, in milliseconds.
  headersTimeout: 5000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1000,
  // Room for 1000 hashes of 25 characters in a query.
  maxHeaderSize: 65_536,
  // Refused here, with a body (V1).
  requireHostHeader: false,
};

/** Milliseconds that requests under way have to finish when the listener closes. */
const closingTime = 5000;

/** Listens over `node:http`; rejects where the address cannot be had. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  let closing = false;
  const { server, renewCertificate } = await createServer(options.certificate);
  const answers = new WeakMap<Duplex, ServerResponse>();
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    answers.set(incoming.socket, outgoing);
    const started = options.onExchange ? performance.now() : 0;
    const request = serviceRequest(incoming, options);
    const isDoubtful = hasDoubtfulHost(incoming);
    const response = isDoubtful ? refuse(1308) : await options.handle(request);
    send(incoming, outgoing, response, closing || isDoubtful);
    options.onExchange?.({ request, response, milliseconds: performance.now() - started });
  };
  server.on('request', answer);
  // Of what a client expects, we know only 100-continue, which Node answers itself.
  server.on('checkExpectation', answer);
  server.on('clientError', (error, socket) => refuseUnread(error, socket, answers.get(socket)));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    renewCertificate,
    drain: () => {
      closing = true;
    },
    connections: () => promisify(server.getConnections.bind(server))(),
    close: () => {
      closing = true;
      return closeServer(server);
    },
  };
}

/** The modules for TLS are loaded where there is a certificate. */
async function createServer(
  certificate: Certificate | undefined,
): Promise<{ server: Server; renewCertificate: Listener['renewCertificate'] }> {
  if (!certificate) return { server: createHttpServer(serverOptions), renewCertificate: () => {} };
  const { createServer: createHttpsServer } = await import('node:https');
  const server = createHttpsServer({
    ...serverOptions,
    // V1: Node offers the first alone, and then clients of the second get no connection.
    ALPNProtocols: ['http/1.1', 'http/1.0'],
    handshakeTimeout: serverOptions.headersTimeout,
    ...certificate,
  });
  return { server, renewCertificate: (renewed) => server.setSecureContext(renewed) };
}

function send(incoming: IncomingMessage, outgoing: ServerResponse, response: ServiceResponse, isLast: boolean): void {
  // An unread body must not be taken for the next request.
  if (!incoming.complete) incoming.resume();
  outgoing.writeHead(response.status, {
    ...response.headers,
    'content-length': Buffer.byteLength(response.body),
    ...(isLast && { connection: 'close' }),
  });
  outgoing.end(incoming.method === 'HEAD' ? undefined : response.body);
}

/** What the parser refuses gets a JSON body, too (V1), unless it would be read as the answer to a request that is under way. */
function refuseUnread(error: NodeJS.ErrnoException, socket: Duplex, last: ServerResponse | undefined): void {
  const status = statusOfParser(error.code ?? '');
  const isOpen = last === undefined || last.writableFinished || !(last.req.complete || last.headersSent);
  if (status === undefined || !isOpen || !socket.writable) {
    socket.destroy();
    return;
  }
  const { headers, body } = refuse(1308);
  const fields = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' });
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...fields.map(([name, value]) => `${name}: ${value}`)];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

/** Undefined for what is no request at all: a connection that broke. */
function statusOfParser(code: string): number | undefined {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408;
  return code.startsWith('HPE_') ? 400 : undefined;
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), closingTime);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
