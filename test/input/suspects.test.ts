import { expect, test } from 'vitest';
import { SuspectTables } from '../../src/input/suspects.ts';

test('C16: every text that was seen is suspected, and no other of 300,000', () => {
  const tables = new SuspectTables();
  const names = ['', 'a', 'b', 'ab', 'ba', ...Array.from({ length: 300_000 }, (_, index) => `link${index.toString(36)}`)];
  expect(names.filter((name) => tables.suspects(name))).toEqual([]);
  expect(names.every((name) => tables.suspects(name))).toBe(true);
});
