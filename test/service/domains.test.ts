import { describe, expect } from 'vitest';
import { rawExchange } from './raw-exchange.ts';
import { type Client, test } from './running-service.ts';

const url = 'https://example.com/';
const domains = [{ name: 'one.example' }, { name: 'two.example', useHttps: true }];

describe('edition A', () => {
  test('2.6: GET /domains lists version and domains, the default first', async ({ start }) => {
    const client = await start({ domains: [{ name: 'One.Example' }, { name: 'two.example', useHttps: true }] });
    const { body } = await client.call('GET', '/domains');
    expect(body.version).toBe('3.1');
    const pages = { custom_root_page: '', custom_404_page: '' };
    const common = { hash_character_set: 'restricted', hash_generation: 'random', redirect_code: '303', ...pages };
    expect(body.domains).toEqual([
      { ...common, domain: 'one.example', status: 'default', use_https: false },
      { ...common, domain: 'two.example', status: 'active', use_https: true },
    ]);
  });

  test('4.1.7: calls act on the default domain, or on the one that is named', async ({ start }) => {
    const client = await start({ domains });
    const make = (query: string, note: string) =>
      client.call('POST', `/urls${query}`, { urls: [{ long_url: url, custom_hash: 'same', note }] });
    expect((await make('', 'default')).body.urls[0]?.short_url).toBe('one.example/same');
    const second = (await make('?domain=two.example', 'other')).body.urls[0];
    expect([second?.short_url, second?.short_url_with_protocol]).toEqual(['two.example/same', 'https://two.example/same']);
    const read = async (query: string) => (await client.call('GET', `/urls/same${query}`)).body.urls[0]?.note;
    expect(await read('')).toBe('default');
    expect(await read('?domain=one.example')).toBe('default');
    expect(await read('?domain=TWO.example')).toBe('other');
    expect((await client.call('GET', '/urls?domain=two.example')).body.page.total_count).toBe(1);
    expect((await client.call('GET', '/urls?hashes=same&domain=two.example')).body.urls[0]?.note).toBe('other');
  });

  test('4.1.7: this machine’s own domain goes by the port of any day', async ({ start }) => {
    const client = await start({ linksPort: 'own' });
    const named = await client.call('POST', '/urls?domain=localhost:1', { urls: [{ long_url: url, custom_hash: 'one' }] });
    expect(named.body.urls[0]?.short_url).toMatch(/^localhost:\d{4,5}\/one$/);
    expect((await client.call('GET', '/urls/one?domain=localhost')).body.urls[0]?.long_url).toBe(url);
  });

  test('4.1.7: editing, resetting and deleting leave the namesake in another domain alone', async ({ start }) => {
    const client = await start({ domains });
    for (const domain of ['one.example', 'two.example']) {
      await client.call('POST', `/urls?domain=${domain}`, { urls: [{ long_url: url, custom_hash: 'same' }] });
    }
    await client.visit('/same');
    const inSecond = '?domain=two.example';
    await client.call('PATCH', `/urls/same${inSecond}`, { urls: [{ note: 'single' }] });
    await client.call('PATCH', `/urls${inSecond}&hashes=same`, { urls: [{ email_stats: true }] });
    await client.call('PATCH', `/urls${inSecond}`, { urls: [{ hash: 'same', expiration_date: '2030-01-01' }] });
    await client.call('DELETE', `/stats/same${inSecond}`);
    const first = (await client.call('GET', '/urls/same')).body.urls[0];
    expect(first).toMatchObject({ note: '', email_stats: false, expiration_date: null, total_clicks: 1 });
    const second = (await client.call('GET', `/urls/same${inSecond}`)).body.urls[0];
    expect(second).toMatchObject({ note: 'single', email_stats: true, expiration_date: '2030-01-01' });
    await client.call('DELETE', `/urls/same${inSecond}`);
    expect(await client.hashes()).toEqual(['same']);
    expect(await client.hashes(inSecond)).toEqual([]);
  });

  test('4.1.7: a call in an unknown domain is 1313', async ({ client }) => {
    for (const [method, path, payload] of [
      ['GET', '/urls', undefined],
      ['GET', '/urls/a', undefined],
      ['GET', '/urls?hashes=a', undefined],
      ['POST', '/urls', { urls: [{ long_url: url }] }],
      ['PATCH', '/urls/a', { urls: [{ note: 'x' }] }],
      ['PATCH', '/urls?hashes=a', { urls: [{ note: 'x' }] }],
      ['PATCH', '/urls', { urls: [{ hash: 'a', note: 'x' }] }],
      ['DELETE', '/urls/a', undefined],
      ['DELETE', '/urls?hashes=a', undefined],
      ['GET', '/stats/a', undefined],
      ['DELETE', '/stats/a', undefined],
      ['DELETE', '/stats?hashes=a', undefined],
    ] as const) {
      const query = path.includes('?') ? '&' : '?';
      const { status, body } = await client.call(method, `${path}${query}domain=nosuch.example`, payload);
      const refusal = { error: { code: 1313, message: 'Domain not found' } };
      expect([method, path, status, body]).toEqual([method, path, 404, refusal]);
    }
  });

  test('4.1.7: with tags, domain is ignored and all domains are meant', async ({ start }) => {
    const client = await start({ domains });
    for (const domain of ['one.example', 'two.example']) {
      await client.call('POST', `/urls?domain=${domain}`, { urls: [{ long_url: url, custom_hash: 'same', tags: ['t'] }] });
    }
    for (const query of ['?tags=t', '?tags=t&domain=one.example', '?tags=t&domain=nosuch.example']) {
      const { body } = await client.call('GET', `/urls${query}`);
      expect(body.urls.map((item) => item.short_url)).toEqual(['two.example/same', 'one.example/same']);
    }
    await client.call('PATCH', '/urls?tags=t&domain=one.example', { urls: [{ note: 'both' }] });
    expect((await client.call('GET', '/urls/same?domain=two.example')).body.urls[0]?.note).toBe('both');
  });

  test('4.3.3: with "domain" the check covers the working domain, otherwise all domains of the account', async ({ start }) => {
    const client = await start({ domains });
    await client.call('POST', '/urls?domain=two.example', { urls: [{ long_url: url, custom_hash: 'there' }] });
    const shorten = async (scope: string) => {
      const { body } = await client.call('POST', `/urls?disable_long_url_duplicates=${scope}`, { urls: [{ long_url: url }] });
      return body.urls.map((item) => item.short_url.split('/')[0]);
    };
    expect(await shorten('account')).toEqual(['two.example']);
    expect(await shorten('domain')).toEqual(['one.example']);
    expect(await shorten('domain')).toEqual(['one.example']);
    expect(await shorten('account')).toEqual(['two.example', 'one.example']);
  });

  test('RFC 3490: an internationalized domain is known in both forms and answered in ASCII', async ({ start }) => {
    const client = await start({ domains: [{ name: 'one.example' }, { name: 'kürz.example' }] });
    for (const name of ['kürz.example', 'KÜRZ.example', 'xn--krz-hoa.example']) {
      const { body } = await client.call('POST', `/urls?domain=${encodeURIComponent(name)}`, { urls: [{ long_url: url }] });
      expect(body.urls[0]?.short_url).toMatch(/^xn--krz-hoa\.example\//);
    }
  });

  test('domains given at another start go first, and stored ones stay usable', async ({ start, folder }) => {
    const before = await start({ data: folder, domains });
    await before.call('POST', '/urls?domain=two.example', { urls: [{ long_url: url, custom_hash: 'kept' }] });
    await before.service.close();
    const after = await start({ data: folder, domains: [{ name: 'new.example' }, { name: 'two.example' }] });
    expect(after.service.domains).toEqual(['new.example', 'two.example', 'one.example']);
    expect(await after.hashes('?domain=two.example')).toEqual(['kept']);
    expect((await after.call('GET', '/domains')).body.domains[1]).toMatchObject({ domain: 'two.example', use_https: true });
    await after.service.close();
    const without = await start({ data: folder });
    expect(without.service.domains).toEqual(['new.example', 'two.example', 'one.example']);
  });
});

describe('edition B', () => {
  const inB = test.extend({ edition: 'b' });

  inB("2.2: the one domain is the account's custom_domain; another name is a new name for it", async ({ start, folder }) => {
    const before = await start({ data: folder, domains: [{ name: 'old.example' }] });
    await before.shorten({ long_url: url, custom_hash: 'kept' });
    expect((await before.call('GET', '/account')).body.account.custom_domain).toBe('old.example');
    await before.service.close();
    const after = await start({ data: folder, domains: [{ name: 'new.example' }] });
    expect((await after.call('GET', '/urls')).body.urls.map((item) => item.short_url)).toEqual(['new.example/kept']);
  });

  inB('E47: links that were printed with a former host go on working, and are named at the start', async ({ start, folder }) => {
    const before = await start({ data: folder, domains: [{ name: 'old.example' }] });
    await before.shorten({ long_url: url, custom_hash: 'kept' });
    expect(before.service.formerDomains).toEqual([]);
    await before.service.close();
    const visits = async (client: Client) => {
      const hosts = ['old.example', 'new.example', '127.0.0.1', 'other.example'];
      const visit = (host: string) => `GET /kept HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      return Promise.all(hosts.map(async (host) => (await rawExchange(client.service.port, visit(host))).status));
    };
    // The host may come back, too.
    const names = ['new', 'new', 'old', 'new'].map((name) => `${name}.example`);
    for (const name of names) {
      const after = await start({ data: folder, domains: [{ name }] });
      const former = name === 'new.example' ? 'old.example' : 'new.example';
      expect([after.service.domains, after.service.formerDomains]).toEqual([[name], [{ name: former, links: 1 }]]);
      expect(await visits(after)).toEqual([303, 303, 303, 404]);
      expect((await after.call('GET', '/account')).body.account.custom_domain).toBe(name);
      expect((await after.call('GET', '/urls')).body.urls.map((item) => item.short_url)).toEqual([`${name}/kept`]);
      await after.service.close();
    }
  });

  inB('several domains are refused', async ({ start }) => {
    await expect(start({ domains })).rejects.toThrow('edition B has one domain');
  });
});

test.for(['', 'a b', 'http://x.example', 'x.example/path', 'user@x.example'])(
  '%j is refused as a domain',
  async (name, { start }) => {
    await expect(start({ domains: [{ name }] })).rejects.toThrow('is not a domain name');
  },
);
