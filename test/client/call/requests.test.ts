import { expect, test } from 'vitest';
import { UsageError } from '../../../src/base/errors.ts';
import { rawRequest, requestFor } from '../../../src/client/call/api-request.ts';
import { rig } from '../client-fixture.ts';

test.each(['', '.', '..', 'a\nb', 'a\u0085b', '\ud800'])('R 0.6, R-31: %j in a path is refused', (hash) => {
  expect(() => requestFor('deleteUrl', { path: { hash } }, 'a')).toThrow(UsageError);
  expect(() => requestFor('renameTag', { path: { label: hash }, body: { label: 'x' } }, 'a')).toThrow(UsageError);
});

test.each(['...', 'a..b', 'a,b', 'a b', '%2e%2e', '-abc'])('R-31: %j in a path is one percent-encoded segment', (hash) => {
  expect(requestFor('deleteUrl', { path: { hash } }, 'a').path).toBe(`/urls/${encodeURIComponent(hash)}`);
});

const nothing = [{ hashes: '' }, { hashes: ' ' }, { hashes: ',' }, { hashes: 'a,,b' }, { tags: '' }, { tags: '  ' }, {}];

test.each(nothing)('R-52: a group call that selects %j cannot be made', (query) => {
  const selection = query as { hashes: string };
  expect(() => requestFor('deleteUrls', { query: selection }, 'a')).toThrow(/nothing is selected/);
  expect(() => requestFor('resetSelectedStats', { query: selection }, 'a')).toThrow(/nothing is selected/);
  expect(() => requestFor('editSelectedUrls', { query: selection, body: { urls: [{ note: 'x' }] } }, 'a')).toThrow(
    /nothing is selected/,
  );
});

test('R-52: hashes and tags together cannot be sent', () => {
  const query = { hashes: 'a', tags: 'b' } as unknown as { hashes: string };
  expect(() => requestFor('deleteUrls', { query }, 'a')).toThrow(/not both/);
});

test('R-52: an edit of many items needs a hash in each', () => {
  expect(() => requestFor('editUrls', { body: { urls: [{ hash: 'a' }, { hash: '' }] } }, 'a')).toThrow(/nothing is selected/);
  expect(() => requestFor('editUrls', { body: { urls: [] } }, 'a')).toThrow(/nothing is selected/);
});

test.each([
  ['DELETE', '/urls'],
  ['DELETE', '/urls/'],
  ['DELETE', '//urls'],
  ['DELETE', '/URLS'],
  ['DELETE', '/%75rls'],
  ['DELETE', '/stats'],
  ['DELETE', '/urls?hashes='],
  ['DELETE', '/stats?tags=%20'],
  ['PATCH', '/urls'],
])('R-52: api %s %s is refused', (method, path) => {
  expect(() => rawRequest({ method, path })).toThrow(/nothing is selected/);
});

test.each([
  ['DELETE', '/urls?hashes=a', undefined],
  ['DELETE', '/stats/abc', undefined],
  ['PATCH', '/urls?tags=a', '{"urls":[{"note":""}]}'],
  ['PATCH', '/urls', '{"urls":[{"hash":"a","note":""}]}'],
  ['GET', '/urls', undefined],
])('api %s %s passes', (method, path, body) => {
  expect(rawRequest({ method, path, body })).toMatchObject({ method });
});

test.each(['urls', '/urls/..', '/../secret', '/urls/%2e%2E/x', '/a b', '/a\r\nHost: x', '/ü', '/a#b', '/%zz'])(
  'api: the path %j is refused',
  (path) => {
    expect(() => rawRequest({ method: 'DELETE', path })).toThrow(UsageError);
  },
);

test('B53: what the edition has not is said without a request', async () => {
  const { server, client } = await rig([], { edition: 'b' });
  await expect(client.send('listDomains', {})).rejects.toMatchObject({
    exitCode: 2,
    message: 'this server (edition B) has no domains endpoint',
  });
  await expect(client.send('listLog', {})).rejects.toMatchObject({ message: 'this server (edition B) has no log endpoint' });
  await expect(client.send('deleteUrl', { path: { hash: 'a' }, query: { domain: 's.ex' } })).rejects.toMatchObject({
    exitCode: 2,
  });
  expect(await server.requests()).toEqual([]);
});
