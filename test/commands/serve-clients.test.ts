import { execFile } from 'node:child_process';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { connect } from 'node:tls';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import { rawExchange } from '../service/raw-exchange.ts';
import { certify } from '../support/certificates.ts';
import { runnerIn } from '../support/linkctl.ts';
import { needs } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { type Announced, type Serving, test } from './serving.ts';

/** What `serve` has for real clients and those who run it (V1, V4, V6). */

const run = promisify(execFile);

const authority = certify('an authority');

async function certificateIn(folder: string, name = 'localhost'): Promise<{ flags: string[]; ca: string; cert: string }> {
  const { cert, key } = certify(name, { hosts: ['localhost'], issuer: authority });
  const [ca, certFile, keyFile] = ['ca.pem', 'cert.pem', 'key.pem'].map((file) => join(folder, file)) as [string, string, string];
  await writeFile(ca, authority.cert);
  await writeFile(certFile, cert);
  await writeFile(keyFile, key);
  return { flags: ['--tls-cert', certFile, '--tls-key', keyFile], ca, cert: certFile };
}

const portOf = ({ base_url }: Announced): number => Number(new URL(base_url).port);

/** The common name in the certificate that a new connection gets. */
function nameServed(port: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().subject.CN);
      socket.end();
    });
    socket.on('error', reject);
  });
}

const stderrOf = ({ system }: Serving): string => system.printed().stderr;

test('V1, V4: curl uses it behind TLS and a prefix, as clients do, and follows the short URL', async ({ serve, folder }) => {
  needs('curl');
  const { flags, ca } = await certificateIn(folder);
  const { announced } = await serve(['--port', '0', ...flags]);
  const port = portOf(announced);
  expect(announced.base_url).toBe(`https://localhost:${port}/api/3`);
  const curl = async (...args: string[]) => (await run('curl', ['-sS', '--cacert', ca, ...args])).stdout;
  const api = `https://localhost:${port}/tiny/api/3/urls`;
  const key = [
    '-H',
    'Content-Type: application/json',
    '-H',
    'X-Tinycc-User: sandbox',
    '-H',
    `X-Tinycc-Key: ${announced.api_key}`,
  ];
  const made = JSON.parse(await curl(...key, '-d', '{"urls":[{"long_url":"https://example.com/a","custom_hash":"abc"}]}', api));
  expect(made.urls[0]).toMatchObject({
    short_url: `localhost:${port}/abc`,
    short_url_with_protocol: `https://localhost:${port}/abc`,
  });
  const listed = JSON.parse(await curl('-u', `sandbox:${announced.api_key}`, `${api}?hashes=abc`));
  expect(listed.urls[0]).toMatchObject({ hash: 'abc', long_url: 'https://example.com/a' });
  const follow = ['-o', '/dev/null', '-w', '%{http_code} %{redirect_url}'];
  expect(await curl(...follow, made.urls[0].short_url_with_protocol)).toBe('303 https://example.com/a');
  // Plain HTTP on the same port.
  await expect(curl(`http://localhost:${port}/abc`)).rejects.toThrow();
  expect(
    await curl('-o', '/dev/null', '-w', '%{http_code}', '-I', '--http1.0', '-H', 'Host:', made.urls[0].short_url_with_protocol),
  ).toBe('303');
});

test('CLI 3.3: the authority that signed a certificate is named once, at login', async ({ serve, folder }) => {
  const { flags, ca } = await certificateIn(folder);
  const { announced } = await serve(['--port', '0', ...flags]);
  const linkctl = runnerIn({ HOME: folder });
  const login = ['auth', 'login', '--profile', 'own', '--username', 'sandbox', '--with-key', '--base-url', announced.base_url];
  const world = { stdin: announced.api_key ?? '' };
  expect(await linkctl(login, world)).toMatchObject({ code: 8, stderr: expect.stringContaining('--ca-file <pem file>') });
  expect((await linkctl([...login, '--ca-file', relative(process.cwd(), ca)], world)).code).toBe(0);
  expect(await linkctl(['list'])).toMatchObject({ code: 0, stderr: '' });
  expect((await linkctl(['config', 'get', 'ca_file'])).stdout).toBe(`${ca}\n`);
  // Another login at the same server keeps it.
  expect((await linkctl(login, world)).code).toBe(0);
  expect((await linkctl(['config', 'set', 'ca_file', 'ca.pem'])).stderr).toContain('ca_file: expected an absolute path');
  expect((await linkctl(['config', 'unset', 'ca_file'])).code).toBe(0);
  expect((await linkctl(['list'])).code).toBe(8);
  expect((await linkctl(['list', '--ca-file', ca])).code).toBe(0);
});

test('V4: SIGHUP serves the new certificate; one that cannot be used is said, and the old one stays', async ({
  serve,
  folder,
}) => {
  const { flags, cert } = await certificateIn(folder, 'first');
  const serving = await serve(['--port', '0', ...flags]);
  const port = portOf(serving.announced);
  expect(await nameServed(port)).toBe('first');
  await certificateIn(folder, 'second');
  serving.system.raise('SIGHUP');
  await until(() => stderrOf(serving).includes('SIGHUP: reloaded'), 'the certificate is read again');
  expect(await nameServed(port)).toBe('second');
  for (let times = 1; times <= 2; times += 1) {
    await writeFile(cert, certify('other', { issuer: authority }).cert);
    serving.system.raise('SIGHUP');
    await until(() => stderrOf(serving).split('warning: SIGHUP: cannot use the certificate').length === times + 1, 'it is said');
  }
  expect(stderrOf(serving)).toMatch(/key values mismatch; what was read before stays in use\n$/);
  expect(await nameServed(port)).toBe('second');
  expect(await serving.stop()).toBe(0);
});

test('E49: SIGHUP reads the keys whatever happens to the certificate', async ({ serve, folder }) => {
  const { flags, ca, cert } = await certificateIn(folder);
  const keys = join(folder, 'keys');
  const [old, next] = ['o'.repeat(32), 'n'.repeat(32)];
  await writeFile(keys, `${old}\n`, { mode: 0o600 });
  const serving = await serve(['--port', '0', '--api-key-file', keys, ...flags]);
  const { base_url: LINKCTL_BASE_URL } = serving.announced;
  const linkctl = runnerIn({ HOME: folder, LINKCTL_BASE_URL, LINKCTL_USERNAME: 'sandbox', LINKCTL_EDITION: 'a' });
  const codeWith = async (key: string) => (await linkctl(['list', '--ca-file', ca], { env: { LINKCTL_API_KEY: key } })).code;
  expect([await codeWith(old), await codeWith(next)]).toEqual([0, 4]);
  await writeFile(keys, `${next}\n`);
  await writeFile(cert, 'garbage');
  serving.system.raise('SIGHUP');
  await until(() => stderrOf(serving).includes('warning: SIGHUP: cannot use the certificate'), 'it is said');
  expect([await codeWith(old), await codeWith(next)]).toEqual([4, 0]);
});

test('V4: --public-url decides scheme and host of short URLs, and --redirect-code the status', async ({ serve }) => {
  const flags = ['--public-url', 'https://s.ex', '--domain', 't.ex', '--redirect-code', '301'];
  const { announced, call, origin } = await serve(['--port', '0', ...flags]);
  expect(announced).toMatchObject({ public_url: 'https://s.ex', domains: ['s.ex', 't.ex'] });
  expect(announced.base_url).toMatch(/^http:\/\/127\.0\.0\.1:/);
  const urls = [{ long_url: 'https://example.com/a', custom_hash: 'abc' }];
  expect(await call('/urls', 'POST', { urls })).toMatchObject({
    urls: [
      { short_url: 's.ex/abc', short_url_with_protocol: 'https://s.ex/abc', links: { qr_big: 'https://s.ex/abc.qr?size=big' } },
    ],
  });
  expect(await call('/urls?domain=t.ex', 'POST', { urls })).toMatchObject({
    urls: [{ short_url_with_protocol: 'https://t.ex/abc' }],
  });
  expect((await fetch(`${origin}/abc`, { redirect: 'manual' })).status).toBe(301);
});

test('V4: --public-url renames the one domain of edition B', async ({ serve }) => {
  const { announced } = await serve(['--port', '0', '--edition', 'b', '--public-url', 'http://s.ex:8080/']);
  expect(announced).toMatchObject({ public_url: 'http://s.ex:8080', domains: ['s.ex:8080'] });
});

test.for([
  [['--public-url', 's.ex'], '--public-url: expected a URL without a path, such as https://s.ex, got "s.ex"'],
  [['--public-url', 'https://s.ex/x'], '--public-url: expected a URL without a path'],
  [['--public-url', 'https://s.ex?'], '--public-url: expected a URL without a path'],
  [['--public-url', 'ftp://s.ex'], '--public-url: expected a URL without a path'],
  [['--edition', 'b', '--public-url', 'https://s.ex', '--domain', 't.ex'], '--public-url and --domain: edition B has one domain'],
  [['--redirect-code', '200'], '--redirect-code'],
  [['--tls-cert', 'cert.pem'], '--tls-cert requires --tls-key'],
  [['--tls-key', 'key.pem'], '--tls-key requires --tls-cert'],
  [['--allow-origin', '*'], '--allow-origin: expected a URL without a path'],
  [['--trusted-proxy', '10.0.0.0/33'], '--trusted-proxy: expected an address or network such as 10.0.0.0/8, got "10.0.0.0/33"'],
  [['--metrics-host', '0.0.0.0'], '--metrics-host requires --metrics-port'],
  [['--metrics-port', '65536'], '--metrics-port: expected a number of up to 65535'],
] as const)('V4: serve %j is exit 2: %s', async ([flags, complaint], { linkctl }) => {
  expect(await linkctl(['serve', '--port', '0', ...flags])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(complaint),
  });
});

test('V4: a certificate that cannot be used is exit 9 before anything is served', async ({ linkctl, folder }) => {
  const missing = join(folder, 'nosuch.pem');
  expect(await linkctl(['serve', '--port', '0', '--tls-cert', missing, '--tls-key', missing])).toMatchObject({
    code: 9,
    stderr: `error: cannot read ${missing}: no such file or folder\n`,
  });
  const { flags, cert } = await certificateIn(folder);
  await writeFile(cert, authority.cert);
  expect(await linkctl(['serve', '--port', '0', ...flags])).toMatchObject({
    code: 9,
    stderr: expect.stringMatching(/^error: cannot use the certificate .*: .*key values mismatch\nhint: use PEM files/),
  });
});

test('V4: --allow-origin and --trusted-proxy reach the service', async ({ serve, folder }) => {
  const file = join(folder, 'access.log');
  const flags = ['--allow-origin', 'https://app.example', '--trusted-proxy', '127.0.0.0/8', '--access-log', file];
  const { origin, stop } = await serve(['--port', '0', ...flags]);
  const headers = { origin: 'https://app.example', 'x-forwarded-for': '198.51.100.9', 'access-control-request-method': 'GET' };
  const answer = await fetch(`${origin}/api/3/urls`, { method: 'OPTIONS', headers });
  expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.example');
  await stop();
  expect(await readFile(file, 'utf8')).toMatch(/^198\.51\.100\.9 - - /);
});

describe('V6', () => {
  test.for([
    ['on a terminal', [], true, true],
    ['with -q on a terminal', ['-q'], true, false],
    ['off it', [], false, false],
    ['with -v off it', ['-v'], false, true],
  ] as const)('each request is one line on stderr %s %j: %s', async ([, flags, stderr, isShown], { serve }) => {
    const serving = await serve(['--port', '0', ...flags], { terminal: { stderr } });
    await fetch(`${serving.origin}/nosuch%1b?key=secret`);
    await fetch(`${serving.origin}/nosuch?x`, { method: 'HEAD' });
    await serving.stop();
    expect(/^\d\d:\d\d:\d\dZ 404 GET \/nosuch%1b \d+\.\d ms$/m.test(stderrOf(serving))).toBe(isShown);
    expect(stderrOf(serving)).not.toMatch(/secret/);
  });

  test('--access-log adds combined log format, which visitors cannot break', async ({ serve, folder }) => {
    const file = join(folder, 'access.log');
    await writeFile(file, 'an older line\n');
    const { origin, stop } = await serve(['--port', '0', '--access-log', file], { now: () => Date.UTC(2024, 4, 15, 9, 5, 7) });
    await fetch(`${origin}/nosuch?a="b`, {
      headers: { referer: 'https://from.example/', 'user-agent': 'a "quoted"\t\\agent é' },
    });
    await fetch(`${origin}/`, { method: 'HEAD', headers: { 'user-agent': '' } });
    await stop();
    expect(await readFile(file, 'utf8')).toBe(
      'an older line\n' +
        '127.0.0.1 - - [15/May/2024:09:05:07 +0000] "GET /nosuch?a=%22b HTTP/1.1" 404 15 "https://from.example/" "a \\"quoted\\"\\x09\\\\agent \\xe9"\n' +
        '127.0.0.1 - - [15/May/2024:09:05:07 +0000] "HEAD / HTTP/1.1" 200 - "-" "-"\n',
    );
  });

  test('what the parser refuses is a line, too: without method and path if it has none', async ({ serve, folder }) => {
    const file = join(folder, 'access.log');
    const flags = ['--port', '0', '-v', '--access-log', file];
    const serving = await serve(flags, { now: () => Date.UTC(2024, 4, 15, 9, 5, 7) });
    const head = 'POST /api/3/tags HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n';
    for (const text of ['nonsense\r\n\r\n', `${head}\r\nzz\r\n`, `GET /${'a'.repeat(70_000)} HTTP/1.1\r\n`]) {
      await rawExchange(portOf(serving.announced), text);
    }
    await serving.stop();
    const start = '127.0.0.1 - - [15/May/2024:09:05:07 +0000]';
    expect(await readFile(file, 'utf8')).toBe(
      `${start} "-" 400 46 "-" "-"\n${start} "POST /api/3/tags HTTP/1.1" 400 46 "-" "-"\n${start} "-" 431 46 "-" "-"\n`,
    );
    expect(stderrOf(serving)).toMatch(
      /^09:05:07Z 400 - - 0\.0 ms\n09:05:07Z 400 POST \/api\/3\/tags \d+\.\d ms\n09:05:07Z 431 - - 0\.0 ms$/m,
    );
  });

  test('SIGHUP opens the access log again, after it was moved away', async ({ serve, folder }) => {
    const file = join(folder, 'access.log');
    const serving = await serve(['--port', '0', '--access-log', file]);
    await fetch(`${serving.origin}/one`);
    await rename(file, `${file}.1`);
    serving.system.raise('SIGHUP');
    await until(() => stderrOf(serving).includes('SIGHUP: reloaded'), 'the log is open again');
    await fetch(`${serving.origin}/two`);
    expect(await serving.stop()).toBe(0);
    expect(await readFile(`${file}.1`, 'utf8')).toMatch(/"GET \/one /);
    expect(await readFile(file, 'utf8')).toMatch(/^[^\n]*"GET \/two [^\n]*\n$/);
  });

  test('a full disk stops nothing, and is said once', async ({ serve }) => {
    const serving = await serve(['--port', '0', '--access-log', '/dev/full']);
    for (let times = 0; times < 3; times += 1) {
      expect((await fetch(`${serving.origin}/nosuch`)).status).toBe(404);
      if (times === 0) await until(() => stderrOf(serving).includes('warning: '), 'it is said');
    }
    expect(await serving.stop()).toBe(0);
    expect(stderrOf(serving)).toBe(
      'warning: cannot write /dev/full: no space left on the disk; requests are missing in the access log\n' +
        'stopping after pending requests; a second signal (Ctrl-C) stops immediately\n',
    );
  });

  test('a log that cannot be opened is exit 9', async ({ linkctl, folder }) => {
    expect(await linkctl(['serve', '--port', '0', '--access-log', folder])).toMatchObject({
      code: 9,
      stderr: `error: cannot write ${folder}: it is a folder\n`,
    });
  });
});

describe('health and figures', () => {
  test('--metrics-port serves them on a port of its own, and the public one does not', async ({ serve }) => {
    const { announced, origin, stop } = await serve(['--port', '0', '--metrics-port', '0']);
    const metrics = String(announced.metrics_url);
    expect(new URL(metrics).port).not.toBe(String(portOf(announced)));
    expect((await fetch(metrics)).headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const health = await fetch(metrics.replace('/metrics', '/healthz'));
    expect([health.status, await health.text()]).toEqual([200, 'ok\n']);
    for (const path of ['/metrics', '/healthz', '/api/3/metrics'])
      expect([path, (await fetch(origin + path)).status]).toEqual([path, path.startsWith('/api') ? 400 : 404]);
    expect((await fetch(metrics.replace('/metrics', '/abc'))).status).toBe(404);
    expect(await stop()).toBe(0);
    await expect(fetch(metrics)).rejects.toThrow();
  });

  test('without it there is no such port, and on other addresses it is said that nobody needs a key', async ({ serve }) => {
    expect((await serve()).announced).not.toHaveProperty('metrics_url');
    const wide = await serve(['--port', '0', '--metrics-port', '0', '--metrics-host', '0.0.0.0']);
    expect(stderrOf(wide)).toMatch(/^warning: health and metrics need no key on port \d+\n/m);
  });
});
