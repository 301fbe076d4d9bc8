import { describe, expect, test as plain } from 'vitest';
import { addressReader, parseNetwork } from '../../src/service/client-address.ts';
import { readCode, svgModules } from '../output/qr-reading.ts';
import { authorization, inBothEditions, test } from './running-service.ts';

/** Visitors, browsers and proxies (V4, V5). */

const url = 'https://example.com/a';

inBothEditions((test) => {
  test('V5: a slash after the hash does no harm, also with a page for unknown links', async ({ start }) => {
    const client = await start({ notFoundUrl: 'https://example.com/404' });
    await client.shorten({ long_url: url, custom_hash: 'abc' });
    expect((await client.visit('/abc/')).headers.get('location')).toBe(url);
    for (const path of ['/abc//', '//abc', '//', '/nosuch/', '/abc/x'])
      expect([path, (await client.visit(path)).headers.get('location')]).toEqual([path, 'https://example.com/404']);
    expect((await client.call('GET', '/stats/abc')).body.stats[0]?.total_clicks).toBe(1);
  });

  test('V5: a prefetch leads on and is no click', async ({ client }) => {
    await client.shorten({ long_url: url, custom_hash: 'abc' });
    for (const purpose of ['prefetch', 'prefetch;prerender']) {
      const answer = await client.visit('/abc', { 'sec-purpose': purpose });
      expect([answer.status, answer.headers.get('location')]).toEqual([303, url]);
    }
    expect((await client.call('GET', '/stats/abc')).body.stats[0]?.total_clicks).toBe(0);
    await client.visit('/abc', { 'sec-purpose': 'other' });
    expect((await client.call('GET', '/stats/abc')).body.stats[0]?.total_clicks).toBe(1);
  });

  test('V5: the QR locations in links lead to pictures of the short URL, in two sizes, and count nothing', async ({ client }) => {
    const [link] = await client.shorten({ long_url: url, custom_hash: 'a_-Z', expiration_date: '2020-01-01' });
    const widths = [];
    for (const location of [link?.links.qr_small, link?.links.qr_big]) {
      const { pathname, search } = new URL(String(location));
      const answer = await client.visit(pathname + search);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
      const svg = await answer.text();
      expect(readCode(svgModules(svg))).toBe(link?.short_url_with_protocol);
      widths.push(Number(/ width="(\d+)"/.exec(svg)?.[1]));
    }
    expect(widths[1]).toBeGreaterThan(Number(widths[0]) * 2);
    expect((await client.visit('/nosuch.qr')).status).toBe(404);
    expect((await client.visit('/.qr')).status).toBe(404);
    expect((await client.call('GET', '/stats/a_-Z')).body.stats[0]?.total_clicks).toBe(0);
  });

  test('V4: a redirect code and a scheme hold for all domains, in redirects and in the API', async ({ start, folder }) => {
    const before = await start({ data: folder });
    await before.shorten({ long_url: url, custom_hash: 'abc' });
    const client = await start({ data: folder, redirectCode: '308', useHttps: true });
    expect((await client.visit('/abc')).status).toBe(308);
    const { short_url_with_protocol, links } = (await client.call('GET', '/urls/abc')).body.urls[0] ?? {};
    expect(short_url_with_protocol).toBe('https://localhost/abc');
    expect(links?.qr_big).toMatch(/^https:/);
    // Another process is as it was.
    expect((await before.visit('/abc')).status).toBe(303);
  });

  test('V4: pages of named origins may use the API, others may not', async ({ start }) => {
    const client = await start({ allowedOrigins: ['https://app.example', 'http://localhost:3000'] });
    const ask = async (origin: string, method: string, headers: Record<string, string> = {}) => {
      const answer = await fetch(`${client.service.baseUrl}/urls`, { method, headers: { ...headers, origin } });
      const allowed = [...answer.headers].filter(([name]) => name.startsWith('access-control'));
      return {
        status: answer.status,
        vary: answer.headers.get('vary'),
        allowed: Object.fromEntries(allowed),
        body: await answer.json(),
      };
    };
    const preflight = { 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'authorization' };
    expect(await ask('https://app.example', 'OPTIONS', preflight)).toMatchObject({
      status: 200,
      vary: 'origin',
      allowed: {
        'access-control-allow-origin': 'https://app.example',
        'access-control-allow-methods': 'GET, HEAD, POST, PATCH, DELETE',
        'access-control-allow-headers': 'authorization, content-type, x-http-method-override, x-tinycc-key, x-tinycc-user',
      },
      body: { error: { code: 0 } },
    });
    expect(await ask('http://localhost:3000', 'GET', { authorization: authorization() })).toMatchObject({
      status: 200,
      allowed: { 'access-control-allow-origin': 'http://localhost:3000' },
    });
    // A page must be able to read why it was refused.
    expect(await ask('https://app.example', 'GET')).toMatchObject({
      status: 400,
      allowed: { 'access-control-allow-origin': 'https://app.example' },
    });
    for (const origin of ['https://evil.example', 'http://app.example', 'https://app.example:444', 'null', '']) {
      expect(await ask(origin, 'OPTIONS', preflight)).toMatchObject({ status: 400, vary: 'origin', allowed: {} });
    }
    expect(Number((await client.call('GET', '/account')).body.account.counters.today_api_calls?.count)).toBe(2);
  });

  test('V4: visitors behind a trusted proxy are distinguished by X-Forwarded-For, others by their address', async ({ start }) => {
    const network = parseNetwork('127.0.0.0/8');
    const counts = async (trustedProxies: readonly NonNullable<typeof network>[]) => {
      const client = await start({ trustedProxies });
      await client.shorten({ long_url: url, custom_hash: 'abc' });
      for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.2']) await client.visit('/abc', { 'x-forwarded-for': address });
      return (await client.call('GET', '/stats/abc')).body.stats[0]?.unique_clicks;
    };
    expect(await counts(network ? [network] : [])).toBe(2);
    expect(await counts([])).toBe(1);
  });
});

describe('V4: X-Forwarded-For', () => {
  const networks = ['10.0.0.0/8', '192.0.2.7', '2001:db8::/32'].map(parseNetwork).filter((network) => network !== undefined);
  const addressOf = addressReader(networks);
  plain.each([
    ['nothing is forwarded', '10.0.0.1', undefined, '10.0.0.1'],
    ['by a trusted proxy', '10.0.0.1', '198.51.100.9', '198.51.100.9'],
    ['by two of them', '10.0.0.1', '198.51.100.9, 192.0.2.7', '198.51.100.9'],
    ['what a visitor made up is not believed', '10.0.0.1', '203.0.113.5, 198.51.100.9', '198.51.100.9'],
    ['by anybody else', '198.51.100.9', '203.0.113.5', '198.51.100.9'],
    ['all are proxies', '10.0.0.1', '10.0.0.3,10.0.0.2', '10.0.0.3'],
    ['no address', '10.0.0.1', 'unknown', '10.0.0.1'],
    ['with a port', '10.0.0.1', '198.51.100.9:1234', '198.51.100.9'],
    ['IPv6 with a port', '2001:db8::1', '[2001:470::9]:80', '2001:470::9'],
    ['another spelling of IPv6', '10.0.0.1', '2001:0470:0:0::A', '2001:470::a'],
    ['IPv4 as long IPv6', '10.0.0.1', '0:0:0:0:0:ffff:c633:6409', '198.51.100.9'],
    ['IPv4 as IPv6', '::ffff:10.0.0.1', '198.51.100.9', '198.51.100.9'],
  ])('%s: %s with %s is %s', (_, peer, forwarded, visitor) => {
    expect(addressOf(peer, forwarded)).toBe(visitor);
  });

  plain.each([
    ['10.0.0.0/8', { address: '10.0.0.0', bits: 8 }],
    ['::1', { address: '::1', bits: 128 }],
    ['10.0.0.1/33', undefined],
    ['proxy.example', undefined],
    ['10.0.0.0/', undefined],
  ])('%s is read as %j', (text, network) => {
    expect(parseNetwork(text)).toEqual(network);
  });
});

test('V4: GET /domains shows the redirect code and the scheme that are served', async ({ start }) => {
  const client = await start({
    domains: [{ name: 'one.example' }, { name: 'two.example' }],
    redirectCode: '302',
    useHttps: true,
  });
  const { domains } = (await client.call('GET', '/domains')).body;
  expect(domains.map((domain) => [domain.redirect_code, domain.use_https])).toEqual([
    ['302', true],
    ['302', true],
  ]);
});
