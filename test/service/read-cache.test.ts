import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ReadCache } from '../../src/service/store/read-cache.ts';

test('E43: only the first who asks for an old value waits for a database that does not answer', async () => {
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
