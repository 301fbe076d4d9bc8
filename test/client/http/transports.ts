import { nodeTransport } from '../../../src/client/http/connection.ts';
import type { Timeouts, Transport, WireRequest } from '../../../src/client/http/transport.ts';
import { undiciTransport } from '../../../src/client/http/undici-transport.ts';
import type { Trust } from '../../../src/client/trust.ts';

/** Both ways to the wire; every fault is tried on each. */
export const transports: readonly (readonly [
  name: string,
  open: (origin: string, trust?: Partial<Trust>) => Promise<Transport>,
])[] = [
  ['node', (origin, trust) => nodeTransport(new URL(origin), { ...strict, ...trust })],
  ['undici', async (origin, trust) => undiciTransport(new URL(origin), { ...strict, ...trust }, noProxy)],
];

const strict: Trust = { minVersion: 'TLSv1.2', rejectUnauthorized: true };
const noProxy = { variable: '', url: '', noProxy: '' };

/** Milliseconds; short, for exchanges that are meant to end by them. */
export const quick: Timeouts = { connect: 3000, headers: 400, idle: 1000, total: 1400 };
/** For those that are not, on a busy machine too. */
export const patient: Timeouts = { connect: 8000, headers: 8000, idle: 8000, total: 8000 };

export const read: WireRequest = { method: 'GET', path: '/api/3/account', headers: { host: 'localhost' } };
export const write: WireRequest = {
  method: 'POST',
  path: '/api/3/urls',
  headers: { host: 'localhost', 'content-type': 'application/json', 'content-length': '11' },
  body: '{"urls":[]}',
};
