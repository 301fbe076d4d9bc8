import { expect, test } from 'vitest';
import { isAmbiguousLabel, joinList, labelExpression, splitList } from '../../src/contract/tag-label.ts';
import { seeded } from '../input/fixtures.ts';

test.each<[string, string[] | undefined]>([
  ['a', ['a']],
  ['a,b', ['a', 'b']],
  [' a , b ', ['a', 'b']],
  ['"a,b",c', ['a,b', 'c']],
  ['c , "a,b" , d', ['c', 'a,b', 'd']],
  ['"say ""hi"""', ['say "hi"']],
  ['" a "', [' a ']],
  ['5" disk', ['5" disk']],
  ['a,', ['a', '']],
  ['"a",', ['a', '']],
  [',', ['', '']],
  ['""', ['']],
  ['"a', undefined],
  ['"a"b', undefined],
  ['x,"a', undefined],
  ['"', undefined],
])('B21: the cell %j is the list %j', (cell, entries) => {
  expect(splitList(cell)).toEqual(entries);
});

test('B21: any list of labels survives being one cell (5,000 random lists)', () => {
  const random = seeded(21);
  const signs = ['a', 'b', ',', '"', ' ', '+', '-', "'", 'é', '\\'];
  for (let run = 0; run < 5000; run += 1) {
    const labels = Array.from({ length: 1 + Math.floor(random() * 4) }, () =>
      Array.from({ length: 1 + Math.floor(random() * 5) }, () => signs[Math.floor(random() * signs.length)]).join(''),
    );
    expect(splitList(joinList(labels))).toEqual(labels);
  }
});

test('C18: a cell of 1,000 labels, and one of 100,000 quotes, are read at once', () => {
  const labels = Array.from({ length: 1000 }, (_, index) => `label ${index}`);
  expect(splitList(labels.join(','))).toEqual(labels);
  expect(splitList('"'.repeat(100_001))).toBeUndefined();
});

test.each<[string, boolean, string]>([
  ['spring sale', false, 'spring sale'],
  ['a-b+c', false, 'a-b+c'],
  ['R&D', true, '"R&D"'],
  ['a,b', true, '"a,b"'],
  ['-old', true, '"-old"'],
  ['+new', true, '"+new"'],
  ['>2018-01-01', true, '">2018-01-01"'],
  ['say "hi"', true, '"say ""hi"""'],
  [' sp', true, '" sp"'],
  ['sp ', true, '"sp "'],
  ['sp\u00a0', true, '"sp\u00a0"'],
  ['sp\u3000', true, '"sp\u3000"'],
  ['Visited', true, 'Visited'],
  ['t.ex', true, 't.ex'],
])('W4: an expression may read the label %j as something else: %j; the label alone is %s', (label, ambiguous, expression) => {
  expect(isAmbiguousLabel(label)).toBe(ambiguous);
  expect(labelExpression(label)).toBe(expression);
});
