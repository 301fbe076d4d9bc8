import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { test as base, expect, onTestFinished } from 'vitest';
import type { Store, StoredUrl } from '../../src/service/store/store.ts';
import { type ClickCounter, clickCounter } from '../../src/service/visits/click-counter.ts';
import { createUrl, openStore } from './engine.ts';

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
    const store = await openStore();
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

async function storedClicks(store: Store, { domain, hash }: StoredUrl): Promise<number | undefined> {
  return (await store.findStats(domain, hash))?.totalClicks;
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
  let stored: number | undefined = 0;
  while (stored === 0) {
    await turn();
    stored = await storedClicks(store, url);
  }
  expect(stored).toBeLessThan(3000);
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

test('FIELD-NOTES 4: clicks that are stored late count on their own day', async ({ store, url }) => {
  const at = (time: number) => ({ urlId: url.id, visitor: 'v', time, isCounted: false });
  const [one, two] = [Date.UTC(2024, 4, 15, 23, 59), Date.UTC(2024, 4, 16)];
  await store.recordClicks([at(two), at(one)], 1);
  await store.recordClicks([at(one), at(two), at(two)], 2);
  expect((await store.findStats(url.domain, url.hash))?.days).toEqual([
    { day: '2024-05-15', total: 2, unique: 0 },
    { day: '2024-05-16', total: 3, unique: 1 },
  ]);
});

test('S2: clicks of a link with max_clicks are counted one by one, across stores, and never beyond', async ({ folder }) => {
  const [one, other] = [await openStore(folder), await openStore(folder)];
  onTestFinished(async () => void (await Promise.all([one.close(), other.close()])));
  const url = await createUrl(one, 7);
  const counted = await Promise.all(Array.from({ length: 20 }, (_, number) => (number % 2 ? one : other).countClick(url.id)));
  expect(counted.filter(Boolean)).toHaveLength(7);
  await other.recordClicks(
    Array.from({ length: 7 }, (_, number) => ({ urlId: url.id, visitor: `${number % 3}`, time: 1, isCounted: true })),
    1,
  );
  const stats = await one.findStats(url.domain, 'abc');
  expect([stats?.totalClicks, stats?.uniqueClicks, stats?.days]).toEqual([7, 3, [{ day: '1970-01-01', total: 7, unique: 3 }]]);
  expect(await one.countClick(url.id + 1)).toBe(false);
});

test('S2: of a click that was counted before a reset and is stored after it nothing is left', async ({ folder }) => {
  const [one, other] = [await openStore(folder), await openStore(folder)];
  onTestFinished(async () => void (await Promise.all([one.close(), other.close()])));
  const { id, domain, hash } = await createUrl(one, 7);
  const late = (visitor: string) => [{ urlId: id, visitor, time: 1, isCounted: true }];
  await one.countClick(id);
  await other.resetStats({ kind: 'hashes', domain, hashes: [hash] });
  await one.recordClicks(late('before'), 1);
  const figures = async () => {
    const stats = await one.findStats(domain, hash);
    return [stats?.totalClicks, stats?.uniqueClicks, stats?.days];
  };
  expect(await figures()).toEqual([0, 0, []]);
  // With clicks of both processes on the way, as many are stored as were counted since.
  await one.countClick(id);
  await other.resetStats({ kind: 'hashes', domain, hashes: [hash] });
  await other.countClick(id);
  await one.recordClicks(late('before'), 2);
  await other.recordClicks(late('after'), 1);
  expect(await figures()).toEqual([1, 1, [{ day: '1970-01-01', total: 1, unique: 1 }]]);
});
