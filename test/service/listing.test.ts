import { describe, expect } from 'vitest';
import { inBothEditions, many, noon, test } from './running-service.ts';

const day = 86_400_000;

inBothEditions((test, edition) => {
  const batch = edition === 'a' ? 1000 : 500;

  test('2.8, 4.3.5: the newest batch comes first, and pages meet without gap or overlap', async ({ client, world }) => {
    const items = many(batch + 1, (index) => ({ long_url: `https://example.com/${index}`, custom_hash: `h${index}` }));
    await client.shorten(...items.slice(0, batch));
    world.time += 1;
    await client.shorten(...items.slice(batch));
    const newestFirst = items.map((item) => item.custom_hash).reverse();
    const first = await client.call('GET', '/urls');
    expect(first.body.urls.map((url) => url.hash)).toEqual(newestFirst.slice(0, batch));
    expect(first.body.page).toEqual({ results_count: batch, total_count: batch + 1, offset: 0 });
    const second = await client.call('GET', `/urls?offset=${batch}`);
    expect(second.body.urls.map((url) => url.hash)).toEqual(newestFirst.slice(batch));
    expect(second.body.page).toEqual({ results_count: 1, total_count: batch + 1, offset: batch });
    const past = await client.call('GET', `/urls?offset=${batch + 5}`);
    expect(past.body.page).toEqual({ results_count: 0, total_count: batch + 1, offset: batch + 5 });
  });

  test('2.8: beyond the last link a page is empty, however large the offset is', async ({ client }) => {
    await client.shorten({ long_url: 'https://example.com/', tags: ['t'] });
    for (const offset of [2 ** 31, Number.MAX_SAFE_INTEGER])
      for (const query of ['', '&tags=t', '&search=example', '&order_by=hash'])
        expect((await client.call('GET', `/urls?offset=${offset}${query}`)).body).toMatchObject({
          error: { code: 0 },
          urls: [],
          page: { results_count: 0, total_count: 1, offset },
        });
  });

  test('4.3.5: limit gives smaller pages, zero an empty one with its count, and the default batch is its bound', async ({
    client,
  }) => {
    await client.shorten(...many(batch, (index) => ({ long_url: `https://example.com/${index}` })));
    await client.shorten({ long_url: 'https://example.com/' });
    expect(await client.hashes('?limit=7&offset=3')).toHaveLength(7);
    expect(await client.hashes(`?limit=${batch + 500}`)).toHaveLength(batch);
    expect((await client.call('GET', '/urls?limit=0')).body.page).toEqual({
      results_count: 0,
      total_count: batch + 1,
      offset: 0,
    });
  });

  test('texts come back as they were sent, whatever they hold, and tags in the order of their labels', async ({ client }) => {
    const note = '"quoted" \\ {"a":[1]} \u0001\t\n\u007f\u2028 \ud83d\ude00';
    const tags = ['b "1"', 'A\\', '[]', '\u00e9t\u00e9', 'c'];
    await client.shorten(
      { long_url: 'https://example.com/?a="%5C', custom_hash: 'abc', note, tags },
      { long_url: 'https://example.com/' },
    );
    const { body } = await client.call('GET', '/urls?limit=2');
    const url = body.urls.find(({ hash }) => hash === 'abc');
    expect([url?.long_url, url?.note]).toEqual(['https://example.com/?a="%5C', note]);
    expect(url?.tags).toEqual(['[]', 'A\\', 'b "1"', 'c', '\u00e9t\u00e9']);
    expect(body.urls.find(({ hash }) => hash !== 'abc')?.tags).toEqual([]);
  });

  test('4.3.5: links made with the clock set back are still the newest', async ({ client, world }) => {
    await client.shorten({ long_url: 'https://example.com/', custom_hash: 'first' });
    world.time -= day;
    await client.shorten({ long_url: 'https://example.com/', custom_hash: 'second' });
    expect(await client.hashes()).toEqual(['second', 'first']);
  });

  test('4.3.5, FIELD-NOTES 14: order_by takes created, clicks, hash and modified', async ({ client, world }) => {
    for (const hash of ['b', 'c', 'a']) {
      await client.shorten({ long_url: 'https://example.com/', custom_hash: hash });
      world.time += 1000;
    }
    await client.visit('/c');
    await client.call('PATCH', '/urls/b', { urls: [{ note: 'touched' }] });
    expect(await client.hashes('?order_by=created')).toEqual(['a', 'c', 'b']);
    expect(await client.hashes('?order_by=clicks')).toEqual(['c', 'a', 'b']);
    expect(await client.hashes('?order_by=hash')).toEqual(['a', 'b', 'c']);
    expect(await client.hashes('?order_by=modified')).toEqual(['b', 'a', 'c']);
    expect(await client.hashes('?order_by=')).toEqual(['a', 'c', 'b']);
  });

  test('4.3.5, FIELD-NOTES 15: search looks at long_url, note and hash, and total_count counts the matches', async ({
    client,
  }) => {
    await client.shorten(
      { long_url: 'https://example.com/Shop', custom_hash: 'a' },
      { long_url: 'https://example.com/', custom_hash: 'b', note: '50% off in the shop' },
      { long_url: 'https://example.com/', custom_hash: 'my-shop_1' },
      { long_url: 'https://example.com/', custom_hash: 'd' },
    );
    expect(await client.hashes('?search=shop')).toEqual(['my-shop_1', 'b', 'a']);
    expect((await client.call('GET', '/urls?search=SHOP&limit=1')).body.page).toEqual({
      results_count: 1,
      total_count: 3,
      offset: 0,
    });
    expect(await client.hashes('?search=50%25')).toEqual(['b']);
    expect(await client.hashes('?search=%25')).toEqual(['b']);
    expect(await client.hashes('?search=shop_1')).toEqual(['my-shop_1']);
    expect(await client.hashes('?search=%5C')).toEqual([]);
    expect(await client.hashes('?search=')).toHaveLength(4);
  });

  test('4.3.6: hashes reads several URLs, in the order asked for, unknown and repeated ones left out', async ({ client }) => {
    await client.shorten(...['a', 'b', 'c'].map((hash) => ({ long_url: 'https://example.com/', custom_hash: hash })));
    const { body } = await client.call('GET', '/urls?hashes=c,nosuch,a,c');
    expect(body.urls.map((url) => url.hash)).toEqual(['c', 'a']);
    expect(body.page).toEqual({ results_count: 2, total_count: 2, offset: 0 });
    for (const url of body.urls) expect(Object.keys(url.links)).toEqual(['qr_small', 'qr_big']);
  });

  test('4.3.6: a whole group of the longest hashes fits into one call', async ({ client }) => {
    const hashes = many(batch, (index) => `${index}`.padStart(25, 'h'));
    await client.shorten(...hashes.map((hash) => ({ long_url: 'https://example.com/', custom_hash: hash })));
    expect(await client.hashes(`?hashes=${hashes.join('%2C')}`)).toEqual(hashes);
    expect((await client.call('GET', `/urls?hashes=${hashes.join()},x`)).body.error.code).toBe(1221);
  });

  test('4.3.9: tags replaces hashes, with operators and brackets', async ({ client }) => {
    await client.shorten(
      { long_url: 'https://example.com/', custom_hash: 'both', tags: ['Banana', 'boxed'] },
      { long_url: 'https://example.com/', custom_hash: 'one', tags: ['banana'] },
      { long_url: 'https://example.com/', custom_hash: 'none' },
    );
    const select = (tags: string) => client.hashes(`?tags=${encodeURIComponent(tags)}`);
    expect(await select('BANANA')).toEqual(['one', 'both']);
    expect(await select('banana&~boxed')).toEqual(['one']);
    expect(await select('~(banana|boxed)')).toEqual(['none']);
    expect(await select('nosuch')).toEqual([]);
    expect(await select('~nosuch')).toEqual(['none', 'one', 'both']);
    expect((await client.call('GET', '/urls?tags=~boxed&limit=1&offset=1')).body).toMatchObject({
      urls: [{ hash: 'one', tags: ['Banana'] }],
      page: { results_count: 1, total_count: 2, offset: 1 },
    });
    expect(await client.hashes('?tags=banana&search=one')).toEqual(['one']);
    expect(await client.hashes('?tags=~nosuch&search=o&order_by=hash')).toEqual(['both', 'none', 'one']);
  });

  test('FIELD-NOTES 24: visited, email_stats, domains and dates are automatic labels, also beside a tag of that name', async ({
    start,
    world,
  }) => {
    const client = await start({ domains: [{ name: 'go.example' }] });
    await client.shorten({ long_url: 'https://example.com/', custom_hash: 'old', email_stats: true });
    world.time = noon + day;
    await client.shorten({ long_url: 'https://example.com/', custom_hash: 'new' });
    await client.visit('/new');
    const select = (tags: string) => client.hashes(`?tags=${encodeURIComponent(tags)}`);
    expect(await select('visited')).toEqual(['new']);
    expect(await select('~visited')).toEqual(['old']);
    expect(await select('email_stats')).toEqual(['old']);
    expect(await select('go.example')).toEqual(['new', 'old']);
    expect(await select('>2024-05-15')).toEqual(['new']);
    expect(await select('>2024-05-14')).toEqual(['new', 'old']);
    expect(await select('<2024-05-16')).toEqual(['old']);
    expect(await select('<2024-05-15')).toEqual([]);
    for (const label of ['visited', 'email_stats', 'go.example']) await client.call('POST', '/tags', { label });
    expect(await select('visited')).toEqual(['new']);
    expect(await select('~visited')).toEqual(['old']);
    expect(await select('~visited&email_stats')).toEqual(['old']);
    expect(await select('~go.example')).toEqual([]);
    await client.call('PATCH', '/urls/new', { urls: [{ tags: ['+email_stats'] }] });
    expect(await select('email_stats')).toEqual(['new', 'old']);
    expect(await select('~email_stats|~visited')).toEqual(['old']);
    expect(await select('visited&email_stats')).toEqual(['new']);
  });

  test('FIELD-NOTES 8: GET /urls/[hash] is the envelope with a urls array of one record', async ({ client }) => {
    await client.shorten({ long_url: 'https://example.com/', custom_hash: 'abc', tags: ['t'] });
    const { body } = await client.call('GET', '/urls/abc');
    expect(body.urls).toHaveLength(1);
    expect(body.urls[0]).toMatchObject({ hash: 'abc', long_url: 'https://example.com/', tags: ['t'] });
    expect(body).not.toHaveProperty('page');
  });
});

describe('edition A', () => {
  test('2.3: list reads show last_visit, answers to shortening do not', async ({ client, world }) => {
    const [item] = await client.shorten({ long_url: 'https://example.com/', custom_hash: 'abc' });
    expect(item).not.toHaveProperty('last_visit');
    expect((await client.call('GET', '/urls')).body.urls[0]?.last_visit).toBe(null);
    world.time = Date.UTC(2024, 4, 16, 1, 2, 3);
    await client.visit('/abc');
    expect((await client.call('GET', '/urls')).body.urls[0]?.last_visit).toBe('2024-05-16 01:02:03');
  });
});
