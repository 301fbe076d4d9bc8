import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect } from 'vitest';
import { apiKey, test, username } from '../support/linkctl.ts';

const authorization = `Basic ${Buffer.from(`${username}:${apiKey}`).toString('base64')}`;

/** Writes bytes to the port, and answers with all that comes back until the connection ends. */
async function spoken(port: number, ...requests: string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let heard = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    heard += text;
  });
  socket.on('error', () => {});
  socket.end(Buffer.from(requests.join(''), 'latin1'));
  await once(socket, 'close');
  return heard;
}

const head = (line: string, ...headers: string[]): string =>
  [`${line} HTTP/1.1`, 'Host: localhost', `Authorization: ${authorization}`, 'Connection: close', ...headers, '', ''].join(
    '\r\n',
  );

describe('R-54: what strangers can do to the local service', () => {
  test('it listens on this machine alone', async ({ service }) => {
    const addresses = Object.values(networkInterfaces()).flatMap((all = []) => all.filter(({ internal }) => !internal));
    for (const { address, family } of addresses.filter(({ family }) => family === 'IPv4')) {
      const socket = connect(service.port, address);
      expect(await Promise.race([once(socket, 'connect').catch(() => 'refused')]), `${family} ${address}`).toBe('refused');
    }
  });

  test.for([
    ['no HTTP at all', 'hello\r\n\r\n', /^HTTP\/1\.1 400 /],
    ['two lengths', `${head('POST /api/3/tags', 'Content-Length: 2', 'Content-Length: 9')}{}`, /^HTTP\/1\.1 400 /],
    [
      'length and chunks',
      `${head('POST /api/3/tags', 'Content-Length: 4', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
      /^HTTP\/1\.1 400 /,
    ],
    ['a header with a line feed in it', head('GET /api/3/account', 'X: a\n b\u0000'), /^HTTP\/1\.1 400 /],
    ['headers beyond measure', head('GET /api/3/account', `X: ${'x'.repeat(70_000)}`), /^HTTP\/1\.1 431 /],
    ['a broken percent code', head('GET /api/3/urls/%zz'), /"code":1\d\d\d/],
    ['a path that is no UTF-8', head('GET /api/3/urls/%ff%fe'), /"code":1\d\d\d/],
    ['a path with NUL', head('GET /api/3/urls/%00'), /"code":1\d\d\d/],
    ['a path that climbs', head('GET /api/3/../../etc/passwd'), /HTTP\/1\.1 (400|404) /],
    ['another server as target', head('GET http://evil.example/api/3/account'), /HTTP\/1\.1 (200|400|403|404) /],
    ['a method of its own', head('BREW /api/3/urls'), /HTTP\/1\.1 400 |"code":1302/],
    ['a body of 200,000 levels', jsonPost(`{"urls":${'['.repeat(200_000)}${']'.repeat(200_000)}}`), /"code":1\d\d\d/],
    ['a body that is no UTF-8', jsonPost('{"urls":[{"long_url":"https://a.example/\xff"}]}'), /"code":\d+/],
    [
      'names of Object.prototype',
      jsonPost('{"__proto__":{"urls":[]},"constructor":1,"urls":[{"__proto__":{"x":1}}]}'),
      /"code":\d+/,
    ],
    ['a number where a list should be', jsonPost('{"urls":1e999}'), /"code":1\d\d\d/],
    ['an override to nowhere', jsonPost('{}', 'X-HTTP-Method-Override: TRACE'), /"code":1\d\d\d/],
  ] as const)('%s gets an answer, and the next client too', async ([_what, request, answer], { service, linkctl }) => {
    const heard = await spoken(service.port, request);
    expect(heard.slice(0, 600)).toMatch(answer);
    expect(heard).not.toMatch(/ at .*\.(ts|js|cjs):\d/);
    expect(heard).not.toContain('sqlite');
    expect(({} as { x?: unknown }).x).toBeUndefined();
    expect(await linkctl(['account'])).toMatchObject({ code: 0 });
  });

  test('a link cannot be bent to another scheme, nor its header split', async ({ service, linkctl }) => {
    await linkctl(['shorten', 'https://a.example/', '--hash', 'abc']);
    for (const target of [
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'https://a.example/\r\nSet-Cookie: x=1',
      '//evil',
    ]) {
      const answer = await fetch(`${service.baseUrl}/urls/abc`, {
        method: 'PATCH',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ urls: [{ long_url: target }] }),
      });
      const { urls } = (await answer.json()) as { urls: { error: { code: number } }[] };
      expect([1206, 1216], target).toContain(urls[0]?.error.code);
    }
    const heard = await spoken(service.port, 'GET /abc HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(heard).toMatch(/^location: https:\/\/a\.example\/\r$/im);
    expect(heard).not.toMatch(/set-cookie/i);
  });

  test('a thousand strangers without a key get an error, and count as no call', async ({ service, linkctl }) => {
    const calls = Array.from({ length: 1000 }, (_, index) =>
      fetch(`${service.baseUrl}/urls?limit=${index}`, { headers: { authorization: `Basic ${btoa(`${username}:${index}`)}` } }),
    );
    const answers = await Promise.all(
      calls.map(async (call) => ((await (await call).json()) as { error: { code: number } }).error.code),
    );
    expect(new Set(answers)).toEqual(new Set([1300]));
    const { stdout } = await linkctl(['account', '-o', 'json']);
    expect(JSON.parse(stdout).account.counters.today_api_calls.count).toBeLessThanOrEqual(1);
  });
});

function jsonPost(body: string, ...headers: string[]): string {
  const length = Buffer.byteLength(body, 'latin1');
  return head('POST /api/3/urls', 'Content-Type: application/json', `Content-Length: ${length}`, ...headers) + body;
}
