import { once } from 'node:events';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { defaultPort, startService } from '../../src/service/service.ts';
import { readCode, svgModules } from '../output/qr-reading.ts';
import { createTestSystem } from '../support/test-system.ts';
import { until } from '../support/until.ts';
import { test } from './serving.ts';

const follow = (url: string) => fetch(url, { redirect: 'manual' });

test('-o json prints one line once it listens, and the API answers to what it says', async ({ serve, folder }) => {
  const { announced, system, call } = await serve();
  expect(system.printed().stdout.split('\n')).toHaveLength(2);
  expect(announced).toEqual({
    base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/api\/3$/),
    username: 'sandbox',
    api_key_file: join(folder, '.local', 'share', 'linkctl', 'api-key'),
    api_key: expect.stringMatching(/^[\w-]{32}$/),
    edition: 'a',
    domains: [`localhost:${new URL(announced.base_url).port}`],
  });
  expect(await call('/account')).toMatchObject({ error: { code: 0 } });
});

test('a short URL can be followed as it is printed, and its click counts', async ({ serve, linkctl }) => {
  const { announced } = await serve();
  const env = {
    LINKCTL_BASE_URL: announced.base_url,
    LINKCTL_USERNAME: announced.username,
    LINKCTL_API_KEY: announced.api_key,
  };
  const shortUrl = (await linkctl(['shorten', 'https://example.com/a'], { env })).stdout.trim();
  const answer = await follow(shortUrl);
  expect([answer.status, answer.headers.get('location')]).toEqual([303, 'https://example.com/a']);
  expect((await linkctl(['stats', '--fields', 'total_clicks'], { env })).stdout).toBe('1\n');
});

test('without --data it serves what the sandbox has, whatever the port', async ({ serve, linkctl }) => {
  await linkctl(['-p', 'sandbox', 'shorten', 'https://example.com/a', '--hash', 'one']);
  for (let start = 0; start < 2; start += 1) {
    const { origin, stop } = await serve();
    expect((await follow(`${origin}/one`)).headers.get('location')).toBe('https://example.com/a');
    const { port } = new URL(origin);
    const shown = await linkctl(['-p', 'sandbox', 'list', 'one', '--fields', 'short_url_with_protocol']);
    expect(shown.stdout).toBe(`http://localhost:${port}/one\n`);
    expect((await follow(shown.stdout.trim())).status).toBe(303);
    await stop();
  }
});

test('D52: links of the sandbox name the port of serve, on paper too, and those made before get it', async ({
  linkctl,
  folder,
}) => {
  // As a sandbox was left that knew of no port.
  const data = join(folder, '.local', 'share', 'linkctl');
  await mkdir(data, { recursive: true });
  const old = { edition: 'a', data, username: 'sandbox', apiKey: 'k'.repeat(32), redirects: false } as const;
  const before = await startService(old);
  const body = JSON.stringify({ urls: [{ long_url: 'https://example.com/a', custom_hash: 'old' }] });
  const headers = { authorization: `Basic ${Buffer.from(`sandbox:${old.apiKey}`).toString('base64')}` };
  expect(await (await fetch(`${before.baseUrl}/urls`, { method: 'POST', body, headers })).text()).toContain('localhost/old');
  await before.close();
  const codes = join(folder, 'codes');
  const made = await linkctl(['-p', 'sandbox', 'shorten', 'https://example.com/b', '--hash', 'new', '--qr-file', codes]);
  expect(made).toMatchObject({ code: 0, stdout: 'http://localhost:8787/new\n' });
  const listed = await linkctl(['-p', 'sandbox', 'list', '--fields', 'short_url_with_protocol']);
  expect(listed.stdout).toBe('http://localhost:8787/new\nhttp://localhost:8787/old\n');
  expect(readCode(svgModules(await readFile(join(codes, 'new.svg'), 'utf8')))).toBe('http://localhost:8787/new');
  // The name without the port, as profiles have it, stays the same domain.
  expect((await linkctl(['-p', 'sandbox', 'list', 'old', '--domain', 'localhost', '--fields', 'hash'])).stdout).toBe('old\n');
  const b = await linkctl(['-p', 'sandbox', '--edition', 'b', 'shorten', 'https://example.com/b', '--hash', 'new']);
  expect(b.stdout).toBe('http://localhost:8787/new\n');
});

test('R-54: the key is made once, kept in a file of 0600, and the same after a restart', async ({ serve, folder }) => {
  const data = join(folder, 'data');
  const first = await serve(['--port', '0', '--data', data]);
  await first.stop();
  const second = await serve(['--port', '0', '--data', data]);
  expect(second.announced.api_key).toBe(first.announced.api_key);
  const file = join(data, 'api-key');
  expect(await readFile(file, 'utf8')).toBe(`${first.announced.api_key}\n`);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('--username and --api-key-file choose the account', async ({ serve, folder }) => {
  const file = join(folder, 'key.txt');
  await writeFile(file, '0123456789abcdef0123456789abcdef\n', { mode: 0o600 });
  const { announced, call } = await serve(['--port', '0', '--username', 'bob', '--api-key-file', file]);
  expect(announced).toMatchObject({ username: 'bob', api_key: '0123456789abcdef0123456789abcdef' });
  expect(await call('/account')).toMatchObject({ account: { username: 'bob' } });
});

test('--domain may be given several times; the first is the default one', async ({ serve }) => {
  const { announced, call } = await serve(['--port', '0', '--domain', 'bücher.example', '--domain', 't.ex']);
  expect(announced.domains).toEqual(['xn--bcher-kva.example', 't.ex']);
  expect(await call('/domains')).toMatchObject({ domains: [{ status: 'default' }, { status: 'active' }] });
});

test('the edition is that of the flag, else of LINKCTL_EDITION, else of the sandbox whose links are served', async ({
  serve,
  linkctl,
  folder,
}) => {
  const env = { LINKCTL_EDITION: 'b' };
  const editionOf = async (flags: readonly string[], world = {}) => {
    const { announced, stop } = await serve(['--port', '0', ...flags], world);
    await stop();
    return announced.edition;
  };
  await linkctl(['-p', 'sandbox', 'shorten', 'https://example.com/a', '--hash', 'one'], { env });
  const served = await serve(['--port', '0'], { env });
  expect((await follow(`${served.origin}/one`)).status).toBe(303);
  expect(served.announced.edition).toBe('b');
  expect(await editionOf(['--edition', 'a'], { env })).toBe('a');
  expect(await editionOf([])).toBe('a');
  await linkctl(['config', 'set', 'edition', 'b', '-p', 'sandbox']);
  expect([await editionOf([]), await editionOf(['--data', join(folder, 'links')])]).toEqual(['b', 'a']);
  const { env: homeEnv } = served.system;
  const bad = createTestSystem({ env: { ...homeEnv, LINKCTL_EDITION: 'c' } });
  expect([await main(['serve', '--port', '0'], bad), bad.printed().stderr]).toEqual([
    2,
    expect.stringContaining('LINKCTL_EDITION'),
  ]);
});

test('--edition b serves edition B', async ({ serve }) => {
  const { announced, call } = await serve(['--port', '0', '--edition', 'b', '--domain', 's.ex']);
  expect(announced).toMatchObject({ edition: 'b', domains: ['s.ex'] });
  expect((await call('/domains')).error.code).toBe(1301);
});

test.for([
  ['--max-batch', '1', 1221],
  ['--max-urls', '1', 1220],
  ['--max-month-urls', '1', 1220],
  ['--max-body-bytes', '20', 1310],
] as const)('%s %s bounds the service: %i', async ([flag, value, code], { serve }) => {
  const { call } = await serve(['--port', '0', flag, value]);
  const urls = [{ long_url: 'https://example.com/1' }, { long_url: 'https://example.com/2' }];
  const answer = (await call('/urls', 'POST', { urls })) as { error: { code: number }; urls?: { error: { code: number } }[] };
  expect(answer.urls?.at(-1)?.error.code ?? answer.error.code).toBe(code);
});

test('--max-calls-per-day bounds the calls: 1303', async ({ serve }) => {
  const { call } = await serve(['--port', '0', '--max-calls-per-day', '1']);
  expect((await call('/account')).error.code).toBe(0);
  expect((await call('/account')).error.code).toBe(1303);
});

describe('signals', () => {
  test.for(['SIGTERM', 'SIGINT'] as const)('%s ends it with 0, and its port is free again', async (signal, { serve }) => {
    const { stop, system, origin } = await serve();
    expect(await stop(signal)).toBe(0);
    expect(system.deaths).toEqual([]);
    await expect(fetch(origin)).rejects.toThrow();
  });

  test('a call under way is answered before it ends; a second signal ends it at once (R-18)', async ({ serve }) => {
    const { origin, announced, system, stop } = await serve();
    const { port } = new URL(origin);
    const { connect } = await import('node:net');
    const socket = connect(Number(port), '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    const authorization = Buffer.from(`${announced.username}:${announced.api_key}`).toString('base64');
    const head = `POST /api/3/tags HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic ${authorization}\r\nContent-Length: 15\r\nExpect: 100-continue\r\n\r\n`;
    socket.write(head);
    await until(() => answer.startsWith('HTTP/1.1 100'), 'the service has read the head of the request');
    answer = '';
    const ended = stop();
    await delay(50);
    socket.write('{"label":"one"}');
    expect(await ended).toBe(0);
    expect(answer).toMatch(/HTTP\/1\.1 200 [\s\S]*"label":"one"/);
    expect(system.deaths).toEqual([]);
  });

  test('a second signal ends it at once (R-18)', async ({ serve }) => {
    const { system, stop } = await serve();
    const ended = stop('SIGINT');
    system.raise('SIGINT');
    expect(system.deaths).toEqual(['SIGINT']);
    await ended;
  });
});

describe('a port that is in use is exit 9 with what helps', () => {
  const refusal = (port: number) => ({
    code: 9,
    stdout: '',
    stderr:
      `error: cannot listen on 127.0.0.1 port ${port}: the port is already in use\n` +
      `hint: stop the other program, or add --port ${port + 1}\n`,
  });

  test('with --port', async ({ linkctl }) => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const ran = await linkctl(['serve', '--port', String(port)]);
    taken.close();
    expect(ran).toEqual(refusal(port));
  });

  test('without --port, and the links of the sandbox keep their names', async ({ linkctl }) => {
    await linkctl(['-p', 'sandbox', 'shorten', 'https://example.com/a', '--hash', 'one']);
    const taken = createServer().listen(defaultPort, '127.0.0.1');
    // Where another program of this machine has the port, it is as much in use.
    await once(taken, 'listening').catch(() => undefined);
    const ran = await linkctl(['serve']);
    taken.close();
    expect(ran).toEqual(refusal(defaultPort));
    const listed = await linkctl(['-p', 'sandbox', 'list', '--fields', 'short_url_with_protocol']);
    expect(listed.stdout).toBe(`http://localhost:${defaultPort}/one\n`);
  });
});

test('E57: where the health port cannot be had, its own flags and address are named', async ({ linkctl }) => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const inUse = await linkctl(['serve', '--port', '0', '--metrics-port', String(port)]);
  const both = await linkctl(['serve', '--port', String(port), '--metrics-port', String(port)]);
  taken.close();
  const elsewhere = await linkctl(['serve', '--port', '0', '--metrics-host', '203.0.113.1', '--metrics-port', '0']);
  expect([inUse, both, elsewhere].map(({ code, stderr }) => [code, stderr])).toEqual([
    [
      9,
      `error: --metrics-port: cannot listen on 127.0.0.1 port ${port}: the port is already in use\n` +
        `hint: stop the other program, or add --metrics-port ${port + 1}\n`,
    ],
    [
      9,
      `error: cannot listen on 127.0.0.1 port ${port}: the port is already in use\n` +
        `hint: stop the other program, or add --port ${port + 1}\n`,
    ],
    [9, 'error: --metrics-host: cannot listen on 203.0.113.1 port 0: this machine has no such address\n'],
  ]);
});

test.for([
  [['--host', '203.0.113.1'], 9, 'this machine has no such address'],
  [['--data', '/dev/null'], 9, 'cannot create the folder /dev/null'],
  [['--domain', 'a b'], 2, '--domain: "a b" is not a domain name'],
  [['--domain', 's.ex:65536'], 2, '--domain: "s.ex:65536" is not a domain name'],
  [['--edition', 'b', '--domain', 's.ex', '--domain', 't.ex'], 2, '--domain: edition B has one domain'],
  [['--username', 'a:b'], 2, '--username: expected a name'],
  [['--port', '65536'], 2, '--port: expected a number of up to 65535, got "65536"'],
  [['--max-batch', '0'], 2, '--max-batch: expected a whole number'],
] as const)('serve %j is exit %i: %s', async ([flags, code, complaint], { linkctl }) => {
  expect(await linkctl(['serve', '--port', '0', ...flags])).toMatchObject({
    code,
    stdout: '',
    stderr: expect.stringContaining(complaint),
  });
});

test('R-54: on loopback nothing is said; on all addresses, once, what is reachable', async ({ serve }) => {
  const here = await serve();
  expect(here.system.printed().stderr).toBe('');
  const wide = await serve(['--port', '0', '--host', '0.0.0.0']);
  expect(wide.system.printed().stderr).toMatch(
    /^warning: any machine that can reach this one can follow links and, with the key, use the API, unencrypted, on port \d+\n$/,
  );
  expect(wide.announced.base_url).toMatch(/^http:\/\/127\.0\.0\.1:/);
});

test('a short key file is warned of', async ({ serve, folder }) => {
  const file = join(folder, 'key.txt');
  await writeFile(file, 'abc', { mode: 0o600 });
  const { system } = await serve(['--port', '0', '--api-key-file', file]);
  expect(system.printed().stderr).toContain('the key is short');
});

test('in a pipe without -o: a name and its value a line', async ({ homeEnv }) => {
  const system = createTestSystem({ env: homeEnv });
  const ended = main(['serve', '--port', '0'], system);
  await until(() => system.printed().stdout.includes('domains'), 'the service says where it is');
  system.raise('SIGTERM');
  expect(await ended).toBe(0);
  expect(system.printed().stdout).toMatch(
    /^base_url\thttp:[^\n]*\nusername\tsandbox\napi_key_file\t[^\n]*api-key\nedition\ta\ndomains\tlocalhost:\d+\n$/,
  );
});

test('serve --help names the variables that serve reads, and those of a client change nothing', async ({
  serve,
  linkctl,
  folder,
}) => {
  const help = (await linkctl(['serve', '--help'])).stdout.replace(/\s+/g, ' ');
  const named = [...help.matchAll(/\(env: (\w+)\)/g)].map(([, name]) => name);
  expect(named).toEqual(['LINKCTL_STORE', 'LINKCTL_PROFILE', 'LINKCTL_OUTPUT', 'LINKCTL_EDITION']);
  const file = join(folder, 'key');
  await writeFile(file, 'k'.repeat(32), { mode: 0o600 });
  const env = { LINKCTL_DOMAIN: 's.ex', LINKCTL_USERNAME: 'bob', LINKCTL_API_KEY_FILE: file, LINKCTL_EDITION: 'b' };
  const { announced, origin } = await serve(['--port', '0', '--data', join(folder, 'links')], { env });
  const { username, domains, api_key_file, edition } = announced;
  const domain = `localhost:${new URL(origin).port}`;
  expect([username, domains, api_key_file, edition]).toEqual(['sandbox', [domain], join(folder, 'links', 'api-key'), 'b']);
});
