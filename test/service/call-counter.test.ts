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
