import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { httpError } from './api/api-responses.ts';
import { hasInvalidHost, type RequestOptions, serviceRequest, unparsedRequest } from './http-requests.ts';
import type { Exchange, ServiceRequest, ServiceResponse } from './message.ts';
import { beginAfter, endWith, statusOfParser, type Turn } from './pipeline.ts';
import type { Certificate } from './service-options.ts';

interface ListenerOptions extends RequestOptions {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  /** Default: plain HTTP. */
  readonly certificate?: Certificate | undefined;
  /** Called for each answered request. */
  readonly onExchange?: ((exchange: Exchange) => void) | undefined;
  /** Never rejects. */
  readonly handle: (request: ServiceRequest) => Promise<ServiceResponse>;
}

export interface Listener {
  readonly port: number;
  /** Applies to new connections. Throws for an invalid certificate. */
  renewCertificate(certificate: Certificate): void;
  /** Closes each connection with its next response, while new ones are still accepted. */
  drain(): void;
  connections(): Promise<number>;
  /** Refuses new connections and resolves when pending requests are answered. */
  close(): Promise<void>;
}

const serverOptions = {
  // In milliseconds.
  headersTimeout: 5000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1000,
  // Room for 1000 hashes of 25 characters in a query.
  maxHeaderSize: 65_536,
  // The service refuses it itself, with a body.
  requireHostHeader: false,
};

/** Milliseconds for pending requests when the listener closes. */
const closingTime = 5000;

/** Rejects if the address is not available. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  let closing = false;
  const { server, renewCertificate } = await createServer(options.certificate);
  const outgoings = answerQueue();
  let lastConnection = Number.NEGATIVE_INFINITY;
  const turns = new WeakMap<Duplex, Turn>();
  const refused = new WeakSet<Duplex>();
  const exchange = async (
    incoming: IncomingMessage,
    send: (response: ServiceResponse, mustClose: boolean) => void,
    turn?: Turn,
  ): Promise<void> => {
    const started = options.onExchange ? performance.now() : 0;
    const request = serviceRequest(incoming, options);
    const isInvalid = hasInvalidHost(incoming);
    const response = turn?.refusal ?? (isInvalid ? httpError : await options.handle(request));
    send(response, isInvalid);
    options.onExchange?.({ request, response: turn?.refusal ?? response, milliseconds: performance.now() - started });
  };
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { socket } = incoming;
    const turn: Turn = { outgoing, begin: beginAfter(turns.get(socket), incoming) };
    turns.set(socket, turn);
    if (turn.begin) {
      await turn.begin;
      // The response before may have ended the connection.
      if (!socket.writable && !turn.refusal) return;
    }
    const sendInTurn = (response: ServiceResponse, mustClose: boolean): void => {
      outgoings.add(() => send(incoming, outgoing, response, closing || mustClose));
    };
    await exchange(incoming, sendInTurn, turn);
  };
  server.on('connection', () => {
    lastConnection = performance.now();
  });
  server.on('request', answer);
  server.on('connect', (incoming: IncomingMessage, socket: Duplex) => {
    // Node has no response for this method and leaves the socket to its listener.
    socket.on('error', () => socket.destroy());
    return exchange(incoming, (response) => endWith(response, socket, turns.get(socket)));
  });
  // 100-continue is the only expectation that HTTP defines, and Node answers it itself.
  server.on('checkExpectation', answer);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const status = statusOfParser(error.code ?? '');
    if (status === undefined) socket.destroy();
    // Node reports what arrives afterwards, too.
    if (status === undefined || refused.has(socket)) return;
    refused.add(socket);
    const response = { ...httpError, status };
    const last = turns.get(socket);
    if (last && !last.outgoing.req.complete && !last.outgoing.headersSent) {
      last.refusal = response;
      send(last.outgoing.req, last.outgoing, response, true);
    } else if (endWith(response, socket, last)) {
      options.onExchange?.({ request: unparsedRequest(socket, options), response, milliseconds: 0 });
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    renewCertificate,
    drain: () => {
      closing = true;
    },
    connections: () => promisify(server.getConnections.bind(server))(),
    close: async () => {
      closing = true;
      // The system resets connections that it has not handed over. A client in a loop would connect again with its answer.
      outgoings.hold();
      await quietMoment(() => lastConnection);
      const closed = closeServer(server);
      outgoings.release();
      await closed;
    },
  };
}

/** Loads the TLS modules only with a certificate. */
async function createServer(
  certificate: Certificate | undefined,
): Promise<{ server: Server; renewCertificate: Listener['renewCertificate'] }> {
  if (!certificate) return { server: createHttpServer(serverOptions), renewCertificate: () => {} };
  const { createServer: createHttpsServer } = await import('node:https');
  const server = createHttpsServer({
    ...serverOptions,
    // Node offers only the first, and clients that offer only the second get no connection.
    ALPNProtocols: ['http/1.1', 'http/1.0'],
    handshakeTimeout: serverOptions.headersTimeout,
    ...certificate,
  });
  return { server, renewCertificate: (renewed) => server.setSecureContext(renewed) };
}

/**
 * Runs tasks together once the event loop has read what arrived. Responses that are sent together wake their clients less often, which makes
 * 1.4 times as many redirects a second.
 */
function answerQueue() {
  let tasks: (() => void)[] = [];
  let isHeld = false;
  const runAll = (): void => {
    if (isHeld) return;
    const due = tasks;
    tasks = [];
    for (const task of due) task();
  };
  return {
    add: (task: () => void): void => {
      if (tasks.push(task) === 1) setImmediate(runAll);
    },
    hold: (): void => {
      isHeld = true;
    },
    release: (): void => {
      isHeld = false;
      runAll();
    },
  };
}

/** Milliseconds without a new connection, and at most. On a busy machine a client may take tens of them to connect. */
const quiet = { step: 50, bound: 1000 };

/**
 * Resolves when no client is about to connect, or after a while. Node takes one waiting connection at a time from the system, and none before
 * a timer that is late.
 */
async function quietMoment(lastConnection: () => number): Promise<void> {
  await turn();
  for (let waited = 0; performance.now() - lastConnection() < quiet.step && waited < quiet.bound; waited += quiet.step) {
    await delay(quiet.step);
    await turn();
  }
}

function send(incoming: IncomingMessage, outgoing: ServerResponse, response: ServiceResponse, isLast: boolean): void {
  // A request whose body the parser refuses has its response.
  if (outgoing.headersSent) return;
  // Otherwise an unread body would be parsed as the next request.
  if (!incoming.complete) incoming.resume();
  outgoing.writeHead(response.status, {
    ...response.headers,
    'content-length': Buffer.byteLength(response.body),
    ...(isLast && { connection: 'close' }),
  });
  outgoing.end(incoming.method === 'HEAD' ? undefined : response.body);
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
