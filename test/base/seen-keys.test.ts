import { expect, test } from 'vitest';
import { SeenKeys } from '../../src/base/seen-keys.ts';

test('a key is new once', () => {
  const seen = new SeenKeys();
  expect(['a', 'b', 'a', '', '', 's.ex/a', 'a.ex/s'].map((key) => seen.add(key))).toEqual([
    true,
    true,
    false,
    true,
    false,
    true,
    true,
  ]);
});

test('what is known stays known when there are more keys than are kept as they are', () => {
  const seen = new SeenKeys();
  const keys = Array.from({ length: 1500 }, (_, nth) => `s.ex/${nth}`);
  for (const key of keys) {
    expect(seen.has(key)).toBe(false);
    expect(seen.add(key)).toBe(true);
    expect(seen.has(key)).toBe(true);
    expect(seen.add(key)).toBe(false);
  }
  expect(keys.filter((key) => seen.add(key) || !seen.has(key))).toEqual([]);
  expect(seen.has('s.ex/1500')).toBe(false);
});

test('R-16: of 300,000 similar keys none is taken for another', () => {
  const seen = new SeenKeys();
  let unseen = 0;
  for (let round = 0; round < 2; round += 1) {
    for (let i = 0; i < 300_000; i += 1) if (seen.add(`s.ex/${i.toString(36)}`)) unseen += 1;
  }
  expect(unseen).toBe(300_000);
});

test('where only the newest keys are kept, 98,304 are known and older ones are forgotten in the end', () => {
  const seen = new SeenKeys({ onlyNewest: true });
  const key = (nth: number): string => `s.ex/${nth.toString(36)}`;
  const kept = 98_304;
  for (let nth = 0; nth < 4 * kept; nth += 1) {
    seen.add(key(nth));
    if (nth % 1000 === 0 && nth >= kept) expect(seen.has(key(nth - kept + 1))).toBe(true);
  }
  expect(seen.has(key(0))).toBe(false);
});
