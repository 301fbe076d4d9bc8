import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import type { System } from '../../../src/base/system.ts';
import { openTransport } from '../../../src/client/http/connection.ts';
import { trustFor } from '../../../src/client/trust.ts';
import { certify } from '../../support/certificates.ts';
import { type FaultyServer, startFaultyServer } from '../../support/faulty-server.ts';
import { patient, read, transports } from './transports.ts';

const authority = certify('our own CA');
const otherAuthority = certify('another CA');
const hosts = ['localhost'];
const good = certify('server', { hosts, issuer: authority });
const foreign = certify('server', { hosts, issuer: otherAuthority });
const expired = certify('server', { hosts, issuer: authority, notAfter: new Date(Date.now() - 86_400_000) });
const elsewhere = certify('server', { hosts: ['api.example'], issuer: authority });

const folder = mkdtempSync(join(tmpdir(), 'linkctl-tls-'));
const caFile = join(folder, 'ca.pem');
const extraFile = join(folder, 'extra.pem');
writeFileSync(caFile, authority.cert);
writeFileSync(extraFile, otherAuthority.cert);
afterAll(() => rmSync(folder, { recursive: true }));

async function secure(tls: { key: string; cert: string }): Promise<FaultyServer & { named: string }> {
  const server = await startFaultyServer({ tls });
  onTestFinished(() => server.close());
  return Object.assign(server, { named: server.origin.replace('127.0.0.1', 'localhost') });
}

async function get(origin: string, options: { caFile?: string; env?: System['env'] } = {}) {
  const transport = await openTransport({ origin: new URL(origin), env: {}, warn: () => {}, ...options });
  return transport.exchange(read, patient);
}

describe.each(transports)('over %s', (_name, open) => {
  const refused: [string, { key: string; cert: string }, RegExp, RegExp | undefined][] = [
    ['an unknown CA', foreign, /its issuer is not trusted/, /--ca-file/],
    ['an expired certificate', expired, /it has expired/, undefined],
    ['a certificate of another host', elsewhere, /it is for another host/, undefined],
    ['a certificate signed by itself', certify('localhost', { hosts }), /it is self-signed/, /--ca-file/],
  ];

  test.each(refused)('F13: %s is refused with its reason, and nothing is sent', async (_what, tls, reason, hint) => {
    const server = await secure(tls);
    const transport = await open(server.named, { ca: [authority.cert] });
    const outcome = await transport.exchange(read, patient);
    expect(outcome).toMatchObject({ kind: 'failure', sent: false, nature: 'lasting', message: expect.stringMatching(reason) });
    if (hint) expect(outcome).toMatchObject({ hint: expect.stringMatching(hint) });
    expect(await server.requests()).toEqual([]);
  });

  test('a certificate of our own CA is accepted', async () => {
    const server = await secure(good);
    const transport = await open(server.named, { ca: [authority.cert] });
    expect(await transport.exchange(read, patient)).toMatchObject({ kind: 'answer', status: 200 });
  });
});

test('R-49, B80: --ca-file adds to NODE_EXTRA_CA_CERTS and to the usual roots', async () => {
  const [own, extra] = [await secure(good), await secure(foreign)];
  const env = { NODE_EXTRA_CA_CERTS: extraFile };
  expect(await get(own.named, { caFile, env })).toMatchObject({ status: 200 });
  expect(await get(extra.named, { caFile, env })).toMatchObject({ status: 200 });
  const { ca } = await trustFor({ origin: new URL('https://s.ex'), caFile, env });
  expect(ca?.length).toBeGreaterThan(50);
});

test('R-49: without --ca-file our own CA is unknown, and the hint names the flag', async () => {
  const server = await secure(good);
  expect(await get(server.named)).toMatchObject({ sent: false, hint: 'if you trust its issuer: --ca-file <pem file>' });
});

test.each([
  ['is missing', () => join(folder, 'nothing.pem'), /cannot read the CA file .*: no such file or folder/],
  ['holds no certificate', () => fileWith('hello'), /contains no PEM certificate/],
  [
    'holds a broken certificate',
    () => fileWith('-----BEGIN CERTIFICATE-----\nxx\n-----END CERTIFICATE-----'),
    /unreadable certificate/,
  ],
])('a --ca-file that %s ends with exit 9', async (_what, file, message) => {
  await expect(trustFor({ origin: new URL('https://s.ex'), caFile: file(), env: {} })).rejects.toMatchObject({
    exitCode: 9,
    message: expect.stringMatching(message),
  });
});

test('R-49: NODE_TLS_REJECT_UNAUTHORIZED=0 is refused with exit 4 before anything is sent', async () => {
  const server = await secure(good);
  const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
  await expect(get(server.named, { env })).rejects.toMatchObject({ exitCode: 4 });
  expect(await server.requests()).toEqual([]);
});

function fileWith(text: string): string {
  const file = join(folder, 'odd.pem');
  writeFileSync(file, text);
  return file;
}
