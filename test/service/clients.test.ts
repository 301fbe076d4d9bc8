import { describe, expect } from 'vitest';
import { rawExchange } from './raw-exchange.ts';
import { authorization, inBothEditions, many, test } from './running-service.ts';

/** What clients of public deployments need (V1 to V3). */

const url = 'https://example.com/a';
const signedIn = `Authorization: ${authorization()}\r\nConnection: close\r\n`;

/** The bytes of a call that adds a tag. */
function addTag(label: string): string {
  const body = JSON.stringify({ label });
  const head = `POST /api/3/tags HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization()}`;
  return `${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

inBothEditions((test, edition) => {
  test.for(['/tiny/api/3', '/api/3', '//api/3', '/a/b.c/api/3', '/api/33/api/3'])(
    'V1: the API answers below %s, in JSON whatever the path and the method',
    async (root, { client }) => {
      const { origin } = client.service;
      const ask = async (method: string, path: string) => {
        const answer = await fetch(origin + root + path, { method, headers: { authorization: authorization() } });
        return [answer.status, answer.headers.get('content-type'), ((await answer.json()) as { error: object }).error];
      };
      expect(await ask('GET', '/urls')).toEqual([200, 'application/json', { code: 0, message: '' }]);
      expect(await ask('GET', '')).toEqual([404, 'application/json', { code: 1301, message: 'Invalid resource' }]);
      expect(await ask('PUT', '/nope/x')).toEqual([404, 'application/json', { code: 1301, message: 'Invalid resource' }]);
      expect(await ask('PUT', '/urls')).toEqual([405, 'application/json', { code: 1302, message: 'Method not supported' }]);
    },
  );

  test('V1: what only begins like a root is none', async ({ client }) => {
    expect((await client.visit('/api/33')).headers.get('content-type')).toMatch(/^text\/plain/);
    expect((await client.visit('/xapi/3/urls')).headers.get('content-type')).toMatch(/^text\/plain/);
  });

  test('V1: HEAD works where GET does, and 405 says what is allowed', async ({ client }) => {
    const head = await fetch(`${client.service.baseUrl}/urls`, { method: 'HEAD', headers: { authorization: authorization() } });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(20);
    const allowed = async (method: string, path: string) => (await client.call(method, path)).headers.get('allow');
    expect(await allowed('PUT', '/urls')).toBe('POST, GET, HEAD, PATCH, DELETE');
    expect(await allowed('PUT', '/urls/abc')).toBe('GET, HEAD, PATCH, DELETE');
    expect(await allowed('POST', '/account')).toBe('GET, HEAD');
    expect(await allowed('GET', '/account')).toBeNull();
  });

  test('V1: an absolute-form target is understood, and its host counts', async ({ start }) => {
    const client = await start({ domains: [{ name: 'go.example' }] });
    await client.shorten({ long_url: url, custom_hash: 'abc' });
    const ask = (target: string, host: string) =>
      rawExchange(client.service.port, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n${signedIn}\r\n`);
    expect(await ask('http://go.example/abc', 'three.example')).toMatchObject({ status: 303 });
    expect(await ask('http://three.example/abc', 'go.example')).toMatchObject({ status: 404 });
    expect(await ask('http://go.example', 'three.example')).toMatchObject({ status: 200, body: 'short link service\n' });
    expect(await ask('HTTP://user@localhost:1/tiny/api/3/urls?hashes=abc', 'x')).toMatchObject({ status: 200 });
    // DNS rebinding.
    const refused = await ask('http://evil.example/api/3/urls', 'localhost');
    expect(refused).toMatchObject({ status: 403 });
    // 1217 is about the account (section 3).
    expect(JSON.parse(refused.body).error).toEqual({
      code: 1301,
      message: 'Invalid resource: the Host header names no host of this service; start it with --public-url or --domain',
    });
  });

  test('V1: HTTP/1.0 without Host is understood, by the API and by redirects', async ({ client }) => {
    await client.shorten({ long_url: url, custom_hash: 'abc' });
    const { port } = client.service;
    expect(await rawExchange(port, `GET /api/3/urls HTTP/1.0\r\n${signedIn}\r\n`)).toMatchObject({ status: 200 });
    expect((await rawExchange(port, 'GET /abc HTTP/1.0\r\n\r\n')).head).toMatch(/^HTTP\/1\.1 303 [\s\S]*\r\nlocation: https:/);
  });

  test.for([
    ['two Host headers', 'GET /api/3/urls HTTP/1.1\r\nHost: localhost\r\nhOST: evil.example\r\n\r\n', 400],
    ['two equal ones on a link', 'GET /abc HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n', 400],
    ['HTTP/1.1 without Host', 'GET /api/3/urls HTTP/1.1\r\n\r\n', 400],
    ['no HTTP at all', 'nonsense\r\n\r\n', 400],
    ['a blank in the path', 'GET /api/3/urls?search=a b c HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
    ['a length twice', 'POST /api/3/urls HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
    ['a body that breaks off', 'POST /api/3/urls HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', 400],
    ['too long a head', `GET /${'a'.repeat(70_000)} HTTP/1.1\r\n`, 431],
  ] as const)('V1: %s is refused with a JSON body', async ([, text, status], { client }) => {
    const answer = await rawExchange(client.service.port, text);
    expect(answer.status).toBe(status);
    expect(answer.head).toContain('content-type: application/json');
    expect(JSON.parse(answer.body)).toEqual({ error: { code: 1308, message: 'HTTP error' } });
  });

  test('V1: CONNECT is answered like other methods that nothing supports, but not before an earlier call', async ({ client }) => {
    const { port } = client.service;
    const head = (target: string, host = 'localhost') => `CONNECT ${target} HTTP/1.1\r\nHost: ${host}\r\n${signedIn}\r\n`;
    const answer = await rawExchange(port, head('/api/3/account'));
    expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([405, 1302]);
    expect(answer.head).toContain('allow: GET, HEAD');
    expect(await rawExchange(port, head('example.com:443'))).toMatchObject({ status: 405, body: 'method not allowed\n' });
    const doubled = head('/api/3/urls', 'localhost\r\nHost: evil.example');
    expect(await rawExchange(port, doubled)).toMatchObject({ status: 400 });
    const call = `GET /api/3/account HTTP/1.1\r\nHost: localhost\r\n${signedIn.replace('close', 'keep-alive')}\r\n`;
    const earlier = await rawExchange(port, call + head('/api/3/account'));
    expect(earlier).toMatchObject({ status: 200, head: expect.stringMatching(/^connection: close$/im) });
    expect(earlier.body).not.toContain('1302');
  });

  test.for(['nonsense\r\n\r\n', ' \n', '"}', 'GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n'])(
    'V1: a call that %j follows is answered, and ends the connection',
    async (rest, { client }) => {
      const answer = await rawExchange(client.service.port, addTag('one') + rest);
      expect(answer).toMatchObject({ status: 200, head: expect.stringMatching(/^connection: close$/im) });
      expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 0 }, tags: [{ label: 'one' }] });
      expect((await client.call('GET', '/tags')).body.tags).toEqual([{ label: 'one' }]);
    },
  );

  test('V1: nonsense after two calls takes the answer of neither', async ({ client }) => {
    const answer = await rawExchange(client.service.port, `${addTag('one')}${addTag('two')}nonsense\r\n\r\n`);
    expect(answer).toMatchObject({ status: 200, head: expect.stringMatching(/^connection: keep-alive$/im) });
    expect(answer.body).toMatch(/"one"[\s\S]*}HTTP\/1\.1 200 OK[\s\S]*^connection: close$[\s\S]*"two"/im);
    expect(answer.body).not.toContain('1308');
  });

  test('V1: a body that breaks off after a call is refused after the answer to that call', async ({ client }) => {
    const broken = 'POST /api/3/tags HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n';
    const answer = await rawExchange(client.service.port, addTag('one') + broken);
    expect(answer.body).toMatch(/"one"[\s\S]*}HTTP\/1\.1 400 [\s\S]*^connection: close$[\s\S]*1308/im);
  });

  test('4.2: of calls that arrive together on a connection, none runs before the change in front of it', async ({ client }) => {
    await client.shorten({ long_url: url, custom_hash: 'abc' });
    const call = (method: string, connection = 'keep-alive') =>
      `${method} /api/3/urls/abc HTTP/1.1\r\nHost: localhost\r\n${signedIn.replace('close', connection)}\r\n`;
    const all = ['GET', 'DELETE', 'GET', 'GET'].map((method) => call(method)).join('');
    const { status, body } = await rawExchange(client.service.port, all + call('DELETE', 'close'));
    expect([status, ...Array.from(body.matchAll(/HTTP\/1\.1 (\d+)/g), ([, later]) => Number(later))]).toEqual([
      200, 200, 404, 404, 404,
    ]);
  });

  test('V2, FIELD-NOTES 28: X-Tinycc-User and X-Tinycc-Key sign in, with the same errors; Basic wins', async ({ start }) => {
    const client = await start({ username: 'bücher', apiKey: 'k1' });
    const ask = async (headers: Record<string, string>) => {
      const answer = await fetch(`${client.service.baseUrl}/account`, { headers });
      return [answer.status, ((await answer.json()) as { error: { code: number } }).error.code];
    };
    const user = Buffer.from('bücher').toString('latin1');
    const both = { 'x-tinycc-user': user, 'X-TINYCC-KEY': 'k1' };
    expect(await ask(both)).toEqual([200, 0]);
    expect(await ask({ ...both, 'x-tinycc-key': 'k2', 'X-TINYCC-KEY': '' })).toEqual([400, 1300]);
    expect(await ask({ 'x-tinycc-user': user })).toEqual([400, 1300]);
    expect(await ask({ 'x-tinycc-user': 'eve', 'x-tinycc-key': 'k1' })).toEqual([400, 1102]);
    expect(await ask({ ...both, authorization: authorization('bücher', 'k2') })).toEqual([400, 1300]);
    expect(await ask({ ...both, authorization: 'Basic !!!' })).toEqual([400, 1102]);
    expect(await ask({ 'x-tinycc-user': 'eve', authorization: authorization('bücher', 'k1') })).toEqual([200, 0]);
    expect(await ask({ ...both, authorization: 'Bearer abc' })).toEqual([200, 0]);
  });

  test('V3, 2.1: each item of an edit that fails has details', async ({ client }) => {
    await client.shorten(...['a', 'b'].map((hash) => ({ long_url: url, custom_hash: hash })));
    const urls = [
      { hash: 'nosuch', note: 'x' },
      { hash: 'a', custom_hash: 'b' },
      { hash: 'a', long_url: 'nonsense' },
      { note: 'no hash' },
    ];
    const { body } = await client.call('PATCH', '/urls', { urls });
    expect(body.urls.map(({ error }) => error?.details)).toEqual([
      'hash: no link of this domain has it',
      'custom hash is already in use',
      'long_url: not a URL',
      'hash: missing',
    ]);
  });

  test('V3, FIELD-NOTES 5: /account has a limit alone, and the locations of its parts below the prefix', async ({ client }) => {
    const answer = await fetch(`${client.service.origin}/tiny/api/3/account`, { headers: { authorization: authorization() } });
    const { account } = (await answer.json()) as { account: { counters: object; links: object } };
    expect(account.counters).toMatchObject({ daily_redirects: { limit: expect.any(Number) } });
    expect(account.counters).not.toHaveProperty('daily_redirects.count');
    expect(account.links).toEqual({
      urls: '/tiny/api/3/urls',
      stats: '/tiny/api/3/stats',
      ...(edition === 'a' && { log: '/tiny/api/3/log' }),
    });
  });

  test('V3, 4.3.9: tags win over hashes in every call that takes both', async ({ client }) => {
    await client.shorten(
      { long_url: url, custom_hash: 'tagged', tags: ['t'] },
      { long_url: url, custom_hash: 'named' },
      { long_url: url, custom_hash: 'other' },
    );
    expect(await client.hashes('?hashes=named&tags=t')).toEqual(['tagged']);
    expect((await client.call('PATCH', '/urls?hashes=named&tags=t', { urls: [{ note: 'x' }] })).body).not.toHaveProperty('urls');
    expect((await client.call('GET', '/urls/named')).body.urls[0]?.note).toBe('');
    expect((await client.call('DELETE', '/stats?hashes=nosuch&tags=t')).body.error.code).toBe(0);
    // An expression that is empty selects nothing, whatever the hashes are.
    expect((await client.call('DELETE', '/urls?hashes=named&tags=')).body.error.code).toBe(1305);
    expect((await client.call('DELETE', '/urls?hashes=named&tags=t')).body.error.code).toBe(0);
    expect(await client.hashes('?order_by=hash')).toEqual(['named', 'other']);
  });

  test('V3: blanks around hashes are left out', async ({ client }) => {
    await client.shorten(...['a', 'b'].map((hash) => ({ long_url: url, custom_hash: hash })));
    expect(await client.hashes('?hashes=a,+b,%20')).toEqual(['a', 'b']);
    expect((await client.call('DELETE', '/urls?hashes=%20,+')).body.error.code).toBe(1305);
    expect((await client.call('DELETE', '/urls?hashes=+a+,%20b')).body.error.code).toBe(0);
    expect(await client.hashes()).toEqual([]);
  });
});

describe('edition B', () => {
  test.extend({ edition: 'b' })('V3: a limit above the batch is clamped, and page says what was given', async ({ client }) => {
    const links = (count: number) => many(count, () => ({ long_url: url }));
    await client.shorten(...links(500));
    await client.shorten(...links(2));
    const { body } = await client.call('GET', '/urls?limit=100000&offset=1');
    expect(body.urls).toHaveLength(500);
    expect(body.page).toEqual({ results_count: 500, total_count: 502, offset: 1 });
  });
});
