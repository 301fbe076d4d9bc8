import { expect } from 'vitest';
import { inBothEditions, many, test } from './running-service.ts';

const url = 'https://example.com/a?b=c#d';

inBothEditions((test, edition) => {
  const bound = edition === 'a' ? 1000 : 500;
  const dedupe = `?disable_long_url_duplicates=${edition === 'a' ? 'account' : '1'}`;

  test('4.3.1, FIELD-NOTES 3: items fail alone, echo what was submitted, and the call is HTTP 200 with code 0', async ({
    client,
  }) => {
    await client.shorten({ long_url: url, custom_hash: 'taken' });
    const { status, body } = await client.call('POST', '/urls', {
      urls: [{ long_url: url }, { long_url: url, custom_hash: 'taken' }, { long_url: 'nonsense', custom_hash: 'x' }],
    });
    expect([status, body.error]).toEqual([200, { code: 0, message: '' }]);
    expect(body.urls[0]).toMatchObject({ long_url: url, error: { code: 0, message: '' } });
    expect(body.urls[1]).toEqual({
      long_url: url,
      custom_hash: 'taken',
      error: { code: 1215, message: 'Short URL is not correct or existed', details: 'custom hash is already in use' },
    });
    expect(body.urls[2]).toMatchObject({ long_url: 'nonsense', custom_hash: 'x', error: { code: 1206 } });
    expect(body).not.toHaveProperty('page');
  });

  test('4.3.1: a failed item echoes numbers and other values as submitted, except lists and objects', async ({ client }) => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const wrong = `{"long_url":${JSON.stringify(url)},"custom_hash":${deep}}`;
    const { body } = await client.call(
      'POST',
      '/urls',
      `{"urls":[{"long_url":${JSON.stringify(url)},"custom_hash":12345},{"long_url":77,"custom_hash":false},{"long_url":null},${wrong}]}`,
    );
    expect(body.error.code).toBe(0);
    expect(body.urls).toEqual([
      { long_url: url, custom_hash: 12345, error: expect.objectContaining({ code: 1204 }) },
      { long_url: 77, custom_hash: false, error: expect.objectContaining({ code: 1206 }) },
      { long_url: null, error: expect.objectContaining({ code: 1305 }) },
      { long_url: url, error: expect.objectContaining({ code: 1204 }) },
    ]);
  });

  test('4.3.1: a batch in which every item fails is HTTP 200 with code 0 too', async ({ client }) => {
    const { status, body } = await client.call('POST', '/urls', { urls: [{ note: 'no address' }] });
    expect([status, body.error.code, body.urls[0]?.error?.code]).toEqual([200, 0, 1305]);
  });

  test('E26: the length of a note and of a label is counted in characters, an emoji as one', async ({ client }) => {
    const emoji = (count: number): string => '😀'.repeat(count);
    const { body } = await client.call('POST', '/urls', {
      urls: [255, 256].flatMap((count) => [
        { long_url: url, note: emoji(count) },
        { long_url: url, tags: [emoji(count)] },
      ]),
    });
    expect(body.urls.map((item) => item.error?.code)).toEqual([0, 0, 1305, 1311]);
    expect(body.urls[0]?.note).toBe(emoji(255));
  });

  test('4.3.2: without the parameter, one long URL can have several short links', async ({ client }) => {
    const items = await client.shorten({ long_url: url }, { long_url: url });
    expect(new Set(items.map((item) => item.hash)).size).toBe(2);
  });

  test('4.3.3: with the parameter, all existing records of a long URL are returned and none is made', async ({ client }) => {
    const made = await client.shorten({ long_url: url }, { long_url: url }, { long_url: `${url}e` });
    const { body } = await client.call('POST', `/urls${dedupe}`, { urls: [{ long_url: url, note: 'new' }] });
    expect(body.urls.map((item) => item.hash)).toEqual(made.slice(0, 2).map((item) => item.hash));
    expect(body.urls[0]?.note).toBe('');
    expect(await client.hashes()).toHaveLength(3);
  });

  test('4.3.3: the second of two equal items in one batch returns what the first made', async ({ client }) => {
    const { body } = await client.call('POST', `/urls${dedupe}`, { urls: [{ long_url: url }, { long_url: url }] });
    expect(body.urls).toHaveLength(2);
    expect(body.urls[0]?.hash).toBe(body.urls[1]?.hash);
    expect(await client.hashes()).toHaveLength(1);
  });

  test('4.3.3: the items of one call share the bound of existing records, the oldest first, and each gets one', async ({
    client,
  }) => {
    const items = (count: number) => ({ urls: many(count, () => ({ long_url: url })) });
    for (let made = 0; made < 600; made += 300) await client.call('POST', '/urls', items(300));
    const existing = async (count: number): Promise<string[]> => {
      const { body } = await client.call('POST', `/urls${dedupe}`, items(count));
      return body.urls.map(({ hash }) => hash ?? '');
    };
    const [alone, two, all] = [await existing(1), await existing(2), await existing(bound)];
    expect([alone.length, two.length, all.length]).toEqual([Math.min(600, bound), bound, bound]);
    expect(two).toEqual([...alone.slice(0, bound / 2), ...alone.slice(0, bound / 2)]);
    expect(new Set(all)).toEqual(new Set(alone.slice(0, 1)));
  });

  test('4.3.3: the parameter counts as given whatever its value is, and with none', async ({ client }) => {
    const [made] = await client.shorten({ long_url: url });
    for (const query of ['?disable_long_url_duplicates', '?disable_long_url_duplicates=', '?disable_long_url_duplicates=1']) {
      const { body } = await client.call('POST', `/urls${query}`, { urls: [{ long_url: url }] });
      expect(body.urls.map((item) => item.hash)).toEqual([made?.hash]);
    }
  });

  test('4.3.4a: with the parameter, a custom hash that does not exist makes a new record', async ({ client }) => {
    await client.shorten({ long_url: url, custom_hash: 'old' });
    const { body } = await client.call('POST', `/urls${dedupe}`, { urls: [{ long_url: url, custom_hash: 'new' }] });
    expect(body.urls[0]).toMatchObject({ hash: 'new', error: { code: 0 } });
    expect(await client.hashes()).toEqual(['new', 'old']);
  });

  test('4.3.4b: a taken hash with the same address returns the existing record', async ({ client }) => {
    await client.shorten({ long_url: url, custom_hash: 'key', note: 'first' });
    const { body } = await client.call('POST', `/urls${dedupe}`, {
      urls: [{ long_url: url, custom_hash: 'key', note: 'second' }],
    });
    expect(body.urls).toHaveLength(1);
    expect(body.urls[0]).toMatchObject({ hash: 'key', note: 'first', error: { code: 0 } });
  });

  test('4.3.4c: a taken hash with another address is 1215 for that item', async ({ client }) => {
    await client.shorten({ long_url: url, custom_hash: 'key' });
    const { body } = await client.call('POST', `/urls${dedupe}`, {
      urls: [{ long_url: `${url}e`, custom_hash: 'key' }, { long_url: `${url}f` }],
    });
    expect(body.urls.map((item) => item.error?.code)).toEqual([1215, 0]);
  });

  test('4.3.4: without the parameter, a taken hash is 1215 even for the same address, also within one batch', async ({
    client,
  }) => {
    const items = await client.shorten({ long_url: url, custom_hash: 'key' }, { long_url: url, custom_hash: 'key' });
    expect(items.map((item) => item.error?.code)).toEqual([0, 1215]);
  });

  test('section 8: a batch of the bound is taken, one item more is 1221 and stores nothing', async ({ client }) => {
    const items = many(bound, (index) => ({ long_url: `https://example.com/${index}` }));
    const over = await client.call('POST', '/urls', { urls: [...items, ...items.slice(0, 1)] });
    expect([over.status, over.body]).toEqual([400, { error: { code: 1221, message: 'Exceeded limit of batch operation' } }]);
    expect(await client.hashes()).toEqual([]);
    const made = await client.shorten(...items);
    expect(made.map((item) => item.long_url)).toEqual(items.map((item) => item.long_url));
    expect(new Set(made.map((item) => item.hash)).size).toBe(bound);
  });

  test('section 8, FIELD-NOTES 21: the group bound is settable', async ({ start }) => {
    const client = await start({ limits: { maxBatch: 2 } });
    const { body } = await client.call('POST', '/urls', { urls: many(3, () => ({ long_url: url })) });
    expect(body.error.code).toBe(1221);
    expect((await client.call('GET', '/urls?hashes=a,b,c')).body.error.code).toBe(1221);
    expect((await client.call('DELETE', '/urls?hashes=a,b,c')).body.error.code).toBe(1221);
    expect((await client.call('DELETE', '/stats?hashes=a,b,c')).body.error.code).toBe(1221);
    expect((await client.call('PATCH', '/urls?hashes=a,b,c', { urls: [{ note: 'x' }] })).body.error.code).toBe(1221);
    expect((await client.call('PATCH', '/urls', { urls: many(3, () => ({ hash: 'a' })) })).body.error.code).toBe(1221);
  });

  test('FIELD-NOTES 20: items above the limit of URLs, or of the month, are 1220 and the others stand', async ({
    start,
    world,
  }) => {
    const client = await start({ limits: { maxUrls: 4, maxMonthUrls: 3 } });
    const codes = (items: readonly { error?: { code: number } }[]) => items.map((item) => item.error?.code);
    const batch = many(4, (index) => ({ long_url: `https://example.com/${index}`, custom_hash: `h${index}` }));
    expect(codes(await client.shorten(...batch))).toEqual([0, 0, 0, 1220]);
    await client.call('DELETE', '/urls/h0');
    expect(codes(await client.shorten({ long_url: url }))).toEqual([1220]);
    world.time = Date.UTC(2024, 5, 1);
    expect(codes(await client.shorten({ long_url: url }, { long_url: url }, { long_url: url }))).toEqual([0, 0, 1220]);
  });

  test('FIELD-NOTES 2, FIELD-NOTES 16: defaults of a record', async ({ client }) => {
    const [item] = await client.shorten({ long_url: url });
    expect(item).toMatchObject({
      note: '',
      email_stats: false,
      expiration_date: null,
      tags: [],
      total_clicks: 0,
      unique_clicks: 0,
    });
    expect(item?.max_clicks).toBe(edition === 'a' ? 0 : undefined);
    expect(item?.short_url).toBe(`localhost/${item?.hash}`);
    expect(item?.short_url_with_protocol).toBe(`http://localhost/${item?.hash}`);
    expect(item?.links).toHaveProperty('qr_small');
    expect(item?.links).toHaveProperty('qr_big');
  });

  test('FIELD-NOTES 16: max_clicks is a field of edition A alone', async ({ client }) => {
    const [item] = await client.shorten({ long_url: url, max_clicks: 7 });
    expect(item?.max_clicks).toBe(edition === 'a' ? 7 : undefined);
  });

  test('FIELD-NOTES 11: an empty custom hash means: generate one', async ({ client }) => {
    const [item] = await client.shorten({ long_url: url, custom_hash: '' });
    expect(item?.hash).toMatch(/^[2-9a-zA-Z]{6}$/);
  });

  test('FIELD-NOTES 17: hashes are case-sensitive', async ({ client }) => {
    const items = await client.shorten({ long_url: url, custom_hash: 'News' }, { long_url: url, custom_hash: 'news' });
    expect(items.map((item) => item.hash)).toEqual(['News', 'news']);
  });

  test('FIELD-NOTES 18: a deleted hash may be used again, with clean counters', async ({ client }) => {
    await client.shorten({ long_url: url, custom_hash: 'again', tags: ['t'] });
    await client.visit('/again');
    await client.call('DELETE', '/urls/again');
    const [item] = await client.shorten({ long_url: url, custom_hash: 'again' });
    expect(item).toMatchObject({ hash: 'again', total_clicks: 0, unique_clicks: 0, tags: [], error: { code: 0 } });
    await client.visit('/again');
    expect((await client.call('GET', '/stats/again')).body.stats[0]?.unique_clicks).toBe(1);
  });

  test('2.5: labels of one item that differ in case only are one tag, spelled as first written', async ({ client }) => {
    await client.shorten({ long_url: url, tags: ['News'] });
    const [item] = await client.shorten({ long_url: url, tags: ['NEWS', 'news', 'Ä', 'A\u0308'] });
    expect(item?.tags).toEqual(['News', 'Ä']);
  });

  test('a generated hash never takes the custom hash of a later item of its batch', async ({ start }) => {
    // Each draw is one symbol over and over, and the next draw the symbol after it.
    let draws = 0;
    const client = await start({ random: (size) => new Uint8Array(size).fill(draws++) });
    const [free] = await client.shorten({ long_url: url });
    const items = await client.shorten(
      { long_url: url },
      { long_url: url, custom_hash: '444444' },
      { long_url: url, custom_hash: '555555' },
    );
    expect(free?.hash).toBe('333333');
    expect(items.map((item) => item.hash)).toEqual(['666666', '444444', '555555']);
  });

  test('a generated hash never takes the hash of a stored link', async ({ start }) => {
    let draws = 0;
    const client = await start({ random: (size) => new Uint8Array(size).fill(draws++) });
    await client.shorten({ long_url: url, custom_hash: '333333' });
    const [item] = await client.shorten({ long_url: url });
    expect(item?.hash).toBe('444444');
  });
});

test('E35: no link is led to the short URLs on localhost:8787, by any name of this machine', async ({ start }) => {
  const client = await start({ domains: [{ name: 'localhost:8787' }] });
  await client.shorten({ long_url: url, custom_hash: 'one' });
  for (const [long_url, code] of [
    ['http://localhost:8787/x', 1216],
    ['https://LOCALHOST:8787/', 1216],
    ['http://127.0.0.1:8787/x', 1216],
    ['http://[::1]:8787/x', 1216],
    ['http://localhost:3000/x', 0],
    ['http://localhost/x', 0],
    ['http://127.0.0.1/x', 0],
  ]) {
    const [made] = await client.shorten({ long_url });
    const { body } = await client.call('PATCH', '/urls/one', { urls: [{ long_url }] });
    expect([long_url, made?.error?.code, body.urls[0]?.error?.code]).toEqual([long_url, code, code]);
  }
});

test('E35: no link is led to the port of this process, whatever its domains are', async ({ start }) => {
  const client = await start({ domains: [{ name: 's.ex' }, { name: 'ü.ex:9000' }], linksPort: 'own' });
  const { port } = client.service;
  const names = ['127.0.0.1', '127.1', 'LOCALHOST', '[::1]', '0.0.0.0', '[::]', '[::ffff:127.0.0.1]', '[::ffff:0.0.0.0]'];
  for (const name of [...names, 'S.ex', 'ü.ex']) {
    const codeOf = async (at: number) => (await client.shorten({ long_url: `http://${name}:${at}/x` }))[0]?.error?.code;
    expect([name, await codeOf(port), await codeOf(port === 3000 ? 3001 : 3000)]).toEqual([name, 1216, 0]);
  }
});

test('each field of an item is accepted, or refused with its code', async ({ start }) => {
  const rows: readonly (readonly [item: object, code: number])[] = [
    [{ long_url: 'a:b' }, 1206],
    [{ long_url: 'https://' }, 1206],
    [{ long_url: 'https://example.com/a b' }, 1206],
    [{ long_url: 'https://example.com/\n' }, 1206],
    [{ long_url: '\u0000https://example.com/' }, 1206],
    [{ long_url: 'example/path' }, 1206],
    [{ long_url: 42 }, 1206],
    [{ long_url: `https://example.com/${'x'.repeat(2029)}` }, 1206],
    [{ long_url: `https://example.com/${'x'.repeat(2028)}` }, 0],
    [{ long_url: 'https://bücher.example/ä' }, 0],
    [{ long_url: 'http://[::1]:8080/' }, 0],
    [{ long_url: 'javascript:alert(1)' }, 1216],
    [{ long_url: 'ftp://example.com/' }, 1216],
    [{ long_url: 'https://go.example/x' }, 1216],
    [{ long_url: 'https://GO.example/x' }, 1216],
    [{ long_url: 'https://www.go.example/x' }, 0],
    [{}, 1305],
    [{ long_url: null }, 1305],
    [{ long_url: url, custom_hash: 'a b' }, 1204],
    [{ long_url: url, custom_hash: 'a/b' }, 1204],
    [{ long_url: url, custom_hash: '..' }, 1204],
    [{ long_url: url, custom_hash: 7 }, 1204],
    [{ long_url: url, custom_hash: 'x'.repeat(26) }, 1204],
    [{ long_url: url, custom_hash: 'x'.repeat(25) }, 0],
    [{ long_url: url, custom_hash: 'A_b-9' }, 0],
    [{ long_url: url, custom_hash: null }, 0],
    [{ long_url: url, note: 'x'.repeat(256) }, 1305],
    [{ long_url: url, note: `${'x'.repeat(253)}\n😀`.slice(0, 255) }, 1305],
    [{ long_url: url, note: 'x'.repeat(255) }, 0],
    [{ long_url: url, note: 'nul \u0000' }, 1305],
    [{ long_url: url, note: 7 }, 1305],
    [{ long_url: url, note: null }, 0],
    [{ long_url: url, email_stats: 'perhaps' }, 1305],
    [{ long_url: url, email_stats: 'false' }, 0],
    [{ long_url: url, expiration_date: '2024-02-30' }, 1312],
    [{ long_url: url, expiration_date: '01/02/2024' }, 1312],
    [{ long_url: url, expiration_date: 20240201 }, 1312],
    [{ long_url: url, expiration_date: '2024-02-29' }, 0],
    [{ long_url: url, expiration_date: null }, 0],
    [{ long_url: url, max_clicks: -1 }, 1305],
    [{ long_url: url, max_clicks: 1.5 }, 1305],
    [{ long_url: url, max_clicks: '12' }, 0],
    [{ long_url: url, tags: [''] }, 1311],
    [{ long_url: url, tags: ['\t'] }, 1311],
    [{ long_url: url, tags: ['x'.repeat(256)] }, 1311],
    [{ long_url: url, tags: [1] }, 1311],
    [{ long_url: url, tags: {} }, 1311],
    [{ long_url: url, tags: 'one' }, 0],
    [{ long_url: url, surprise: true }, 0],
  ];
  const client = await start({ domains: [{ name: 'go.example' }] });
  const made = await client.shorten(...rows.map(([item]) => item));
  expect(made.map(({ error }, index) => [rows[index]?.[0], error?.code])).toEqual(rows);
});
