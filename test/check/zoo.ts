import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createRawServer, type Server, type Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import { certify } from '../support/certificates.ts';

/** A destination that behaves in its own way: what it answers to a request. */
type Animal = (request: IncomingMessage, response: ServerResponse, visit: Visit) => void;

interface Visit {
  /** Requests of this kind to this host before, from 0. */
  readonly nth: number;
  readonly isHead: boolean;
  /** The URL of another animal, or of another path of this one. */
  readonly urlOf: (name: string, path?: string) => string;
}

/** Where the names of the zoo lead: every animal to 127.0.0.1, and `private` to where nobody may go. */
export const home = '127.0.0.1';
export const forbidden = '127.0.0.2';

const end = (status: number, headers: Record<string, string> = {}): Animal => {
  return (_request, response) => void response.writeHead(status, headers).end();
};

const to = (status: number, name: string, path?: string): Animal => {
  return (_request, response, { urlOf }) => void response.writeHead(status, { location: urlOf(name, path) }).end();
};

const silence: Animal = () => undefined;

/** HTTP that is well-formed, by the host name of the request. */
export const animals: Readonly<Record<string, Animal>> = {
  good: end(200),
  empty: end(204),
  missing: end(404),
  gone: end(410),
  'head-405': (_request, response, { isHead }) => void response.writeHead(isHead ? 405 : 200).end(),
  'head-404': (_request, response, { isHead }) => void response.writeHead(isHead ? 404 : 200).end(),
  'head-500': (_request, response, { isHead }) => void response.writeHead(isHead ? 500 : 200).end(),
  'head-silent': (_request, response, { isHead }) => void (isHead || response.writeHead(200).end()),
  'head-hangs-up': (request, response, { isHead }) => void (isHead ? request.socket.destroy() : response.writeHead(200).end()),
  'head-loop': (_request, response, visit) => (visit.isHead ? to(302, 'head-loop') : end(200))(_request, response, visit),
  'endless-body': (_request, response, { isHead }) => {
    response.writeHead(200, { 'content-type': 'video/mp4' });
    if (isHead) return void response.end();
    const more = (): boolean => response.write(Buffer.alloc(65_536)) && more();
    response.on('drain', more);
    more();
  },
  'get-endless': (request, response, visit) => {
    if (visit.isHead) return void response.writeHead(405).end();
    animals['endless-body']?.(request, response, visit);
  },
  slow: (_request, response) => void setTimeout(() => response.writeHead(200).end(), 60),
  silent: silence,
  teapot: end(418),
  'bad-request': end(400),
  broken: end(500),
  unavailable: end(503),
  'once-500': (_request, response, { nth, isHead }) => void response.writeHead(isHead || nth === 0 ? 500 : 200).end(),
  'once-silent': (_request, response, { nth, isHead }) => void (isHead || nth === 0 || response.writeHead(200).end()),
  'then-404': (_request, response, { nth, isHead }) => void response.writeHead(isHead || nth === 0 ? 500 : 404).end(),
  password: end(401, { 'www-authenticate': 'Basic' }),
  'robots-out': end(403),
  legal: end(451),
  linkedin: end(999),
  throttled: end(429),
  'head-wait': (_request, response, { nth, isHead }) =>
    void (isHead && nth === 0 ? response.writeHead(429, { 'retry-after': '0.05' }).end() : response.writeHead(200).end()),
  'get-wait': (_request, response, { nth, isHead }) => {
    if (isHead) return void response.writeHead(403).end();
    response.writeHead(nth === 0 ? 429 : 200, nth === 0 ? { 'retry-after': '0.05' } : {}).end();
  },
  'waits-forever': end(429, { 'retry-after': '0.01' }),
  'wait-a-day': end(429, { 'retry-after': '86400' }),
  maintenance: end(503, { 'retry-after': '86400' }),
  moved: to(301, 'good', '/new?a=1'),
  'moved-308': to(308, 'good'),
  'moved-twice': to(301, 'moved'),
  'moved-then-302': to(301, 'found'),
  found: to(302, 'good'),
  'see-other': to(303, 'good'),
  temporary: to(307, 'good'),
  'moved-to-404': to(301, 'missing'),
  'moved-to-500': to(301, 'broken'),
  'relative-location': (request, response) => {
    if (request.url === '/') response.writeHead(301, { location: 'sub/page' }).end();
    else response.writeHead(request.url === '/sub/page' ? 200 : 404).end();
  },
  // The bytes of the header, each as a character.
  'raw-location': (request, response) => {
    if (request.url === '/') response.writeHead(301, { location: Buffer.from('/größe?q=é').toString('latin1') }).end();
    else response.writeHead(request.url === '/gr%C3%B6%C3%9Fe?q=%C3%A9' ? 200 : 404).end();
  },
  'latin-location': (request, response) => {
    if (request.url === '/') response.writeHead(301, { location: '/caf\u00e9' }).end();
    else response.writeHead(request.url === '/caf%C3%A9' ? 200 : 404).end();
  },
  'to-password': (_request, response, { urlOf }) =>
    void response.writeHead(301, { location: urlOf('good', '/in').replace('//', '//ann:secret@') }).end(),
  'password-inside': (request, response) =>
    void response.writeHead(request.url === '/' ? 301 : 200, request.url === '/' ? { location: '/in' } : {}).end(),
  'to-offline': to(301, 'offline'),
  'no-location': end(302),
  'bad-location': end(302, { location: 'http://' }),
  'not-modified': end(304),
  circle: to(302, 'circle-back'),
  'circle-back': to(302, 'circle'),
  itself: to(301, 'itself'),
  // Ten redirects are followed, eleven are not.
  ten: (request, response, { urlOf }) => {
    const step = Number(request.url?.slice(1) || 0);
    response.writeHead(step < 10 ? 302 : 200, step < 10 ? { location: urlOf('ten', `/${step + 1}`) } : {}).end();
  },
  thirty: (request, response, { urlOf }) => {
    const step = Number(request.url?.slice(1) || 0);
    response.writeHead(step < 30 ? 301 : 200, step < 30 ? { location: urlOf('thirty', `/${step + 1}`) } : {}).end();
  },
  'to-private-literal': (_request, response, { urlOf }) =>
    void response.writeHead(302, { location: urlOf('good').replace(/\/\/[^:]+/, `//${forbidden}`) }).end(),
  'to-odd-literal': (_request, response, { urlOf }) =>
    void response.writeHead(302, { location: urlOf('good').replace(/\/\/[^:]+/, '//0x7f000002') }).end(),
  'to-mapped-literal': (_request, response, { urlOf }) =>
    void response.writeHead(302, { location: urlOf('good').replace(/\/\/[^:]+/, '//[::ffff:127.0.0.2]') }).end(),
  'to-private-name': to(302, 'private'),
  'to-app-store': end(302, { location: 'itms-apps://apps.example/1' }),
  'to-file': end(302, { location: 'file:///etc/passwd' }),
  'to-refused': (_request, response) => void response.writeHead(302, { location: 'http://refused.test:1/' }).end(),
  rebinding: (_request, response, { isHead }) => void response.writeHead(isHead ? 405 : 200).end(),
  // Short URLs, for K4.
  short: (_request, response, { urlOf }) => void response.writeHead(302, { location: urlOf('good', '/page') }).end(),
  'short-upgraded': (request, response, { urlOf }) => {
    const next = request.url === '/' ? urlOf('short-upgraded', '/again') : urlOf('good', '/page');
    response.writeHead(301, { location: next }).end();
  },
  'short-through': to(302, 'short'),
  'good-with-query': (request, response, visit) =>
    (request.url === '/' ? to(301, 'good-with-query', '/?again') : end(200))(request, response, visit),
  'short-head-wrong': (_request, response, { isHead, urlOf }) =>
    void response.writeHead(302, { location: urlOf(isHead ? 'missing' : 'good', '/page') }).end(),
  'short-to-password': (_request, response, { urlOf }) =>
    void response.writeHead(301, { location: urlOf('good', '/page').replace('//', '//ann:secret@') }).end(),
  'short-to-private': to(302, 'private', '/page'),
  'large-headers': end(200, { 'x-large': 'x'.repeat(100_000) }),
};

/** HTTP that is not well-formed, each at a port of its own. */
const raw: Readonly<Record<string, (socket: Socket) => void>> = {
  garbage: (socket) => void socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
  'status-099': (socket) => void socket.end('HTTP/1.1 099 None\r\n\r\n'),
  'hangs-up': (socket) => void socket.destroy(),
  'says-nothing': () => undefined,
  'drips-headers': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    const drip = setInterval(() => socket.write('X-A: b\r\n'), 10);
    socket.on('close', () => clearInterval(drip));
  },
  'endless-headers': (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\n`);
    const more = (): boolean => socket.write(`X-A: ${'b'.repeat(60_000)}\r\n`) && more();
    socket.on('drain', more);
    more();
  },
};

export interface Zoo {
  /** Requests so far, as `METHOD host/path`. */
  readonly requests: readonly string[];
  /** Headers of each. */
  readonly headers: readonly IncomingMessage['headers'][];
  /** Connections to the address where nothing may be sent. */
  readonly trespasses: () => number;
  /** Connections that were made, of whatever kind. */
  readonly connections: () => number;
  /** PEM of the authority whose certificates are trusted. */
  readonly ca: string;
  urlOf(name: string, path?: string): string;
  /** Calls when a request has come that gets no answer; returns what ends that. For one request at a time. */
  whenSilent(isOver: () => void): () => void;
  /** The same for what is asked before a request can be sent. */
  fallSilent(): void;
  close(): Promise<void>;
}

const authority = certify('zoo authority');
const stranger = certify('another authority');
const named = (host: string, issuer = authority, notAfter?: Date) =>
  certify(host, { hosts: [host], issuer, ...(notAfter && { notAfter }) });

/** TLS, by the name that the client asks for. */
const certificates = {
  'tls-good.test': named('tls-good.test'),
  'tls-expired.test': named('tls-expired.test', authority, new Date(Date.now() - 86_400_000)),
  'tls-other-host.test': named('somebody.test'),
  'tls-other-issuer.test': named('tls-other-issuer.test', stranger),
  'tls-self-signed.test': certify('tls-self-signed.test', { hosts: ['tls-self-signed.test'] }),
};

export async function openZoo(): Promise<Zoo> {
  const requests: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const visits = new Map<string, number>();
  let connections = 0;
  let trespasses = 0;
  const waiting = new Set<() => void>();
  const silence = (): void => {
    for (const isOver of waiting) isOver();
  };
  const answer: RequestListener = (request, response) => {
    const host = request.headers.host ?? '';
    const name = host.replace(/\.test(:\d+)?$/, '');
    const key = `${request.method} ${name}`;
    const nth = visits.get(key) ?? 0;
    visits.set(key, nth + 1);
    requests.push(`${key}${request.url}`);
    headers.push(request.headers);
    (animals[name] ?? end(200))(request, response, { nth, isHead: request.method === 'HEAD', urlOf });
    if (!response.headersSent) silence();
  };
  const count = (): void => {
    connections += 1;
  };
  const plain = createServer(answer).on('connection', count);
  const secure = createSecureServer(
    {
      SNICallback: (host, done) => {
        const found = certificates[host as keyof typeof certificates] ?? certificates['tls-good.test'];
        done(null, createSecureContext(found));
      },
    },
    answer,
  ).on('connection', count);
  const port = await listen(plain, home);
  const securePort = await listen(secure, home);
  const guarded = createRawServer((socket) => {
    trespasses += 1;
    socket.destroy();
  });
  await listen(guarded, forbidden, port);
  const rawServers = Object.entries(raw).map(([name, take]) => ({
    name,
    server: createRawServer((socket) => {
      count();
      socket.on('error', () => undefined);
      socket.on('data', silence);
      take(socket);
    }),
  }));
  const rawPorts = new Map<string, number>();
  for (const { name, server } of rawServers) rawPorts.set(name, await listen(server, home));
  function urlOf(name: string, path = '/'): string {
    if (name === 'tls-plain') return `https://${name}.test:${port}${path}`;
    if (name.startsWith('tls-')) return `https://${name}.test:${securePort}${path}`;
    return `http://${name}.test:${rawPorts.get(name) ?? port}${path}`;
  }
  const servers: Server[] = [plain, secure, guarded, ...rawServers.map(({ server }) => server)];
  const sockets = new Set<Socket>();
  for (const server of servers) {
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    });
  }
  return {
    requests,
    headers,
    trespasses: () => trespasses,
    connections: () => connections,
    ca: authority.cert,
    urlOf,
    whenSilent(isOver) {
      waiting.add(isOver);
      return () => waiting.delete(isOver);
    },
    fallSilent: silence,
    async close() {
      for (const socket of sockets) socket.destroy();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

/** Pages on several hosts that count how many ask them at once. */
export async function openCrowd(full: number) {
  const waiting: (() => void)[] = [];
  const inside = new Map<string, number>();
  let most = 0;
  let mostAtHost = 0;
  const server = createServer((request, response) => {
    const host = request.headers.host ?? '';
    inside.set(host, (inside.get(host) ?? 0) + 1);
    mostAtHost = Math.max(mostAtHost, inside.get(host) ?? 0);
    most = Math.max(
      most,
      [...inside.values()].reduce((sum, one) => sum + one, 0),
    );
    const leave = (): void => {
      inside.set(host, (inside.get(host) ?? 0) - 1);
      response.writeHead(200).end();
    };
    // Until as many are inside as may be, nobody leaves: how busy the machine is does not matter.
    if (most >= full) for (const one of waiting.splice(0).concat(leave)) setTimeout(one, 10);
    else waiting.push(leave);
  });
  const port = await listen(server, home);
  return {
    urlOf: (host: number, page: number) => `http://host${host}.test:${port}/${page}`,
    most: () => most,
    mostAtHost: () => mostAtHost,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

async function listen(server: Server, host: string, port = 0): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
