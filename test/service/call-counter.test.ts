import { expect, test } from 'vitest';
import { callCounter } from '../../src/service/api/call-counter.ts';
import { unlimited } from '../../src/service/service-options.ts';

test('S1: the number of calls is read only when the calls that are being stored are in it', async () => {
  let stored = 0;
  const ends: (() => void)[] = [];
  const addCalls = async (_: string, amount: number) => {
    await new Promise<void>((end) => ends.push(end));
    stored += amount;
    return stored;
  };
  const counter = callCounter({ addCalls }, { limit: unlimited, now: () => 0 }, () => {});
  await counter.admit();
  const first = counter.flush(async () => {});
  const second = counter.flush(async () => stored);
  await Promise.race([second, new Promise(setImmediate)]);
  for (const end of ends.splice(0)) end();
  await first;
  expect(await second).toBe(1);
});

test('S1: calls of a new day that come while those of the old day are stored are counted', async () => {
  const stored = new Map<string, number>();
  let now = 0;
  const addCalls = async (day: string, amount: number) => {
    if (day === '1970-01-01') await counter.admit();
    stored.set(day, (stored.get(day) ?? 0) + amount);
    return stored.get(day);
  };
  const counter = callCounter({ addCalls }, { limit: unlimited, now: () => now }, () => {});
  await counter.admit();
  now = 86_400_000;
  await counter.admit();
  await counter.flush(async () => {});
  await counter.flush(async () => {});
  expect(stored).toEqual(
    new Map([
      ['1970-01-01', 1],
      ['1970-01-02', 2],
    ]),
  );
});

/** The stored number of calls of a day, for several counters. */
function shared(limit: number) {
  const calls = { count: 0, failures: 0 };
  const addCalls = async (_: string, amount: number) => {
    await new Promise(setImmediate);
    if (amount < 0 && calls.failures-- > 0) throw new Error('the store is busy');
    if (calls.count + amount > limit) return undefined;
    calls.count += amount;
    return calls.count;
  };
  const counter = () => callCounter({ addCalls }, { limit, now: () => 0 }, () => {});
  return { calls, counter };
}

test('S1: reserved calls that an idle process does not use go to the others, also when returning them failed at first', async () => {
  const { calls, counter } = shared(1000);
  const [idle, busy] = [counter(), counter()];
  calls.failures = 1;
  for (let call = 0; call < 2; call += 1) expect(await idle.admit()).toBe(true);
  await expect.poll(() => calls.count, { timeout: 60_000 }).toBe(2);
  for (let call = 0; call < 998; call += 1) expect(await busy.admit()).toBe(true);
  expect([await busy.admit(), await idle.admit()]).toEqual([false, false]);
});

test('2.2: the number of calls of an account has no call that nobody made, while others reserve some', async () => {
  const { calls, counter } = shared(100_000);
  const one = counter();
  await one.admit();
  await one.admit();
  const [number, later] = await one.flush(async () => {
    const later = one.admit();
    for (let turns = 0; turns < 3; turns += 1) await new Promise(setImmediate);
    return [calls.count, { later }] as const;
  });
  expect([number, await later.later]).toEqual([2, true]);
});
