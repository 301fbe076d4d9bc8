import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { test } from 'vitest';
import { ReadCache } from '../../src/service/store/read-cache.ts';

test.concurrent('E43: only the first who asks for an old value waits for a database that does not answer', async ({ expect }) => {
  const cache = new ReadCache<string>();
  await cache.find('warm', async () => 'known');
  await delay(1100);
  let readings = 0;
  const never = () => {
    readings += 1;
    return new Promise<string>(() => {});
  };
  expect(await cache.find('warm', never)).toBe('known');
  // A timer may end a millisecond early.
  await delay(5);
  const order: string[] = [];
  void cache.find('warm', never).then((value) => order.push(value));
  await turn();
  order.push('next turn');
  expect(order).toEqual(['known', 'next turn']);
  expect(readings).toBe(1);
});

test.concurrent('S3: a value that is too old is not served while the database answers, however slowly', async ({ expect }) => {
  const cache = new ReadCache<string>();
  for (const key of ['warm', 'cold']) await cache.find(key, async () => 'old');
  const slow = () => delay(100, 'new');
  await delay(1100);
  expect(await cache.find('warm', slow)).toBe('old');
  await delay(2000);
  expect(await cache.find('cold', slow)).toBe('new');
});

test.concurrent('E43: once the database does not answer, nobody waits for it, however old a value is', async ({ expect }) => {
  for (const read of [() => new Promise<string>(() => {}), () => Promise.reject(new Error('gone'))]) {
    const cache = new ReadCache<string>();
    for (const key of ['first', 'second']) await cache.find(key, async () => 'old');
    await delay(3100);
    const order: string[] = [];
    expect(await cache.find('first', read)).toBe('old');
    // A timer may end a millisecond early.
    await delay(5);
    void cache.find('second', read).then((value) => order.push(value));
    await delay(200);
    order.push('later');
    expect(order).toEqual(['old', 'later']);
  }
});
