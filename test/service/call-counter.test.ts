import { expect, test } from 'vitest';
import { callCounter } from '../../src/service/api/call-counter.ts';
import { unlimited } from '../../src/service/service-options.ts';

test('S1: the number of calls is read only when the calls that are being stored are in it', async () => {
  let stored = 0;
  const ends: (() => void)[] = [];
  const addCalls = async (_: number, amount: number) => {
    await new Promise<void>((end) => ends.push(end));
    stored += amount;
    return stored;
  };
  const counter = callCounter({ addCalls }, { limit: unlimited, now: () => 0 }, () => {});
  await counter.admit();
  const first = counter.flush();
  const second = counter.flush().then(() => stored);
  await Promise.race([second, new Promise(setImmediate)]);
  for (const end of ends.splice(0)) end();
  await first;
  expect(await second).toBe(1);
});

test('S1: calls of a new day that come while those of the old day are stored are counted', async () => {
  const day = 86_400_000;
  const stored = new Map<number, number>();
  let now = 0;
  const addCalls = async (time: number, amount: number) => {
    if (time === 0) await counter.admit();
    stored.set(time, (stored.get(time) ?? 0) + amount);
    return stored.get(time);
  };
  const counter = callCounter({ addCalls }, { limit: unlimited, now: () => now }, () => {});
  await counter.admit();
  now = day;
  await counter.admit();
  await counter.flush();
  await counter.flush();
  expect(stored).toEqual(
    new Map([
      [0, 1],
      [day, 2],
    ]),
  );
});
