import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { test as base, expect, onTestFinished } from 'vitest';
import { type ClickCounter, clickCounter } from '../../src/service/clicks.ts';
import type { Store, StoredDomain, StoredUrl } from '../../src/service/store/store.ts';
import { username } from './credentials.ts';
import { openStore } from './engine.ts';

const options = { edition: 'a', username, domains: [], now: Date.now, random: randomBytes } as const;

interface Fixtures {
  folder: string;
  store: Store;
  counter: ClickCounter;
  url: StoredUrl;
}

const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads which fixtures are needed from the pattern.
  folder: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'linkctl-clicks-'));
    await use(folder);
    rmSync(folder, { recursive: true });
  },
  // biome-ignore lint/correctness/noEmptyPattern: as above.
  store: async ({}, use) => {
    const store = await openStore(options);
    await use(store);
    await store.close();
  },
  counter: async ({ store }, use) => {
    await use(
      clickCounter(store, (error) => {
        throw error;
      }),
    );
  },
  url: async ({ store }, use) => {
    await use(await createUrl(store));
  },
});

async function createUrl(store: Store, maxClicks = 0): Promise<StoredUrl> {
  const [domain] = await store.listDomains();
  const rules = { domain: domain as StoredDomain, duplicates: 'allowed', urlLimit: 9, monthLimit: 9, existingBound: 1 } as const;
  const fields = { longUrl: 'https://example.com/', customHash: 'abc', note: '', emailStats: false, tags: [] };
  const [creation] = await store.createUrls([{ ...fields, expirationDate: null, maxClicks }], rules);
  if (creation?.kind !== 'created') throw new Error('no link was made');
  return creation.url;
}

async function storedClicks(store: Store, { domain, hash }: StoredUrl): Promise<number | undefined> {
  return (await store.findTarget(domain, hash))?.totalClicks;
}

function click(counter: ClickCounter, { id }: StoredUrl, count: number): void {
  for (let number = 0; number < count; number += 1) counter.add({ urlId: id, visitor: `${number}`, time: 1, isCounted: false });
}

test('of clicks that came at once, all are counted and none twice', async ({ store, counter, url }) => {
  click(counter, url, 3001);
  await counter.flush();
  expect(await storedClicks(store, url)).toBe(3001);
});

test('while many clicks are stored, others have their turn', async ({ store, counter, url }) => {
  click(counter, url, 3000);
  const flushed = counter.flush();
  await turn();
  const stored = (await storedClicks(store, url)) ?? 0;
  expect(stored > 0 && stored < 3000).toBe(true);
  await flushed;
  expect(await storedClicks(store, url)).toBe(3000);
});

test('clicks that come while others are stored are soon stored as well', async ({ store, counter, url }) => {
  click(counter, url, 60_000);
  const flushed = counter.flush();
  await turn();
  click(counter, url, 7);
  await flushed;
  await expect.poll(() => storedClicks(store, url)).toBe(60_007);
});

test('a visit sees the clicks that this process stored in the same turn, and those of another from the next turn on', async ({
  folder,
}) => {
  const [one, other] = [await openStore(options, folder), await openStore(options, folder)];
  onTestFinished(async () => void (await Promise.all([one.close(), other.close()])));
  const url = await createUrl(one);
  const visit = { urlId: url.id, visitor: 'v', time: 1, isCounted: false };
  const seen = [await storedClicks(one, url)];
  await one.recordClicks([visit]);
  seen.push(await storedClicks(one, url));
  await other.recordClicks([visit, visit]);
  seen.push(await storedClicks(one, url));
  await turn();
  seen.push(await storedClicks(one, url));
  expect(seen).toEqual([0, 1, 1, 3]);
});

test('FIELD-NOTES 4: clicks that are stored late count on their own day', async ({ store, url }) => {
  const at = (time: number) => ({ urlId: url.id, visitor: 'v', time, isCounted: false });
  const [one, two] = [Date.UTC(2024, 4, 15, 23, 59), Date.UTC(2024, 4, 16)];
  await store.recordClicks([at(two), at(one)]);
  await store.recordClicks([at(one), at(two), at(two)]);
  expect((await store.findStats(url.domain, url.hash))?.days).toEqual([
    { day: '2024-05-15', total: 2, unique: 0 },
    { day: '2024-05-16', total: 3, unique: 1 },
  ]);
});

test('S2: clicks of a link with max_clicks are counted one by one, across stores, and never beyond', async ({ folder }) => {
  const [one, other] = [await openStore(options, folder), await openStore(options, folder)];
  onTestFinished(async () => void (await Promise.all([one.close(), other.close()])));
  const url = await createUrl(one, 7);
  const counted = await Promise.all(Array.from({ length: 20 }, (_, number) => (number % 2 ? one : other).countClick(url.id)));
  expect(counted.filter(Boolean)).toHaveLength(7);
  await other.recordClicks(
    Array.from({ length: 7 }, (_, number) => ({ urlId: url.id, visitor: `${number % 3}`, time: 1, isCounted: true })),
  );
  const stats = await one.findStats(url.domain, 'abc');
  expect([stats?.url.totalClicks, stats?.url.uniqueClicks, stats?.days]).toEqual([
    7,
    3,
    [{ day: '1970-01-01', total: 7, unique: 3 }],
  ]);
  expect(await one.countClick(url.id + 1)).toBe(false);
});
