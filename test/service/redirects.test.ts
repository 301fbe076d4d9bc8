import { request } from 'node:http';
import { expect } from 'vitest';
import { inBothEditions, test } from './running-service.ts';

const url = 'https://example.com/a?b=c#d';

inBothEditions((test) => {
  test('GET /<hash> leads to the long URL, without a body and not to be cached', async ({ client }) => {
    await client.shorten({ long_url: url, custom_hash: 'abc' });
    const response = await client.visit('/abc');
    expect([response.status, response.headers.get('location')]).toEqual([303, url]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.text()).toBe('');
  });

  test('RFC 3986 6.2.2.2: escapes of characters that need none are read', async ({ client }) => {
    await client.shorten({ long_url: url, custom_hash: 'a_b-1' });
    const statusOf = async (path: string) => (await client.visit(path)).status;
    expect(await statusOf('/a%5Fb%2d%31')).toBe(303);
    expect(await statusOf('/a%5Fb%2D1.qr')).toBe(200);
    for (const other of ['/a%255Fb-1', '/a_b-1%00', '/a_b-1%', '/a_b-1%2F', '/%zz']) expect(await statusOf(other)).toBe(404);
  });

  test('R-54: the address in the header is percent-encoded', async ({ client }) => {
    await client.shorten({ long_url: 'https://bücher.example/ä"<script>', custom_hash: 'abc' });
    const { headers } = await client.visit('/abc');
    expect(headers.get('location')).toBe('https://xn--bcher-kva.example/%C3%A4%22%3Cscript%3E');
  });

  test('total and unique clicks and the last visit are counted by address and user agent', async ({ client }) => {
    await client.shorten({ long_url: url, custom_hash: 'abc' });
    for (const agent of ['x', 'y', 'x', 'x']) await client.visit('/abc?utm=1', { 'user-agent': agent });
    const { body } = await client.call('GET', '/stats/abc');
    expect(body.stats).toMatchObject([{ hash: 'abc', total_clicks: 4, unique_clicks: 2 }]);
  });

  test('FIELD-NOTES 4: stats have the clicks of each UTC day, listings have not; they add up to the counters until a reset', async ({
    client,
    world,
  }) => {
    await client.shorten({ long_url: url, custom_hash: 'abc' }, { long_url: url, custom_hash: 'other' });
    const daysOf = async (hash: string) => (await client.call('GET', `/stats/${hash}`)).body.stats[0]?.daily_clicks;
    expect(await daysOf('abc')).toEqual({});
    world.time = Date.UTC(2024, 4, 15, 23, 59, 59, 999);
    for (const agent of ['x', 'y', 'x']) await client.visit('/abc', { 'user-agent': agent });
    world.time += 1;
    for (const agent of ['x', 'z']) await client.visit('/abc', { 'user-agent': agent });
    await client.visit('/other');
    world.time += 86_400_000;
    await client.visit('/abc', { 'user-agent': 'x' });
    expect(await daysOf('abc')).toEqual({
      '2024-05-15': { total: 3, unique: 2 },
      '2024-05-16': { total: 2, unique: 1 },
      '2024-05-17': { total: 1, unique: 0 },
    });
    const listed = (await client.call('GET', '/urls?hashes=abc')).body.urls;
    expect(listed).toMatchObject([{ total_clicks: 6, unique_clicks: 3 }]);
    expect(listed[0]).not.toHaveProperty('daily_clicks');
    await client.call('DELETE', '/stats/abc');
    expect([await daysOf('abc'), await daysOf('other')]).toEqual([{}, { '2024-05-16': { total: 1, unique: 1 } }]);
    await client.call('DELETE', '/urls/abc');
    await client.shorten({ long_url: url, custom_hash: 'abc' });
    expect(await daysOf('abc')).toEqual({});
  });

  test('clicks are stored when the service closes, and one visitor stays one after a new start', async ({ start, folder }) => {
    const before = await start({ data: folder });
    await before.shorten({ long_url: url, custom_hash: 'abc' });
    await before.visit('/abc', { 'user-agent': 'x' });
    await before.service.close();
    const after = await start({ data: folder });
    expect((await after.call('GET', '/stats/abc')).body.stats[0]).toMatchObject({ total_clicks: 1, unique_clicks: 1 });
    await after.visit('/abc', { 'user-agent': 'x' });
    expect((await after.call('GET', '/stats/abc')).body.stats[0]).toMatchObject({ total_clicks: 2, unique_clicks: 1 });
  });

  test('clicks are stored within a fraction of a second, for every process to see', async ({ start, folder }) => {
    const one = await start({ data: folder });
    const other = await start({ data: folder });
    await one.shorten({ long_url: url, custom_hash: 'abc' });
    await one.visit('/abc');
    await expect.poll(async () => (await other.call('GET', '/stats/abc')).body.stats[0]?.total_clicks).toBe(1);
  });

  test('HEAD shows where a link leads and is no click', async ({ client }) => {
    await client.shorten({ long_url: url, custom_hash: 'abc' });
    const response = await client.visit('/abc', {}, 'HEAD');
    expect([response.status, response.headers.get('location')]).toEqual([303, url]);
    expect((await client.call('GET', '/stats/abc')).body.stats[0]?.total_clicks).toBe(0);
    expect((await client.visit('/abc', {}, 'POST')).status).toBe(405);
  });

  test('an unknown hash, and a path that is none, get a plain 404 that reflects nothing', async ({ client }) => {
    for (const path of ['/nosuch', '/a/b', '/%3Cscript%3E', '/abc.qr', '/favicon.ico', '//evil.example', '/__proto__']) {
      const response = await client.visit(path);
      expect([path, response.status]).toEqual([path, 404]);
      expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(await response.text()).toBe('link not found\n');
    }
  });

  test('expiration_date is the last day on which a link works', async ({ client, world }) => {
    await client.shorten({ long_url: url, custom_hash: 'abc', expiration_date: '2024-05-15' });
    world.time = Date.UTC(2024, 4, 15, 23, 59, 59, 999);
    expect((await client.visit('/abc')).status).toBe(303);
    world.time += 1;
    expect((await client.visit('/abc')).status).toBe(410);
    await client.call('PATCH', '/urls/abc', { urls: [{ expiration_date: null }] });
    expect((await client.visit('/abc')).status).toBe(303);
  });

  test('an edit is followed by the next visit', async ({ client }) => {
    await client.shorten({ long_url: url, custom_hash: 'abc' });
    await client.visit('/abc');
    await client.call('PATCH', '/urls/abc', { urls: [{ long_url: 'https://example.org/' }] });
    expect((await client.visit('/abc')).headers.get('location')).toBe('https://example.org/');
  });

  test('without redirects, all but the API is 1301', async ({ start }) => {
    const client = await start({ redirects: false });
    await client.shorten({ long_url: url, custom_hash: 'abc' });
    const response = await client.visit('/abc');
    expect([response.status, await response.json()]).toEqual([404, { error: { code: 1301, message: 'Invalid resource' } }]);
  });
});

test('max_clicks is honoured to the click, also when clicks come at once', async ({ client }) => {
  await client.shorten({ long_url: url, custom_hash: 'abc', max_clicks: 5 });
  const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await client.visit('/abc')).status));
  expect(statuses.filter((status) => status === 303)).toHaveLength(5);
  expect((await client.call('GET', '/stats/abc')).body.stats[0]?.total_clicks).toBe(5);
  expect((await client.visit('/abc')).status).toBe(410);
  await client.call('DELETE', '/stats/abc');
  expect((await client.visit('/abc')).status).toBe(303);
});

test('each domain has its links, distinguished by Host', async ({ start }) => {
  const client = await start({ domains: [{ name: 'one.example' }, { name: 'two.example:8080' }], redirectCode: '301' });
  await client.shorten({ long_url: 'https://example.com/1', custom_hash: 'same' });
  await client.call('POST', '/urls?domain=two.example:8080', {
    urls: [{ long_url: 'https://example.com/2', custom_hash: 'same' }],
  });
  const visit = (host: string, path: string) => visitHost(client.service.port, host, path);
  for (const host of ['one.example', 'ONE.example:1234', '127.0.0.1', '[::1]:8080', 'localhost']) {
    expect([host, await visit(host, '/same')]).toEqual([host, [301, 'https://example.com/1']]);
  }
  for (const host of ['two.example:8080', 'two.example.']) {
    expect([host, await visit(host, '/same')]).toEqual([host, [301, 'https://example.com/2']]);
  }
  expect(await visit('three.example', '/same')).toEqual([404, undefined]);
  expect(await visit('two.example:8080', '/')).toEqual([200, undefined]);
});

test('an internationalized domain is found by either form in Host', async ({ start }) => {
  const client = await start({ domains: [{ name: 'one.example' }, { name: 'kürz.example' }] });
  await client.call('POST', '/urls?domain=xn--krz-hoa.example', { urls: [{ long_url: url, custom_hash: 'abc' }] });
  expect(await visitHost(client.service.port, 'XN--krz-hoa.example', '/abc')).toEqual([303, url]);
});

/** fetch does not let a Host be set. */
function visitHost(port: number, host: string, path: string): Promise<[number | undefined, string | undefined]> {
  return new Promise((resolve, reject) => {
    const sending = request({ port, path, host: '127.0.0.1', headers: { host } }, (response) => {
      response.resume();
      response.on('end', () => resolve([response.statusCode, response.headers.location]));
    });
    sending.on('error', reject);
    sending.end();
  });
}
