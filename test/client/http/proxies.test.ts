import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import type { System } from '../../../src/base/system.ts';
import { openTransport } from '../../../src/client/http/connection.ts';
import { proxyFor } from '../../../src/client/http/proxies.ts';
import type { Transport } from '../../../src/client/http/transport.ts';
import { certify } from '../../support/certificates.ts';
import { type FaultyServer, startFaultyServer } from '../../support/faulty-server.ts';
import { faults } from '../../support/faulty-steps.ts';
import { patient, read } from './transports.ts';

const authority = certify('our own CA');
const tls = certify('api', { hosts: ['api.example.test'], issuer: authority });
const folder = mkdtempSync(join(tmpdir(), 'linkctl-proxy-'));
const caFile = join(folder, 'ca.pem');
writeFileSync(caFile, authority.cert);
afterAll(() => rmSync(folder, { recursive: true }));

/** A CONNECT proxy that leads to `target` whatever name is asked for, after a pause, or refuses with a status. */
async function proxyTo(
  target: FaultyServer,
  status = 200,
  pause = 0,
): Promise<{ url: string; asked: string[]; headers: string[] }> {
  const asked: string[] = [];
  const headers: string[] = [];
  const server: Server = createServer();
  server.on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    headers.push(JSON.stringify(request.headers));
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const tunnel = connect(Number(new URL(target.origin).port), '127.0.0.1', () => {
      setTimeout(() => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        tunnel.pipe(socket).pipe(tunnel);
      }, pause);
    });
    tunnel.on('error', () => socket.destroy());
    socket.on('error', () => tunnel.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, headers };
}

async function target(): Promise<FaultyServer> {
  const server = await startFaultyServer({ tls });
  onTestFinished(() => server.close());
  return server;
}

async function open(env: System['env'], origin = 'https://api.example.test'): Promise<Transport> {
  const transport = await openTransport({ origin: new URL(origin), caFile, env, warn: () => {} });
  return transport;
}

const keyed = { ...read, headers: { host: 'api.example.test', authorization: 'Basic CANARY' } };

test('R-50, B80: HTTPS_PROXY is used, with our own CA inside the tunnel, and never sees the credentials', async () => {
  const server = await target();
  const proxy = await proxyTo(server);
  const transport = await open({ HTTPS_PROXY: proxy.url });
  expect(await transport.exchange(keyed, patient)).toMatchObject({ kind: 'answer', status: 200 });
  expect(proxy.asked).toEqual(['api.example.test:443']);
  expect(proxy.headers.join()).not.toContain('CANARY');
  expect((await server.requests())[0]?.headers.authorization).toBe('Basic CANARY');
});

test.each([
  [407, 'the proxy asks for a password (HTTP 407)'],
  [403, 'the proxy refused the connection (HTTP 403)'],
])('F15: a proxy that answers %i was passed nothing', async (status, message) => {
  const server = await target();
  const proxy = await proxyTo(server, status);
  const transport = await open({ HTTPS_PROXY: proxy.url });
  expect(await transport.exchange(keyed, patient)).toMatchObject({ kind: 'failure', sent: false, message });
  expect(await server.requests()).toEqual([]);
});

test.each([
  ['ann:wrong@', 'the proxy rejected the user name or password (HTTP 407)'],
  // Without a password undici sends no user name either.
  ['ann@', 'the proxy asks for a password (HTTP 407)'],
])('F15, B52: a proxy that is given %s and answers 407 is told apart by whether it got a password', async (user, message) => {
  const proxy = await proxyTo(await target(), 407);
  const transport = await open({ HTTPS_PROXY: proxy.url.replace('//', `//${user}`) });
  expect(await transport.exchange(keyed, patient)).toMatchObject({ sent: false, nature: 'lasting', message });
});

test.each([
  ['s.ex', 'HTTPS_PROXY is set: check the proxy, or add the host to NO_PROXY'],
  ['.example.test', undefined],
  ['api.example.test:443', undefined],
])('B52: with NO_PROXY=%s a failed call has the hint %s', async (no_proxy, hint) => {
  const transport = await open({ HTTPS_PROXY: 'http://127.0.0.1:9', no_proxy });
  const outcome = await transport.exchange(keyed, patient);
  expect(outcome).toMatchObject({ kind: 'failure', sent: false });
  expect('hint' in outcome ? outcome.hint : undefined).toBe(hint);
});

test('F15, B52: a proxy that is down was passed nothing, and is named without its password', async () => {
  const transport = await open({ HTTPS_PROXY: 'http://ann:CANARY@127.0.0.1:9' });
  expect(await transport.exchange(keyed, patient)).toMatchObject({
    sent: false,
    message: 'connection refused by the proxy 127.0.0.1:9',
  });
});

const opened = 'HTTP/1.1 200 OK\r\n\r\n';

test.each([
  ['before it answers', 'https://api.example.test', '', true],
  ['before it answers', 'http://api.example.test', '', true],
  ['within its answer', 'https://api.example.test', 'HTTP/1.1 200', true],
  ['after it opened the tunnel', 'https://api.example.test', opened, false],
  ['after it opened the tunnel', 'http://api.example.test', opened, false],
])('F15, B52: a proxy that closes the connection %s is asked once per attempt: %s', async (_when, origin, text, isNamed) => {
  let connections = 0;
  const server = createTcpServer((socket) => {
    connections += 1;
    socket.on('error', () => {}).once('data', () => socket.end(text));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const proxy = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `http://ann:CANARY@${proxy}`;
  const transport = await open({ HTTPS_PROXY: url, HTTP_PROXY: url }, origin);
  const message = `the proxy ${proxy} closed the connection before the response was complete`;
  for (const attempt of [1, 2, 3]) {
    const outcome = await transport.exchange(keyed, { ...patient, connect: 1000 });
    expect(outcome).toMatchObject({ kind: 'failure', ...(isNamed && { sent: false, nature: 'passing', message }) });
    expect(connections).toBe(attempt);
  }
});

test('F15: a tunnel that opens too late carries nothing', async () => {
  const server = await target();
  const transport = await open({ HTTPS_PROXY: (await proxyTo(server, 200, 600)).url });
  const outcome = await transport.exchange(keyed, { ...patient, connect: 400 });
  expect(outcome).toMatchObject({ kind: 'failure', sent: false, message: 'no connection to api.example.test within 0.4 s' });
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await server.requests()).toEqual([]);
});

test('F15: a tunnel that breaks in the middle of an answer leaves the call in doubt', async () => {
  const server = await target();
  await server.script([faults.cutAfter]);
  const transport = await open({ HTTPS_PROXY: (await proxyTo(server)).url });
  expect(await transport.exchange(keyed, patient)).toMatchObject({ kind: 'failure', sent: true });
});

const proxied = { HTTPS_PROXY: 'http://proxy:3128', HTTP_PROXY: 'http://plain:3128' };

test.each<[string, string, System['env'], string | undefined]>([
  ['an https address takes HTTPS_PROXY', 'https://s.ex', proxied, 'http://proxy:3128'],
  ['a lower-case variable beats the upper-case one', 'https://s.ex', { ...proxied, https_proxy: 'http://low:1' }, 'http://low:1'],
  ['an empty lower-case variable switches the proxy off', 'https://s.ex', { ...proxied, https_proxy: '' }, undefined],
  ['loopback is reached directly', 'https://localhost:8', proxied, undefined],
  ['an address of loopback is reached directly', 'https://127.8.8.8', proxied, undefined],
  ['IPv6 loopback is reached directly', 'https://[::1]:8', proxied, undefined],
  ['NO_PROXY=* switches proxies off', 'https://s.ex', { ...proxied, NO_PROXY: '*' }, undefined],
  ['an empty no_proxy leaves NO_PROXY in force', 'https://s.ex', { ...proxied, NO_PROXY: '*', no_proxy: '' }, undefined],
  ['nothing is set', 'https://s.ex', {}, undefined],
])('R-50, B80: %s', (_what, origin, env, expected) => {
  expect(proxyFor({ origin: new URL(origin), env, warn: () => {} })?.url).toBe(expected);
});

test.each(['ftp://user:secret@proxy', 'http://user:50%secret@proxy', 'http://user%:secret@proxy', 'http://user:%ffsecret@proxy'])(
  'R-50: a proxy value that is no address ends with exit 2 and is not repeated: %s',
  (HTTPS_PROXY) => {
    const env = { HTTPS_PROXY };
    const attempt = () => proxyFor({ origin: new URL('https://s.ex'), env, warn: () => {} });
    expect(attempt).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: expect.not.stringContaining('secret'),
        hint: expect.stringContaining('%25'),
      }),
    );
  },
);

test('R-50: a range of addresses in NO_PROXY is warned about', () => {
  const warnings: string[] = [];
  proxyFor({
    origin: new URL('https://s.ex'),
    env: { ...proxied, NO_PROXY: '10.0.0.0/8' },
    warn: (text) => warnings.push(text),
  });
  expect(warnings).toEqual([expect.stringContaining('NO_PROXY')]);
});
