import { expect, test } from 'vitest';
import { DuplicateCandidateSearch } from '../../src/base/duplicate-candidates.ts';

const names = ['', 'a', 'b', 'ab', 'ba', ...Array.from({ length: 300_000 }, (_, index) => `link${index.toString(36)}`)];

function suspectsOf(texts: readonly string[]) {
  const search = new DuplicateCandidateSearch();
  for (const text of texts) search.add(text);
  return search.candidates();
}

test('C16: of 300,005 texts that occur once none is a candidate', () => {
  const suspects = suspectsOf(names);
  expect(suspects.count).toBe(0);
  expect(names.filter((name) => suspects.has(name))).toEqual([]);
});

test('C16: what is there more than once is suspected, wherever it is, and nothing else', () => {
  const twice = ['', 'link0', `link${(4096).toString(36)}`, `link${(299_999).toString(36)}`];
  const suspects = suspectsOf([...names, ...twice, 'link0']);
  expect(suspects.count).toBe(twice.length);
  expect(names.filter((name) => suspects.has(name))).toEqual(twice);
  expect(twice.map((name) => suspects.occurrences(suspects.indexOf(name)))).toEqual([2, 3, 2, 2]);
  expect(twice.map((name) => suspects.indexOf(name)).sort()).toEqual([0, 1, 2, 3]);
  expect(suspects.indexOf('a')).toBe(-1);
});

test('C16: nothing suspects nothing', () => {
  expect(suspectsOf([]).count).toBe(0);
});
