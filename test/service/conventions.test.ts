import { once } from 'node:events';
import { type RequestOptions, request } from 'node:http';
import { connect } from 'node:net';
import { describe, expect } from 'vitest';
import { authorization, inBothEditions, test } from './running-service.ts';

inBothEditions((test, edition) => {
  test('4.1.2: POST takes JSON, a urlencoded form and a multipart form alike', async ({ client }) => {
    const expected = {
      long_url: 'https://example.com/ä?x=1&y=2',
      note: 'naïve, "quoted"',
      tags: ['one', 'two'],
      email_stats: true,
    };
    const entries: [string, string][] = [
      ['urls[0][long_url]', expected.long_url],
      ['urls[0][note]', expected.note],
      ['urls[0][tags][]', 'one'],
      ['urls[0][tags][]', 'two'],
      ['urls[0][email_stats]', '1'],
      ['urls[0][expiration_date]', ''],
    ];
    const multipart = new FormData();
    for (const [name, value] of entries) multipart.append(name, value);
    const answers = [
      await client.call('POST', '/urls', { urls: [expected] }),
      await client.call('POST', '/urls', new URLSearchParams(entries)),
      await client.call('POST', '/urls', multipart),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body.urls).toHaveLength(1);
      expect(body.urls[0]).toMatchObject({ ...expected, expiration_date: null, error: { code: 0 } });
    }
  });

  test('4.1.2: a form can hold several items, in any order, and indexed tags', async ({ client }) => {
    const { body } = await client.call(
      'POST',
      '/urls',
      new URLSearchParams(
        'urls[10][long_url]=https://b.example/&urls[2][long_url]=https://a.example/&urls[2][tags][0]=x&urls[2][tags][1]=y',
      ),
    );
    expect(body.urls.map((url) => [url.long_url, url.tags])).toEqual([
      ['https://a.example/', ['x', 'y']],
      ['https://b.example/', []],
    ]);
  });

  test('4.1.2: a multipart form that ends inside a file is 1305, and the service goes on', async ({ client }) => {
    const body = '--x\r\nContent-Disposition: form-data; name="label"; filename="f"\r\n\r\ncut';
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    expect((await client.call('POST', '/tags', body, headers)).body.error.code).toBe(1305);
    expect((await client.call('GET', '/tags')).body.tags).toEqual([]);
  });

  test('4.1.2: text that is not UTF-8 is 1305 in every encoding; a form can declare Latin-1', async ({ client }) => {
    const part = (type = '') => `--x\r\nContent-Disposition: form-data; name="label"\r\n${type}\r\ncaf\xe9\r\n--x--\r\n`;
    const [form, multipart] = ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'];
    const code = async (type: string, body: string) => {
      const headers = { 'content-type': type };
      return (await client.call('POST', '/tags', Buffer.from(body, 'latin1'), headers)).body.error.code;
    };
    expect(await code('application/json', '{"label":"caf\xe9"}')).toBe(1305);
    for (const type of [form, `${form}; charset=utf-8`, `${form}; charset=koi8-r`])
      for (const body of ['label=caf%E9', 'label=caf\xe9', 'lab%E9l=x&label=cafe']) expect(await code(type, body)).toBe(1305);
    expect(await code(multipart, part())).toBe(1305);
    expect(await code(multipart, part('Content-Type: text/plain; charset=utf-8\r\n'))).toBe(1305);
    expect((await client.call('GET', '/tags')).body.tags).toEqual([]);
    expect(await code(`${form}; charset=iso-8859-1`, 'label=caf%E9+1')).toBe(0);
    expect(await code(multipart, part('Content-Type: text/plain; charset=iso-8859-1\r\n'))).toBe(0);
    expect(await code(form, 'label=%EF%BF%BD')).toBe(0);
    expect(await code(multipart, part().replace('caf\xe9', '%E9\xef\xbf\xbd'))).toBe(0);
    const labels = (await client.call('GET', '/tags')).body.tags.map(({ label }) => label);
    expect(labels.sort()).toEqual(['%E9\uFFFD', 'café', 'café 1', '\uFFFD']);
  });

  test('4.1.2: /tags takes forms too', async ({ client }) => {
    const { body } = await client.call('POST', '/tags', new URLSearchParams({ label: 'Über & co' }));
    expect(body.tags).toEqual([{ label: 'Über & co' }]);
  });

  test('4.1.2: a form with __proto__ in its names changes nothing', async ({ client }) => {
    const { body } = await client.call(
      'POST',
      '/urls',
      new URLSearchParams('__proto__[polluted]=1&urls[0][__proto__][polluted]=1'),
    );
    expect(body.urls[0]?.error?.code).toBe(1305);
    expect('polluted' in {}).toBe(false);
  });

  test('4.1.3: X-HTTP-Method-Override turns a POST into PATCH or DELETE, with a form or with JSON', async ({ client }) => {
    await client.shorten({ long_url: 'https://example.com/', custom_hash: 'abc' });
    const patch = { 'x-http-method-override': 'PATCH' };
    const form = await client.call('POST', '/urls/abc', new URLSearchParams({ 'urls[0][note]': 'by form' }), patch);
    expect(form.body.urls[0]?.note).toBe('by form');
    const json = await client.call('POST', '/urls/abc', { urls: [{ note: 'by JSON' }] }, { 'X-HTTP-Method-Override': 'patch' });
    expect(json.body.urls[0]?.note).toBe('by JSON');
    const gone = await client.call('POST', '/urls/abc', undefined, { 'x-http-method-override': 'DELETE' });
    expect(gone.body.error.code).toBe(0);
    expect(await client.hashes()).toEqual([]);
  });

  test('4.1.3: only POST can be overridden', async ({ client }) => {
    await client.shorten({ long_url: 'https://example.com/', custom_hash: 'abc' });
    const { body } = await client.call('GET', '/urls/abc', undefined, { 'x-http-method-override': 'DELETE' });
    expect(body.urls).toHaveLength(1);
    expect(await client.hashes()).toEqual(['abc']);
  });

  test('4.1.4, 4.1.8: hashes may hold raw commas or %2C', async ({ client }) => {
    await client.shorten(
      { long_url: 'https://example.com/', custom_hash: 'a' },
      { long_url: 'https://example.com/', custom_hash: 'b' },
    );
    expect(await client.hashes('?hashes=a,b')).toEqual(['a', 'b']);
    expect(await client.hashes('?hashes=a%2Cb')).toEqual(['a', 'b']);
  });

  test('4.1.8, 4.3.9: links selected twice are 1305, and none is deleted', async ({ client }) => {
    for (const custom_hash of ['a', 'b']) await client.shorten({ long_url: 'https://example.com/', custom_hash });
    for (const selection of [
      'hashes=a&hashes=b',
      'tags=~x&tags=~y',
      ...(edition === 'a' ? ['hashes=a&domain=localhost&domain=t.ex'] : []),
    ]) {
      expect((await client.call('DELETE', `/urls?${selection}`)).body.error.code).toBe(1305);
    }
    expect(await client.hashes('?hashes=a,b')).toEqual(['a', 'b']);
  });

  test('4.1.5: every answer is application/json, refusals included, without CORS headers', async ({ client }) => {
    for (const path of ['/account', '/urls', '/nope', '/urls/unknown']) {
      const { headers } = await client.call('GET', path, undefined, { origin: 'https://evil.example' });
      expect(headers.get('content-type')).toBe('application/json');
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  test('4.1.6: date-times are UTC', async ({ start, world }) => {
    world.time = Date.UTC(2024, 11, 31, 23, 59, 59);
    const client = await start({ account: { expirationDate: '2025-01-01 00:00:00' } });
    expect((await client.call('GET', '/account')).body.account.account_expiration_date).toBe('2025-01-01 00:00:00');
    world.time += 1000;
    expect((await client.call('GET', '/account')).body.error.code).toBe(1217);
  });

  test('7.1: a call that fails as a whole answers its code and message and nothing else', async ({ client }) => {
    const { body } = await client.call('GET', '/urls/unknown');
    expect(body).toEqual({ error: { code: 1306, message: 'URL not found in DB' } });
  });

  test('2.1, 7.1, 7.5: what is wrong with a call as a whole has its HTTP status and its code', async ({ client }) => {
    for (const [method, path, payload, status, code] of [
      ['GET', '/urls/unknown', undefined, 404, 1306],
      ['GET', '/nope', undefined, 404, 1301],
      ['GET', '/urls/a/b', undefined, 404, 1301],
      ['GET', '/urls/%zz', undefined, 404, 1301],
      ['GET', '', undefined, 404, 1301],
      ['PUT', '/urls', undefined, 405, 1302],
      ['OPTIONS', '/urls', undefined, 405, 1302],
      ['PATCH', '/tags/unknown', { label: 'x' }, 404, 1309],
      ['POST', '/urls', 'no json', 400, 1305],
      ['POST', '/urls', '', 400, 1305],
      ['POST', '/urls', 'null', 400, 1305],
      ['POST', '/urls', { urls: [] }, 400, 1305],
      ['POST', '/urls', { urls: 'x' }, 400, 1305],
      ['POST', '/urls', { urls: ['x'] }, 400, 1305],
      ['POST', '/tags', {}, 400, 1305],
      ['POST', '/tags', { label: ' ' }, 400, 1311],
      ['DELETE', '/urls', undefined, 400, 1305],
      ['DELETE', '/urls/', undefined, 400, 1305],
      ['DELETE', '/urls?hashes=', undefined, 400, 1305],
      ['DELETE', '/urls?tags=', undefined, 400, 1305],
      ['DELETE', '/stats', undefined, 400, 1305],
      ['GET', '/urls?limit=-1', undefined, 400, 1305],
      ['GET', '/urls?limit=ten', undefined, 400, 1305],
      ['GET', '/urls?offset=1.5', undefined, 400, 1305],
      ['GET', '/urls?offset=99999999999999999999', undefined, 400, 1305],
      ['GET', '/urls?order_by=colour', undefined, 400, 1305],
      ['GET', '/urls?tags=(a', undefined, 400, 1305],
      ['PATCH', '/urls/a', { urls: [{}, {}] }, 400, 1307],
    ] as const) {
      const answer = await client.call(method, path, payload);
      expect([method, path, payload, answer.status, answer.body.error.code]).toEqual([method, path, payload, status, code]);
      expect(answer.body).not.toHaveProperty('urls');
    }
  });

  test('9.2, FIELD-NOTES 1: version is 3.1 on every answer that is no refusal', async ({ client }) => {
    expect((await client.call('GET', '/account')).body.version).toBe('3.1');
    expect((await client.call('GET', '/urls')).body.version).toBe('3.1');
  });

  test('FIELD-NOTES 12: unknown parameters, a body on GET and a trailing slash do no harm', async ({ client }) => {
    await client.shorten({ long_url: 'https://example.com/', custom_hash: 'abc' });
    expect(await client.hashes('/?_=1700000000')).toEqual(['abc']);
    expect(await getWithBody(`${client.service.baseUrl}/urls/abc/`)).toBe(200);
  });

  test('FIELD-NOTES 13: a JSON body may arrive as text/plain, or as nothing in particular', async ({ client }) => {
    const text = JSON.stringify({ urls: [{ long_url: 'https://example.com/' }] });
    for (const type of ['text/plain;charset=UTF-8', 'application/octet-stream', 'x']) {
      const { body } = await client.call('POST', '/urls', text, { 'content-type': type });
      expect(body.urls[0]?.error?.code).toBe(0);
    }
  });

  test('9.3, FIELD-NOTES 12: edition B has no domains and no log, and ignores domain', async ({ client }) => {
    const codes = [];
    for (const path of ['/domains', '/log', '/urls?domain=nosuch.example'])
      codes.push((await client.call('GET', path)).body.error.code);
    expect(codes).toEqual(edition === 'a' ? [0, 0, 1313] : [1301, 1301, 0]);
  });
});

describe('R-54', () => {
  test('the API answers only to names of this machine and of the account while it listens on loopback', async ({ start }) => {
    const client = await start({ domains: [{ name: 'go.example' }] });
    const { port } = client.service;
    expect(await statusFor(port, `127.0.0.1:${port}`)).toBe(200);
    expect(await statusFor(port, `LOCALHOST:${port}`)).toBe(200);
    expect(await statusFor(port, '[::1]:80')).toBe(200);
    expect(await statusFor(port, 'go.example')).toBe(200);
    expect(await statusFor(port, 'evil.example')).toBe(403);
    expect(await statusFor(port, '127.0.0.1.evil.example')).toBe(403);
  });

  test('a body above the bound is 1310 with HTTP 413, declared or not, and the connection lives on', async ({ start }) => {
    const client = await start({ limits: { maxBodyBytes: 1000 } });
    const large = JSON.stringify({ urls: [{ long_url: `https://example.com/${'x'.repeat(2000)}` }] });
    const declared = await client.call('POST', '/urls', large);
    expect([declared.status, declared.body]).toEqual([413, { error: { code: 1310, message: 'Too big POST data' } }]);
    expect(await postChunks(client.service.baseUrl, large)).toBe(413);
    expect((await client.call('GET', '/account')).status).toBe(200);
  });

  test('8 MiB and not a byte more are read by default', async ({ client }) => {
    const head = '{"urls":[{"long_url":"https://example.com/"}]';
    const full = `${head}${' '.repeat(8 * 1024 * 1024 - head.length - 1)}}`;
    expect((await client.call('POST', '/urls', full)).status).toBe(200);
    expect((await client.call('POST', '/urls', `${full} `)).status).toBe(413);
  });

  test('a client that does not finish its headers is cut off after 5 seconds', async ({ client }) => {
    const started = performance.now();
    const socket = connect(client.service.port, '127.0.0.1').resume();
    socket.write('GET /api/3/account HTTP/1.1\r\nHost: 127');
    await once(socket, 'close');
    expect(performance.now() - started).toBeGreaterThan(4500);
    // Node's own bound is a minute.
    expect(performance.now() - started).toBeLessThan(45_000);
  });
});

function getWithBody(url: string): Promise<number | undefined> {
  return send(url, { method: 'GET', headers: { authorization: authorization(), 'content-length': '7' } }, ['{"x":1}']);
}

function statusFor(port: number, host: string): Promise<number | undefined> {
  return send(`http://127.0.0.1:${port}/api/3/account`, { headers: { authorization: authorization(), host } }, []);
}

function postChunks(baseUrl: string, text: string): Promise<number | undefined> {
  const half = text.length / 2;
  return send(`${baseUrl}/urls`, { method: 'POST', headers: { authorization: authorization() } }, [
    text.slice(0, half),
    text.slice(half),
  ]);
}

function send(url: string, options: RequestOptions, chunks: readonly string[]): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sending = request(url, options, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
    });
    sending.on('error', reject);
    for (const chunk of chunks) sending.write(chunk);
    sending.end();
  });
}
