import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  maximumBody,
  type Timeouts,
  type Transport,
  type WireAnswer,
  type WireFailure,
} from '../../../src/client/http/transport.ts';
import { type FaultyServer, startFaultyServer } from '../../support/faulty-server.ts';
import { faults, type Step } from '../../support/faulty-steps.ts';
import { patient, quick, read, transports, write } from './transports.ts';

interface Case {
  readonly name: string;
  readonly step: Step;
  readonly expected: Partial<WireFailure> | Partial<WireAnswer>;
  readonly message?: RegExp;
}

const envelope = '{"error":{"code":0,"message":""}}';
const cases: readonly Case[] = [
  {
    name: 'F03: reset right after accept',
    step: faults.refusedAfterAccept,
    expected: { kind: 'failure' },
    message: /closed the connection/,
  },
  {
    name: 'F04: reset after the request',
    step: faults.dropBefore,
    expected: { sent: true, nature: 'passing' },
    message: /closed the connection/,
  },
  {
    name: 'F08: an answer never comes',
    step: faults.silentBefore,
    expected: { sent: true, nature: 'timeout' },
    message: /no response from .* within 0.4 s/,
  },
  {
    name: 'F09: a slow header',
    step: { end: 'drip head' },
    expected: { sent: true, nature: 'timeout' },
    message: /no response from/,
  },
  {
    name: 'F09: a slow body',
    step: { end: 'drip', answer: { body: ' '.repeat(500) } },
    expected: { sent: true, nature: 'timeout' },
    message: /no complete response from .* within 1.4 s/,
  },
  {
    name: 'F10: a body cut short of its length',
    step: faults.cutAfter,
    expected: { sent: true, nature: 'passing' },
    message: /closed the connection/,
  },
  {
    name: 'F10: a chunked body without its end',
    step: { end: 'cut chunked' },
    expected: { sent: true, nature: 'passing' },
    message: /closed the connection/,
  },
  {
    name: 'F10: a body that only the end of the connection frames',
    step: { end: 'cut unframed' },
    expected: { kind: 'answer', status: 200, body: envelope.slice(0, 16) },
  },
  {
    name: 'F14: a redirect is an answer and is not followed',
    step: faults.redirect('http://127.0.0.1:9/'),
    expected: { kind: 'answer', status: 302 },
  },
  {
    name: 'F17: an endless body',
    step: { end: 'endless' },
    expected: { sent: true, nature: 'lasting' },
    message: /larger than 64 MiB/,
  },
  {
    name: 'F17: a huge announced length',
    step: { answer: { raw: `HTTP/1.1 200 OK\r\nContent-Length: ${maximumBody + 1}\r\n\r\n{` } },
    expected: { sent: true, nature: 'lasting' },
    message: /larger than 64 MiB/,
  },
  {
    name: 'F17: a compressed body',
    step: { answer: { headers: { 'content-encoding': 'gzip' }, body: 'x' } },
    expected: { sent: true, nature: 'lasting' },
    message: /compressed/,
  },
  {
    name: 'F17: a body compressed many times',
    step: { answer: { headers: { 'content-encoding': 'gzip,'.repeat(900) }, body: 'x' } },
    expected: { sent: true, nature: 'lasting' },
    message: /compressed/,
  },
  {
    name: 'F18: a header line of 20 KB',
    step: { answer: { headers: { 'x-long': 'a'.repeat(20_000) } } },
    expected: { sent: true, nature: 'lasting' },
    message: /16 KiB/,
  },
  {
    name: 'F18: a greeting that is not HTTP',
    step: { answer: { raw: '220 smtp ready\r\n' } },
    expected: { sent: true },
    message: /invalid HTTP response/,
  },
  {
    name: 'F18: interim answers before the real one',
    step: { answer: { raw: `${'HTTP/1.1 102 Processing\r\n\r\n'.repeat(3)}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}` } },
    expected: { kind: 'answer', status: 200, body: '{}' },
  },
  {
    name: 'F18: endless interim answers',
    step: { answer: { raw: 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(200) } },
    expected: { sent: true },
  },
];

async function answerOf(transport: Transport, request = write, timeouts: Timeouts = patient): Promise<WireAnswer | WireFailure> {
  return transport.exchange(request, timeouts);
}

async function faulty(...steps: Step[]): Promise<FaultyServer> {
  const server = await startFaultyServer();
  onTestFinished(() => server.close());
  await server.script(steps);
  return server;
}

describe.each(transports)('over %s', (_name, open) => {
  test.each(cases)('$name', async ({ step, expected, message }) => {
    const server = await faulty(step);
    const timeouts = 'nature' in expected && expected.nature === 'timeout' ? quick : patient;
    const outcome = await answerOf(await open(server.origin), write, timeouts);
    expect(outcome).toMatchObject(expected);
    if (message) expect(outcome.kind === 'failure' && outcome.message).toMatch(message);
  });

  test('F01: a refused connection was not sent', async () => {
    const outcome = await answerOf(await open('http://127.0.0.1:9'));
    expect(outcome).toMatchObject({ sent: false, nature: 'passing', message: 'connection refused by 127.0.0.1:9' });
  });

  test('F01: a name that does not resolve was not sent', async () => {
    const outcome = await answerOf(await open('http://no-such-host.invalid'));
    expect(outcome).toMatchObject({ sent: false, nature: 'unresolved', message: 'cannot resolve no-such-host.invalid' });
  });

  test('F13: a server that never finishes the TLS handshake was sent nothing', async () => {
    const server = createServer(() => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const outcome = await answerOf(await open(`https://127.0.0.1:${port}`), write, { ...patient, connect: 400 });
    expect(outcome).toMatchObject({ sent: false, nature: 'timeout', message: `no connection to 127.0.0.1:${port} within 0.4 s` });
  });

  test('F13: plain HTTP on the port of HTTPS was sent nothing', async () => {
    const server = await faulty();
    const outcome = await answerOf(await open(server.origin.replace('http:', 'https:')));
    expect(outcome).toMatchObject({ sent: false, nature: 'lasting' });
    expect(await server.requests()).toEqual([]);
  });

  test('F12: a refusal that comes before the request was read is an answer', async () => {
    const server = await faulty(faults.tooLargeEarly);
    const body = 'x'.repeat(4_000_000);
    const headers = { ...write.headers, 'content-length': String(body.length) };
    expect(await answerOf(await open(server.origin), { ...write, headers, body })).toMatchObject({ kind: 'answer', status: 413 });
  });

  test('F18: of two answers to one request, the second never becomes the answer to the next one', async () => {
    const one = `HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"1"`;
    const server = await faulty({ answer: { raw: one + one.replace('"1"', '"2"') } });
    const transport = await open(server.origin);
    await answerOf(transport);
    expect(await transport.exchange(read, patient)).toMatchObject({ kind: 'answer', body: envelope });
  });

  test('connections are kept for the next call, and not when they were idle for a second (R-10)', async () => {
    const server = await faulty();
    const transport = await open(server.origin);
    await answerOf(transport);
    // undici gives a connection free one turn later.
    await new Promise((resolve) => setImmediate(resolve));
    await transport.exchange(write, patient);
    await new Promise((resolve) => setTimeout(resolve, 1300));
    await transport.exchange(write, patient);
    expect((await server.requests()).map(({ connection }) => connection)).toEqual([1, 1, 2]);
  });

  test('an abort ends the exchange at once', async () => {
    const server = await faulty(faults.silentBefore);
    const transport = await open(server.origin);
    const stop = new AbortController();
    const outcome = transport.exchange(write, patient, stop.signal);
    await vi.waitFor(async () => expect(await server.requests()).toHaveLength(1));
    stop.abort();
    expect(await outcome).toMatchObject({ sent: true, nature: 'interrupted' });
    expect(await transport.exchange(write, patient, stop.signal)).toMatchObject({ sent: false, nature: 'interrupted' });
    expect(await server.requests()).toHaveLength(1);
  });
});
