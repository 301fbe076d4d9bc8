import { expect } from 'vitest';
import { startFaultyProcess } from '../support/faulty-process.ts';
import { faults } from '../support/faulty-steps.ts';
import { apiKey, test as base, username } from '../support/linkctl.ts';
import type { Manners } from '../support/manners.ts';
import { oddHashes, type StoredLink, seed, store, stored } from '../support/stored-links.ts';

const test = base.extend('domains', () => [{ name: 's.ex' }, { name: 'go.ex' }]);
const headers = { authorization: `Basic ${Buffer.from(`${username}:${apiKey}`).toString('base64')}` };

interface Answer {
  readonly urls: StoredLink[];
  readonly page?: Record<string, unknown>;
  readonly error: { readonly code: number };
}

async function get({ baseUrl }: { baseUrl: string }, path: string, init: RequestInit = {}): Promise<Answer> {
  return (await (await fetch(baseUrl + path, { ...init, headers })).json()) as Answer;
}

const hashesOf = ({ urls }: Answer): string[] => urls.map(({ hash }) => hash);

test('an account in use is made in a few calls, with the same hashes on every domain', async ({ service }) => {
  await seed(service, 300, ['s.ex', 'go.ex']);
  const [one, other] = [await stored(service, 's.ex'), await stored(service, 'go.ex')];
  expect(one.map(({ hash }) => hash).slice(0, 8)).toEqual([...oddHashes, 'old7']);
  expect(other.map(({ hash }) => hash)).toEqual(one.map(({ hash }) => hash));
  expect([one[299]?.long_url, other[299]?.long_url]).toEqual(['https://was.s.ex.example/299', 'https://was.go.ex.example/299']);
});

test.for<[Manners, number, unknown]>([
  [{}, 1000, 300],
  [{ pageCap: 30 }, 30, 300],
  [{ pageCap: 100, totalCount: 'text' }, 100, '300'],
  [{ pageCap: 100, totalCount: 'page length' }, 100, 100],
  [{ pageCap: 100, totalCount: 'missing' }, 100, undefined],
])('%o: a page has so many rows at most, and says so many in all', async ([manners, most, total], { service, wire }) => {
  await seed(service, 300);
  await wire.behave(manners);
  const hashes = (await stored(service)).map(({ hash }) => hash);
  for (const query of ['limit=1000', `hashes=${hashes.join()}`]) {
    const { urls, page } = await get(wire, `/urls?${query}`);
    expect([urls.length, page?.total_count]).toEqual([Math.min(300, most), total]);
  }
});

test('a listing that begins with the oldest link holds every link once, page by page', async ({ service, wire }) => {
  await seed(service, 300);
  await wire.behave({ oldestFirst: true, pageCap: 70 });
  const seen: string[] = [];
  for (let offset = 0; offset < 300; offset += 70) seen.push(...hashesOf(await get(wire, `/urls?offset=${offset}&limit=100`)));
  expect(seen).toEqual((await stored(service)).map(({ hash }) => hash));
});

test('a listing that lags sees what came, changed and went only after a while; reads by hash are up to date', async ({
  service,
  wire,
}) => {
  await seed(service, 10, ['s.ex', 'go.ex']);
  await wire.behave({ lag: Number.POSITIVE_INFINITY });
  const before = hashesOf(await get(wire, '/urls'));
  const made = await get(wire, '/urls', { method: 'POST', body: JSON.stringify({ urls: [{ long_url: 'https://a.example/' }] }) });
  await store({ baseUrl: wire.sideDoor }, [{ long_url: 'https://foreign.example/', custom_hash: 'foreign' }]);
  await get(wire, '/urls/old9', { method: 'DELETE' });
  await get(wire, '/urls/old8', { method: 'PATCH', body: JSON.stringify({ urls: [{ custom_hash: 'new8' }] }) });
  expect(hashesOf(await get(wire, '/urls'))).toEqual(before);
  expect((await get(wire, '/urls?search=a.example')).urls).toEqual([]);
  expect(hashesOf(await get(wire, '/urls?hashes=new8,foreign'))).toEqual(['new8', 'foreign']);
  expect((await get(wire, '/urls/old9')).error.code).toBe(1306);
  expect(hashesOf(await get(wire, '/urls?domain=go.ex'))).toEqual(before);
  await wire.catchUp();
  const after = hashesOf(await get(wire, '/urls'));
  expect(after).toEqual(['foreign', ...hashesOf(made), 'new8', ...before.slice(2)]);
  expect((await wire.requests()).map(({ url }) => url).filter((url) => url.includes('side'))).toEqual([]);
});

test('long URLs and notes are shown or stored in another form', async ({ service, wire }) => {
  const urls = [{ long_url: 'https://EXAMPLE.com', note: ' a ' }];
  await wire.behave({ longUrls: 'shown normalised', notes: 'shown trimmed' });
  const shown = await get(wire, '/urls', { method: 'POST', body: JSON.stringify({ urls }) });
  await wire.behave({ longUrls: 'stored normalised', notes: 'stored trimmed' });
  await get(wire, '/urls', { method: 'POST', body: JSON.stringify({ urls }) });
  const form = ({ long_url, note }: StoredLink): string[] => [long_url, note];
  expect(shown.urls.map(form)).toEqual([['https://example.com/', 'a']]);
  expect((await stored(service)).map(form)).toEqual([
    ['https://EXAMPLE.com', ' a '],
    ['https://example.com/', 'a'],
  ]);
});

test('hashes in upper case name the same links', async ({ service, wire }) => {
  await seed(service, 10);
  await wire.behave({ hashes: 'shown in upper case' });
  const { urls } = await get(wire, '/urls?limit=2');
  expect(urls.map(({ hash, short_url }) => [hash, short_url])).toEqual([
    ['OLD9', 's.ex/OLD9'],
    ['OLD8', 's.ex/OLD8'],
  ]);
  expect(hashesOf(await get(wire, '/urls?hashes=old8,OLD9'))).toEqual(['OLD8', 'OLD9']);
  expect((await get(wire, '/urls/OLD9', { method: 'DELETE' })).error.code).toBe(0);
  expect((await stored(service)).map(({ hash }) => hash)).not.toContain('old9');
});

test('a spell is there for a while and gone again, in another process too', async ({ service }) => {
  const spells = [{ from: 2, times: 2, step: { ...faults.refuse(1303), only: { method: 'GET' } } }];
  await using server = await startFaultyProcess({ backend: service.baseUrl, spells });
  const codes: number[] = [];
  for (let nth = 0; nth < 5; nth += 1) codes.push((await get(server, '/urls')).error.code);
  expect(codes).toEqual([0, 1303, 1303, 0, 0]);
  await server.behave({ pageCap: 5 });
  await seed({ baseUrl: server.sideDoor }, 10);
  expect((await get(server, '/urls')).urls).toHaveLength(5);
});
