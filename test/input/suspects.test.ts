import { expect, test } from 'vitest';
import { SuspectFilter } from '../../src/input/suspects.ts';

test('C16: every text that was seen is suspected, and hardly any other of 300,000', () => {
  const filter = new SuspectFilter();
  const names = ['', 'a', 'b', 'ab', 'ba', ...Array.from({ length: 300_000 }, (_, index) => `link${index.toString(36)}`)];
  expect(names.filter((name) => filter.suspects(name)).length).toBeLessThan(3);
  expect(names.every((name) => filter.suspects(name))).toBe(true);
});
