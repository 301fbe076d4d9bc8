import { expect } from 'vitest';
import { username } from './credentials.ts';
import { createUrl, isPostgres, openStore } from './engine.ts';
import { rawExchange } from './raw-exchange.ts';
import { type Client, inBothEditions, many, test } from './running-service.ts';

/** What visitors, clients and operators of a service ran into. */

const url = 'https://example.com/a';

const statusOf = async (client: Client, path: string, headers = {}, method = 'GET') =>
  (await client.visit(path, headers, method)).status;

test('E40: a limit that one process takes away is gone for the others, and a used-up link is gone for all', async ({
  start,
  folder,
}) => {
  const [one, other] = [await start({ data: folder }), await start({ data: folder })];
  await one.shorten({ long_url: url, custom_hash: 'abc', max_clicks: 5 }, { long_url: url, custom_hash: 'once', max_clicks: 1 });
  expect(await statusOf(other, '/abc')).toBe(303);
  await one.call('PATCH', '/urls/abc', { urls: [{ max_clicks: 0 }] });
  expect(await statusOf(other, '/abc')).toBe(303);
  expect(await statusOf(other, '/once', {}, 'HEAD')).toBe(200);
  expect(await statusOf(one, '/once')).toBe(303);
  const prefetch = { 'sec-purpose': 'prefetch' };
  for (const client of [one, other])
    expect([await statusOf(client, '/once', {}, 'HEAD'), await statusOf(client, '/once', prefetch)]).toEqual([410, 410]);
});

inBothEditions((test, edition) => {
  test('E41: what no record can hold is unknown, and leaves the rest of a batch alone', async ({ client }) => {
    await client.shorten({ long_url: url, custom_hash: 'abc', tags: ['t'] });
    const codeOf = async (method: string, path: string, payload?: object) =>
      (await client.call(method, path, payload)).body.error.code;
    for (const path of ['/urls/a%00b', '/stats/a%00b'])
      expect(await codeOf('GET', path)).toBe(path.startsWith('/urls') ? 1306 : 0);
    expect((await client.call('GET', '/urls?hashes=a%00b,abc')).body.urls.map(({ hash }) => hash)).toEqual(['abc']);
    for (const search of ['exa%00mple', 'exa%00', 'x'.repeat(60_000)])
      expect(await client.hashes(`?search=${search}`)).toEqual([]);
    expect(await client.hashes('?tags=t%00')).toEqual([]);
    expect(await client.hashes(`?tags=~${'t'.repeat(60_000)}`)).toEqual(['abc']);
    expect(await codeOf('GET', '/urls?tags=a%00&order_by=hash&search=x')).toBe(0);
    for (const path of ['/urls?hashes=abc,a%00b', '/urls/a%00', '/stats/a%00', '/stats?hashes=abc,a%00'])
      expect([path, await codeOf('DELETE', path)]).toEqual([path, 1306]);
    expect(await codeOf('PATCH', '/tags/a%00', { label: 'x' })).toBe(1309);
    expect(await codeOf('DELETE', '/tags/a%00')).toBe(1309);
    if (edition === 'a') expect(await codeOf('GET', '/urls?domain=a%00b')).toBe(1313);
    expect(await codeOf('PATCH', '/urls/a%00', { urls: [{ note: 'x' }] })).toBe(0);
    const edits = [
      { hash: 'a\0b', note: 'x' },
      { hash: 'abc', note: 'kept' },
    ];
    const { body } = await client.call('PATCH', '/urls', { urls: edits });
    expect(body.urls.map(({ error }) => error?.code)).toEqual([1306, 0]);
    expect((await client.call('GET', '/urls/abc')).body.urls[0]?.note).toBe('kept');
  });

  test('E53: tags of a link and fields of a form are bounded', async ({ client }) => {
    const tags = many(101, (index) => `t${index}`);
    await client.shorten({ long_url: url, custom_hash: 'abc', tags: tags.slice(1) });
    const made = await client.shorten({ long_url: url, custom_hash: 'more', tags });
    expect(made.map(({ error }) => error?.code)).toEqual([1311]);
    const edit = { urls: [{ tags: tags.map((label) => `+${label}`) }] };
    expect((await client.call('PATCH', '/urls/abc', edit)).body.urls[0]?.error?.code).toBe(1311);
    const form = new URLSearchParams(many(10_001, () => ['urls[0][tags][]', 'x'] as [string, string]));
    expect((await client.call('POST', '/urls', form)).body.error.code).toBe(1310);
  });

  test('E53: a link gets no more tags than that in several edits either, also not in those of one call', async ({ client }) => {
    const labels = (first: string) => many(60, (index) => `+${first}${index}`);
    await client.shorten({ long_url: url, custom_hash: 'abc', tags: ['old'] });
    const items = [{ tags: labels('a') }, { tags: labels('b') }, { tags: labels('A') }, { tags: ['-old', '+last'] }];
    const { body } = await client.call('PATCH', '/urls', { urls: items.map((item) => ({ hash: 'abc', ...item })) });
    expect(body.urls.map(({ error }) => [error?.code, error?.details])).toEqual([
      [0, ''],
      [1311, 'tags: more than 100'],
      [0, ''],
      [0, ''],
    ]);
    expect((await client.call('PATCH', '/urls?hashes=abc', { urls: [{ tags: labels('b') }] })).body.urls[0]?.error?.code).toBe(
      1311,
    );
    expect((await client.call('GET', '/urls/abc')).body.urls[0]?.tags).toHaveLength(61);
    expect((await client.call('GET', '/tags')).body.tags).toHaveLength(62);
    const more = { urls: [{ note: 'refused', tags: many(40, (index) => `+c${index}`) }] };
    expect((await client.call('PATCH', '/urls/abc', more)).body.urls[0]?.error?.code).toBe(1311);
    expect((await client.call('GET', '/urls/abc')).body.urls[0]?.note).toBe('');
    const most = { urls: [{ tags: many(39, (index) => `+c${index}`) }] };
    expect((await client.call('PATCH', '/urls/abc', most)).body.urls[0]?.tags).toHaveLength(100);
  });

  test('E54, FIELD-NOTES 29: a URL without a scheme is one of http', async ({ client }) => {
    const items = ['www.example.com/x', 'example.com', 'example.com:8080?a=b', 'bücher.example/ä'].map((long_url) => ({
      long_url,
    }));
    expect((await client.shorten(...items)).map((item) => item.long_url)).toEqual(
      items.map(({ long_url }) => `http://${long_url}`),
    );
    const refused = ['example', 'ann@example.com', '//example.com/', 'mailto:ann@example.com', 'localhost/x', 'a b.example'];
    const codes = (await client.shorten(...refused.map((long_url) => ({ long_url })))).map(({ error }) => error?.code);
    expect(codes).toEqual([1206, 1206, 1206, 1216, 1206, 1206]);
    const [edited] = (
      await client.call('PATCH', '/urls', { urls: [{ hash: (await client.hashes())[0], long_url: 'www.example.com' }] })
    ).body.urls;
    expect(edited?.long_url).toBe('http://www.example.com');
  });

  test('E55: only edition A has a log to link to', async ({ client }) => {
    const { links } = (await client.call('GET', '/account')).body.account;
    expect(Object.keys(links ?? {})).toEqual(edition === 'a' ? ['urls', 'stats', 'log'] : ['urls', 'stats']);
  });

  test('E59: an address is the same visitor in all its spellings, also IPv4 written as IPv6', async ({ start }) => {
    const client = await start({ trustedProxies: [{ address: '127.0.0.1', bits: 32 }] });
    await client.shorten({ long_url: url, custom_hash: 'abc' });
    for (const address of ['1.1.1.1', '::ffff:1.1.1.1', '::FFFF:101:101'])
      await client.visit('/abc', { 'x-forwarded-for': address });
    expect((await client.call('GET', '/stats/abc')).body.stats).toMatchObject([{ total_clicks: 3, unique_clicks: 1 }]);
    for (const address of ['2001:db8::1', '2001:DB8::1', '2001:db8:0:0::1'])
      await client.visit('/abc', { 'x-forwarded-for': address });
    expect((await client.call('GET', '/stats/abc')).body.stats).toMatchObject([{ total_clicks: 6, unique_clicks: 2 }]);
  });

  test('E60: what was there is 410, what was not 404, and both lead to the page for it where one is set', async ({
    start,
    world,
  }) => {
    const client = await start();
    await client.shorten({ long_url: url, custom_hash: 'old', expiration_date: '2024-05-15' });
    world.time += 86_400_000;
    const gone = await client.visit('/old');
    expect([gone.status, gone.headers.get('content-type'), await gone.text()]).toEqual([
      410,
      'text/plain; charset=utf-8',
      'this link has expired\n',
    ]);
    expect(await statusOf(client, '/nosuch')).toBe(404);
    const page = 'https://example.com/sorry';
    const other = await start({ notFoundUrl: page });
    await other.shorten({ long_url: url, custom_hash: 'old', expiration_date: '2024-05-15' });
    for (const path of ['/old', '/nosuch']) {
      const { status, headers } = await other.visit(path);
      expect([status, headers.get('location')]).toEqual([302, page]);
    }
    if (edition === 'a') expect((await other.call('GET', '/domains')).body.domains[0]?.custom_404_page).toBe(page);
  });
});

test('E60: a page for unknown links that is itself an unknown link is 404, and does not redirect to itself', async ({
  start,
}) => {
  const places = [
    ['s.ex', 'https://s.ex/sorry', ['s.ex', 'S.EX', '127.0.0.1:8787']],
    ['s.ex', 'https://s.ex/so%72ry/?from=1', ['s.ex']],
    ['localhost:8787', 'http://localhost:8787/sorry', ['localhost:8787', '127.0.0.1:8787']],
    ['s.ex', 'http://127.0.0.1:8787/sorry', ['127.0.0.1:8787']],
  ] as const;
  for (const [name, notFoundUrl, hosts] of places) {
    const { service } = await start({ domains: [{ name }], notFoundUrl });
    const visit = async (path: string, host: string) => {
      const text = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      return (await rawExchange(service.port, text)).status;
    };
    for (const host of hosts) {
      const statuses = await Promise.all(['/sorry', '/sorry/', '/nosuch', '/sorry.qr'].map((path) => visit(path, host)));
      expect([notFoundUrl, host, ...statuses]).toEqual([notFoundUrl, host, 404, 404, 302, 302]);
    }
  }
});

test('E60: a page for expired links that is an expired link is 410, and on another port of this machine it is a page', async ({
  start,
  world,
}) => {
  const domains = [{ name: 's.ex' }, { name: 'localhost:8787' }];
  const own = await start({ domains, notFoundUrl: 'https://s.ex/old' });
  await own.shorten({ long_url: url, custom_hash: 'old', expiration_date: '2024-05-15' });
  world.time += 86_400_000;
  expect([await statusOf(own, '/old'), await statusOf(own, '/nosuch')]).toEqual([410, 302]);
  const other = await start({ domains, notFoundUrl: 'http://localhost:9000/sorry' });
  expect(await statusOf(other, '/sorry')).toBe(302);
});

test('an account without links names the accounts of its store that have some, and one with links names none', async ({
  start,
  folder,
}) => {
  const others = async (settings: Parameters<typeof start>[0]) => {
    const { service } = await start({ data: folder, ...settings });
    return service.otherAccounts();
  };
  expect(await others({})).toEqual({ accounts: [] });
  const client = await start({ data: folder });
  await client.shorten({ long_url: url }, { long_url: url });
  const ada = { edition: 'a', username, links: 2 };
  expect(await others({ username: 'bob' })).toEqual({ accounts: [ada] });
  expect(await others({ edition: 'b' })).toEqual(isPostgres ? { accounts: [ada] } : { accounts: [], file: 'links-a.db' });
  const inB = await start({ data: folder, edition: 'b' });
  await inB.shorten({ long_url: url });
  const adaInB = { ...ada, edition: 'b', links: 1 };
  expect(await others({ username: 'bob', edition: 'b' })).toEqual(
    isPostgres ? { accounts: [ada, adaInB] } : { accounts: [adaInB], file: 'links-a.db' },
  );
  expect([await others({}), await others({ edition: 'b' })]).toEqual([{ accounts: [] }, { accounts: [] }]);
});

test('E53: a link that has more tags from before can be edited, and loses some of them', async ({ start, folder }) => {
  const store = await openStore(folder);
  await createUrl(
    store,
    0,
    many(150, (index) => `t${index}`),
  );
  await store.close();
  const client = await start({ data: folder });
  const edit = async (...tags: string[]): Promise<unknown> => {
    const [edited] = (await client.call('PATCH', '/urls/abc', { urls: [{ note: 'x', tags }] })).body.urls;
    return edited?.error?.code || edited?.tags?.length;
  };
  expect([await edit(), await edit('+T7'), await edit('-t1', '+u'), await edit('+v'), await edit('-t2')]).toEqual([
    150, 150, 150, 1311, 149,
  ]);
});

inBothEditions((test) => {
  test('E47: a process that is refused, for its address or its port, has changed no domain', async ({ start, folder }) => {
    const served = { data: folder, domains: [{ name: 's.ex' }], publicUrl: 'https://s.ex' };
    const client = await start(served);
    const mistyped = { data: folder, domains: [{ name: 'other.ex' }] };
    await expect(start({ ...mistyped, publicUrl: 'https://other.ex' })).rejects.toThrow(
      'another process serves the same links as https://s.ex',
    );
    await expect(start({ ...mistyped, port: client.service.port })).rejects.toThrow('EADDRINUSE');
    await expect(start({ ...mistyped, metricsPort: client.service.port })).rejects.toThrow('the port for health and metrics');
    expect((await start({ data: folder })).service.domains).toEqual(['s.ex']);
  });

  test('E47: a process that would change the scheme that another one prints is refused, and alone it is not', async ({
    start,
    folder,
  }) => {
    const first = await start({ data: folder, domains: [{ name: 'a.ex' }], linksPort: 'own' });
    const [link] = await first.shorten({ long_url: url, custom_hash: 'abc' });
    expect(link?.short_url_with_protocol).toBe('http://a.ex/abc');
    const other = {
      data: folder,
      domains: [{ name: 'a.ex', useHttps: true }],
      linksPort: 'own',
      publicUrl: 'https://a.ex',
    } as const;
    await expect(start(other)).rejects.toThrow(/^another process serves the same links as http:\/\/a\.ex$/);
    await (await start({ ...other, domains: [{ name: 'a.ex', useHttps: false }], publicUrl: 'http://a.ex' })).service.close();
    expect((await first.call('GET', '/urls/abc')).body.urls[0]?.short_url_with_protocol).toBe('http://a.ex/abc');
    await first.service.close();
    expect(await (await start(other)).call('GET', '/urls/abc')).toMatchObject({
      body: { urls: [{ short_url_with_protocol: 'https://a.ex/abc' }] },
    });
  });

  test('E47: of processes that start at once with other hosts one is refused, and the domain is that of the other', async ({
    start,
    folder,
  }) => {
    const hosts = ['one.ex', 'two.ex'];
    const started = await Promise.allSettled(
      hosts.map((name) => start({ data: folder, domains: [{ name }], publicUrl: `https://${name}` })),
    );
    const served = started.flatMap((each) => (each.status === 'fulfilled' ? each.value.service.domains : []));
    expect(served).toHaveLength(1);
    expect((await start({ data: folder })).service.domains).toEqual(served);
  });
});

test('E58: who only asks is not told where a link of few clicks leads', async ({ client }) => {
  await client.shorten({ long_url: url, custom_hash: 'once', max_clicks: 1 });
  const [head, prefetch] = [await client.visit('/once', {}, 'HEAD'), await client.visit('/once', { 'sec-purpose': 'prefetch' })];
  expect([head.status, prefetch.status]).toEqual([200, 403]);
  for (const answer of [head, prefetch]) expect([answer.headers.get('location'), await answer.text()]).not.toContain(url);
  expect((await client.visit('/once')).headers.get('location')).toBe(url);
  expect(await statusOf(client, '/once')).toBe(410);
});

inBothEditions((test) => {
  test('E52: visitors of long ago are forgotten, and what was counted stays', async ({ start, folder, world }) => {
    const visitors = { data: folder, visitorDays: 90 };
    const before = await start(visitors);
    await before.shorten({ long_url: url, custom_hash: 'abc' }, { long_url: url, custom_hash: 'other' });
    await before.visit('/abc');
    world.time += 60 * 86_400_000;
    await before.visit('/other');
    await before.service.close();
    world.time += 40 * 86_400_000;
    const after = await start(visitors);
    // Closing waits for what is forgotten at the start.
    await after.service.close();
    const client = await start(visitors);
    for (const path of ['/abc', '/other']) await client.visit(path);
    const counters = async (hash: string) => (await client.call('GET', `/stats/${hash}`)).body.stats[0];
    expect(await counters('abc')).toMatchObject({ total_clicks: 2, unique_clicks: 2 });
    expect(await counters('other')).toMatchObject({ total_clicks: 2, unique_clicks: 1 });
  });
});
