import { describe, expect } from 'vitest';
import { inBothEditions, many, test } from './running-service.ts';

const url = 'https://example.com/';

inBothEditions((test, edition) => {
  const bound = edition === 'a' ? 1000 : 500;

  test('4.2: DELETE removes one URL, or several, and answers with the error object alone', async ({ client }) => {
    await client.shorten(...['a', 'b', 'c', 'd'].map((hash) => ({ long_url: url, custom_hash: hash, tags: ['t'] })));
    const one = await client.call('DELETE', '/urls/a');
    expect(one.body).toEqual({ error: { code: 0, message: '' }, version: '3.1' });
    await client.call('DELETE', '/urls?hashes=b,c,b');
    expect(await client.hashes()).toEqual(['d']);
    expect(await client.hashes('?tags=t')).toEqual(['d']);
    expect((await client.call('GET', '/account')).body.account.counters.urls?.count).toBe(1);
  });

  test('4.2: an unknown hash in a group is 1306 and nothing is done', async ({ client }) => {
    await client.shorten({ long_url: url, custom_hash: 'a' });
    await client.visit('/a');
    expect((await client.call('DELETE', '/urls?hashes=a,nosuch')).body.error.code).toBe(1306);
    expect((await client.call('DELETE', '/stats?hashes=a,nosuch')).body.error.code).toBe(1306);
    expect((await client.call('DELETE', '/urls/nosuch')).body.error.code).toBe(1306);
    expect((await client.call('DELETE', '/stats/nosuch')).body.error.code).toBe(1306);
    expect((await client.call('GET', '/stats/a')).body.stats[0]?.total_clicks).toBe(1);
  });

  test('4.3.10: groups that list hashes are bounded, groups by tags are not', async ({ client }) => {
    const items = many(bound, (index) => ({ long_url: url, custom_hash: `h${index}`, tags: ['t'] }));
    await client.shorten(...items);
    await client.shorten({ long_url: url, custom_hash: 'more', tags: ['t'] }, { long_url: url, custom_hash: 'other' });
    const hashes = `${items.map((item) => item.custom_hash).join()},more`;
    for (const [method, path, payload] of [
      ['DELETE', '/urls', undefined],
      ['DELETE', '/stats', undefined],
      ['GET', '/urls', undefined],
      ['PATCH', '/urls', { urls: [{ note: 'x' }] }],
    ] as const) {
      expect((await client.call(method, `${path}?hashes=${hashes}`, payload)).body.error.code).toBe(1221);
    }
    expect((await client.call('PATCH', '/urls?tags=t', { urls: [{ note: 'all' }] })).body.error.code).toBe(0);
    expect((await client.call('GET', '/urls?search=all&limit=1')).body.page.total_count).toBe(bound + 1);
    expect((await client.call('DELETE', '/urls?tags=t')).body.error.code).toBe(0);
    expect(await client.hashes()).toEqual(['other']);
  });

  test('4.3.9: DELETE by a complement removes all others, and by what matches nothing, nothing', async ({ client }) => {
    await client.shorten({ long_url: url, custom_hash: 'in', tags: ['t'] }, { long_url: url, custom_hash: 'out' });
    expect((await client.call('DELETE', '/urls?tags=nosuch')).body.error.code).toBe(0);
    await client.call('DELETE', '/urls?tags=~t');
    expect(await client.hashes()).toEqual(['in']);
  });

  test.for(['~""', '-""', '~" "', ''])(
    'FIELD-NOTES 25: %j, which has no label, is 1305 and selects no link',
    async (text, { client }) => {
      await client.shorten({ long_url: url, custom_hash: 'a' });
      await client.visit('/a');
      const tags = encodeURIComponent(text);
      for (const [method, path, payload] of [
        ['GET', '/urls', undefined],
        ['PATCH', '/urls', { urls: [{ note: 'x' }] }],
        ['DELETE', '/stats', undefined],
        ['DELETE', '/urls', undefined],
      ] as const) {
        expect((await client.call(method, `${path}?tags=${tags}`, payload)).body.error.code, `${method} ${path}`).toBe(1305);
      }
      expect((await client.call('GET', '/urls/a')).body.urls).toMatchObject([{ note: '', total_clicks: 1 }]);
    },
  );

  test('4.2: stats are read, and reset for one, for several and by tags; then visitors are unique again', async ({ client }) => {
    await client.shorten(...['a', 'b', 'c'].map((hash) => ({ long_url: url, custom_hash: hash, tags: [`t${hash}`] })));
    const clicks = async () => {
      const { body } = await client.call('GET', '/urls?order_by=hash');
      return body.urls.map((item) => `${item.total_clicks}/${item.unique_clicks}`);
    };
    for (const hash of ['a', 'b', 'c'])
      for (const agent of ['x', 'x', 'y']) await client.visit(`/${hash}`, { 'user-agent': agent });
    expect(await clicks()).toEqual(['3/2', '3/2', '3/2']);
    expect((await client.call('GET', '/stats/a')).body.stats).toEqual([
      { hash: 'a', total_clicks: 3, unique_clicks: 2, daily_clicks: expect.any(Object) },
    ]);
    expect((await client.call('DELETE', '/stats/a')).body.error.code).toBe(0);
    expect(await clicks()).toEqual(['0/0', '3/2', '3/2']);
    await client.call('DELETE', '/stats?hashes=a,b');
    expect(await clicks()).toEqual(['0/0', '0/0', '3/2']);
    await client.call('DELETE', '/stats?tags=tc');
    expect(await clicks()).toEqual(['0/0', '0/0', '0/0']);
    await client.visit('/a', { 'user-agent': 'x' });
    expect(await clicks()).toEqual(['1/1', '0/0', '0/0']);
  });

  test('FIELD-NOTES 10: stats of an unknown hash are an empty list', async ({ client }) => {
    const { status, body } = await client.call('GET', '/stats/nosuch');
    expect([status, body.error.code, body.stats]).toEqual([200, 0, []]);
  });
});

describe('edition A', () => {
  test('4.1.7: DELETE with hashes acts on the named domain, with tags on all', async ({ start }) => {
    const client = await start({ domains: [{ name: 'one.example' }, { name: 'two.example' }] });
    for (const domain of ['one.example', 'two.example']) {
      await client.call('POST', `/urls?domain=${domain}`, { urls: [{ long_url: url, custom_hash: 'same', tags: ['t'] }] });
    }
    await client.call('DELETE', '/urls?hashes=same&domain=two.example');
    expect(await client.hashes('?domain=one.example')).toEqual(['same']);
    expect(await client.hashes('?domain=two.example')).toEqual([]);
    await client.call('POST', '/urls?domain=two.example', { urls: [{ long_url: url, custom_hash: 'same', tags: ['t'] }] });
    await client.call('DELETE', '/urls?tags=t&domain=nosuch.example');
    expect(await client.hashes('?tags=~nosuch')).toEqual([]);
  });
});
