import { expect, test } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { endpoints } from '../../src/contract/operations.ts';
import { faults } from '../support/faulty-steps.ts';
import { createTestSystem } from '../support/test-system.ts';
import { answer, failureOf, key, rig } from './client-fixture.ts';

const record = { hash: 'abc', long_url: 'https://nodejs.org/' };
const page = { results_count: 0, total_count: 0, offset: 0 };

const calls: [
  operation: keyof typeof endpoints,
  method: string,
  url: string,
  body: string,
  answer: object,
  (client: Client) => Promise<unknown>,
][] = [
  ['getAccount', 'GET', '/account', '', { account: { username: 'ann' } }, (client) => client.send('getAccount', {})],
  [
    'shortenUrls',
    'POST',
    '/urls?domain=s.ex&disable_long_url_duplicates=account',
    '{"urls":[{"long_url":"https://nodejs.org/","tags":["a"]}]}',
    { urls: [record] },
    (client) =>
      client.send('shortenUrls', {
        query: { domain: 's.ex', disable_long_url_duplicates: 'account' },
        body: { urls: [{ long_url: 'https://nodejs.org/', tags: ['a'] }] },
      }),
  ],
  [
    'listUrls',
    'GET',
    '/urls?search=a%20b%26c&limit=10&tags=(a%7Cb)%26~c',
    '',
    { urls: [record], page },
    (client) => client.send('listUrls', { query: { search: 'a b&c', offset: undefined, limit: 10, tags: '(a|b)&~c' } }),
  ],
  ['getUrl', 'GET', '/urls/abc', '', {}, (client) => client.send('getUrl', { path: { hash: 'abc' } })],
  [
    'editUrl',
    'PATCH',
    '/urls/a%2Fb?domain=s.ex',
    '{"urls":[{"note":"","expiration_date":null}]}',
    { urls: [record] },
    (client) =>
      client.send('editUrl', {
        path: { hash: 'a/b' },
        query: { domain: 's.ex' },
        body: { urls: [{ note: '', expiration_date: null }] },
      }),
  ],
  [
    'editSelectedUrls',
    'PATCH',
    '/urls?hashes=a%2Cb',
    '{"urls":[{"email_stats":false}]}',
    {},
    (client) => client.send('editSelectedUrls', { query: { hashes: 'a,b' }, body: { urls: [{ email_stats: false }] } }),
  ],
  [
    'editUrls',
    'PATCH',
    '/urls',
    '{"urls":[{"hash":"a","note":"x"}]}',
    { urls: [record] },
    (client) => client.send('editUrls', { body: { urls: [{ hash: 'a', note: 'x' }] } }),
  ],
  ['deleteUrl', 'DELETE', '/urls/abc', '', {}, (client) => client.send('deleteUrl', { path: { hash: 'abc' } })],
  ['deleteUrls', 'DELETE', '/urls?tags=old', '', {}, (client) => client.send('deleteUrls', { query: { tags: 'old' } })],
  ['getStats', 'GET', '/stats/abc', '', { stats: [] }, (client) => client.send('getStats', { path: { hash: 'abc' } })],
  ['resetStats', 'DELETE', '/stats/abc', '', {}, (client) => client.send('resetStats', { path: { hash: 'abc' } })],
  [
    'resetSelectedStats',
    'DELETE',
    '/stats?hashes=a',
    '',
    {},
    (client) => client.send('resetSelectedStats', { query: { hashes: 'a' } }),
  ],
  ['listTags', 'GET', '/tags', '', { tags: [{ label: 'a' }] }, (client) => client.send('listTags', {})],
  ['addTag', 'POST', '/tags', '{"label":"ü"}', { tags: [] }, (client) => client.send('addTag', { body: { label: 'ü' } })],
  [
    'renameTag',
    'PATCH',
    '/tags/old%20one',
    '{"label":"new"}',
    { tags: [] },
    (client) => client.send('renameTag', { path: { label: 'old one' }, body: { label: 'new' } }),
  ],
  ['deleteTag', 'DELETE', '/tags/a%3Fb', '', {}, (client) => client.send('deleteTag', { path: { label: 'a?b' } })],
  ['listDomains', 'GET', '/domains', '', { domains: [] }, (client) => client.send('listDomains', {})],
  [
    'listLog',
    'GET',
    '/log?offset=20&limit=10',
    '',
    { log: [], page },
    (client) => client.send('listLog', { query: { offset: 20, limit: 10 } }),
  ],
];

test('every call of API.md 4.2 is in the table below', () => {
  expect(calls.map(([operation]) => operation).sort()).toEqual(Object.keys(endpoints).sort());
});

test.each(calls)('%s goes out as %s %s', async (_operation, method, url, body, members, call) => {
  const { server, client } = await rig([answer(members)]);
  expect(await call(client)).toMatchObject(members);
  expect(await server.requests()).toMatchObject([{ method, url: `/api/3${url}`, body }]);
});

test('B83, R-34, 5.1: the headers of a call', async () => {
  const { server, client } = await rig([], { username: 'änn' });
  await client.send('addTag', { body: { label: 'ü' } });
  const [request] = await server.requests();
  expect(request?.headers).toEqual({
    host: new URL(server.origin).host,
    accept: 'application/json',
    'accept-encoding': 'identity',
    authorization: `Basic ${Buffer.from(`änn:${key}`, 'utf8').toString('base64')}`,
    connection: 'keep-alive',
    'content-length': '14',
    'content-type': 'application/json',
    'user-agent': `linkctl/1.2.3 (node/${process.version.split('.')[0]?.slice(1)}.x; ${process.platform})`,
  });
});

test.each([
  ['PATCH', (client: Client) => client.send('renameTag', { path: { label: 'a' }, body: { label: 'b' } })],
  ['DELETE', (client: Client) => client.send('deleteTag', { path: { label: 'a' } })],
])('4.1.3: with method_override %s travels as POST', async (method, call) => {
  const { server, client } = await rig([], { methodOverride: true });
  await call(client);
  expect(await server.requests()).toMatchObject([{ method: 'POST', headers: { 'x-http-method-override': method } }]);
});

test('with method_override GET and POST stay what they are', async () => {
  const { server, client } = await rig([answer({ tags: [] })], { methodOverride: true });
  await client.send('listTags', {});
  await client.send('addTag', { body: { label: 'a' } });
  const requests = await server.requests();
  expect(requests.map(({ method, headers }) => [method, headers['x-http-method-override']])).toEqual([
    ['GET', undefined],
    ['POST', undefined],
  ]);
});

test('the key is read once, and not before the first call', async () => {
  let reads = 0;
  const readKey = async () => {
    reads += 1;
    return key;
  };
  const { client } = await rig([], { readKey });
  expect(reads).toBe(0);
  await Promise.all([client.send('addTag', { body: { label: 'a' } }), client.send('addTag', { body: { label: 'b' } })]);
  expect(reads).toBe(1);
});

test('a trailing slash of the base URL does not matter', async () => {
  const { server, client } = await rig([]);
  const slashed = await rig([], { baseUrl: `${server.baseUrl}/` });
  await slashed.client.send('addTag', { body: { label: 'a' } });
  expect((await server.requests())[0]?.url).toBe('/api/3/tags');
  expect(slashed.client.baseUrl).toBe(client.baseUrl);
});

test('the members that a server adds pass through untouched (FIELD-NOTES 4)', async () => {
  const urls = [{ ...record, favorite: true, daily_clicks: { '2023-04-20': { total: 1 } } }];
  const { client } = await rig([answer({ version: '3.1', urls, page, extra: [1] })]);
  expect(await client.send('listUrls', {})).toEqual({ error: { code: 0, message: '' }, version: '3.1', urls, page, extra: [1] });
});

test('api: any call goes out as written, and its answer comes back as it came', async () => {
  const { server, client } = await rig([{ answer: { status: 418, headers: { 'content-type': 'text/plain' }, body: 'teapot' } }]);
  const raw = await client.sendRaw({ method: 'PATCH', path: '/urls/a%2Fb?x=1', query: [['y', 'ü']], body: '{"urls":[{}]}' });
  expect(raw).toMatchObject({ body: 'teapot', failure: { exitCode: 10, status: 418 } });
  expect(await server.requests()).toMatchObject([
    { method: 'PATCH', url: '/api/3/urls/a%2Fb?x=1&y=%C3%BC', body: '{"urls":[{}]}' },
  ]);
});

test('api: a change without an answer is in doubt, a read is tried again', async () => {
  const change = await rig([faults.dropAfter]);
  const raw = { method: 'DELETE', path: '/tags/a' };
  expect(await failureOf(change.client.sendRaw(raw))).toMatchObject({ exitCode: 10, outcome: 'ambiguous' });
  const read = await rig([faults.dropAfter]);
  expect(await read.client.sendRaw({ method: 'GET', path: '/tags' })).toMatchObject({ failure: undefined });
});

test.each([
  ['POST', '/tags', '{"label":"a"}', 'linkctl tags'],
  ['DELETE', '/tags/x', undefined, 'linkctl tags'],
  ['DELETE', '/stats/h1', undefined, 'linkctl stats -- h1'],
  ['DELETE', '/stats?hashes=h1,h2', undefined, 'linkctl stats -- h1 h2'],
  ['PATCH', '/urls/a%2Eb?domain=go.example', '{"urls":[{"note":"x"}]}', 'linkctl list --domain go.example -- a.b'],
  ['PATCH', '/urls', '{"urls":[{"hash":"h1"},{"hash":"h2"}]}', 'linkctl list'],
  ['DELETE', '/urls?tags=promo', undefined, 'linkctl list --by-tags promo'],
  ['POST', '/urls', '{"urls":[{"long_url":"https://a.example/"}]}', 'linkctl list --search https://a.example/'],
  ['POST', '/urls', 'no JSON', 'linkctl list --all'],
  ['POST', '/log', undefined, 'linkctl list --all'],
])('B45, api: the hint for %s %s with an unknown outcome shows what it is about', async (method, path, body, command) => {
  const { client } = await rig([{ ...faults.dropAfter, times: 'all' }]);
  const { hint } = await failureOf(client.sendRaw({ method, path, body }));
  expect(hint).toBe(`check before repeating: ${command}`);
});

test('B52: the hint of a failed connection names the proxy variable that is set', async () => {
  const env = { HTTP_PROXY: 'http://127.0.0.1:9' };
  const { client } = await rig([], {
    baseUrl: 'http://api.example.test/api/3',
    system: { ...createTestSystem({ env }), sleep: async () => {} },
  });
  expect(await failureOf(client.send('listTags', {}))).toMatchObject({
    exitCode: 8,
    hint: expect.stringMatching(/^HTTP_PROXY is set/),
  });
});

test('B52: without a proxy, the hint of a failed connection asks whether the server is running', async () => {
  const { client } = await rig([], { baseUrl: 'http://127.0.0.1:9/api/3', retries: 0 });
  expect(await failureOf(client.send('listTags', {}))).toMatchObject({
    exitCode: 8,
    message: 'connection refused by 127.0.0.1:9',
    hint: 'check that the server is running and that the base URL is correct: linkctl auth list',
  });
  const { client: unstored } = await rig([], { baseUrl: 'http://127.0.0.1:9/api/3', retries: 0, profile: undefined });
  expect(await failureOf(unstored.send('listTags', {}))).toMatchObject({
    hint: 'check that the server is running and that the base URL is correct: http://127.0.0.1:9/api/3',
  });
});

test('B75, R-9: --timeout bounds the wait for an answer', async () => {
  const { client } = await rig([{ ...faults.silentAfter, times: 'all' }], { timeout: 0.2, retries: 0 });
  const error = await failureOf(client.send('listTags', {}));
  expect(error).toMatchObject({ exitCode: 8, message: expect.stringMatching(/^no response from .* within 0.2 s$/) });
});
