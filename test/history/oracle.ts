import { expect } from 'vitest';
import type { SimulatedAccount } from './simulated-account.ts';

/** Compares what the history says of the time between two readings with what the oracle knows. */
export async function compare(account: SimulatedAccount, first: number, last: number): Promise<void> {
  const [since, until] = [account.readings[first]?.at ?? 0, account.readings[last]?.at ?? 0];
  const { links, total, counted, before, days } = await account.clicks(since, until);
  expect(counted).toEqual({ since, until });
  const earlier = before === undefined ? first : account.readings.findIndex(({ at }) => at === before);
  const truth = account.truth(earlier, first, last);
  const said = new Map<string, [number, number]>();
  for (const { link, clicks, before: some = 0 } of links) {
    const [sum, sumBefore] = said.get(link.hash) ?? [0, 0];
    if (sum + clicks + sumBefore + some > 0) said.set(link.hash, [sum + clicks, sumBefore + some]);
  }
  for (const [hash, figures] of truth)
    if (hash.startsWith('h')) expect({ hash, figures: said.get(hash) }).toEqual({ hash, figures });
  expect(sorted(said.values())).toEqual(sorted(truth.values()));
  expect(total.clicks).toBe([...truth.values()].reduce((sum, [clicks]) => sum + clicks, 0));
  const sum = days.reduce((some, { clicks = 0 }) => some + clicks, 0);
  const times = account.readings.slice(first, last + 1).map(({ at }) => at);
  const isWhole = times.every((at, nth) => nth === 0 || at - (times[nth - 1] ?? 0) < 1.5 * 86_400_000);
  if (isWhole) expect(sum).toBe(total.clicks);
  else expect(days.some(({ clicks }) => clicks === undefined)).toBe(true);
  expect(sum).toBeLessThanOrEqual(total.clicks);
}

function sorted(figures: Iterable<[number, number]>): string[] {
  return [...figures].map(([clicks, before]) => `${clicks} ${before}`).sort();
}
