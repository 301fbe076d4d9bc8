import { expect, test } from 'vitest';
import { enumerated } from '../../src/contract/link.ts';

test.each([
  [['a'], 'a'],
  [['a', 'b', 'c'], 'a, b and c'],
  [['a', 'b', 'c', 'd'], 'a, b and 2 others'],
])('B58: %j is shown in at most three parts', (names, text) => {
  expect(enumerated(names, 'and', 3)).toBe(text);
});
