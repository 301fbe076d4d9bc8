import { expect, test } from 'vitest';
import type { UrlRecord } from '../../src/contract/records.ts';
import { sharedDestinations } from '../../src/link/shared-destinations.ts';

const linksTo = (...urls: readonly string[]): UrlRecord[] =>
  urls.map((long_url, index) => ({ ...blank, hash: `h${index}`, long_url }));

const blank: UrlRecord = {
  hash: '',
  long_url: '',
  short_url: '',
  total_clicks: 0,
  unique_clicks: 0,
  note: '',
  email_stats: false,
  expiration_date: null,
  tags: [],
  links: { qr_small: '', qr_big: '' },
};

/** Pages of three links, counting how often they are read. */
function listing(links: readonly UrlRecord[]) {
  const state = { readings: 0, links };
  async function* read(): AsyncGenerator<readonly UrlRecord[]> {
    state.readings += 1;
    for (let start = 0; start < state.links.length; start += 3) yield state.links.slice(start, start + 3);
  }
  return { state, read };
}

async function groupsOf({ pages }: { pages(): AsyncIterable<readonly UrlRecord[]> }): Promise<string[]> {
  const groups: string[] = [];
  for await (const page of pages()) if (page.length > 0) groups.push(page.map(({ hash }) => hash).join(' '));
  return groups;
}

test('F3: links that share a destination come together, in the order of the listing', async () => {
  const { state, read } = listing(
    linksTo(
      'https://a.example/1',
      'https://b.example',
      'https://c.example/',
      'HTTPS://B.example:443/',
      'https://c.example',
      'https://b.example/?',
    ),
  );
  const found = await sharedDestinations(read);
  expect(found).toMatchObject({ links: 5, destinations: 2 });
  expect(await groupsOf(found)).toEqual(['h1 h3 h5', 'h2 h4']);
  expect(state.readings).toBe(2);
});

test('F3: where none is shared, the listing is read once', async () => {
  const { state, read } = listing(linksTo('https://a.example/1', 'https://a.example/2', 'https://a.example/%2F'));
  const found = await sharedDestinations(read);
  expect(found).toMatchObject({ links: 0, destinations: 0 });
  expect(await groupsOf(found)).toEqual([]);
  expect(state.readings).toBe(1);
});

test('F3: what cannot be held at once takes further readings, and nothing is lost', async () => {
  const urls = Array.from({ length: 60 }, (_, index) => `https://a.example/${index % 20}`);
  const { state, read } = listing(linksTo(...urls));
  const found = await sharedDestinations(read, 10);
  const groups = await groupsOf(found);
  expect(groups.sort()).toEqual(Array.from({ length: 20 }, (_, index) => `h${index} h${index + 20} h${index + 40}`).sort());
  expect(state.readings).toBe(1 + Math.ceil(20 / 3));
});

test('F3: a destination with more links than can be held is not held', async () => {
  const urls = Array.from({ length: 30 }, (_, index) => (index === 7 ? 'https://b.example' : 'https://a.example'));
  const { read } = listing(linksTo(...urls));
  const found = await sharedDestinations(read, 10);
  expect(found).toMatchObject({ links: 29, destinations: 1 });
  const hashes = (await groupsOf(found)).join(' ').split(' ');
  expect(hashes).toEqual(
    linksTo(...urls)
      .map(({ hash }) => hash)
      .filter((hash) => hash !== 'h7'),
  );
});

test('F3: a link whose namesake is gone at the second reading shares nothing', async () => {
  const links = linksTo('https://a.example', 'https://b.example', 'https://a.example', 'https://b.example');
  const { state, read } = listing(links);
  const found = await sharedDestinations(read);
  state.links = links.slice(1);
  expect(await groupsOf(found)).toEqual(['h1 h3']);
});
