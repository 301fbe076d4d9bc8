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

test('R-16: of 300,000 similar keys none is taken for another', () => {
  const seen = new SeenKeys();
  let unseen = 0;
  for (let round = 0; round < 2; round += 1) {
    for (let i = 0; i < 300_000; i += 1) if (seen.add(`s.ex/${i.toString(36)}`)) unseen += 1;
  }
  expect(unseen).toBe(300_000);
});
