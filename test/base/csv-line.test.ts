import { expect, test } from 'vitest';
import { csvLine } from '../../src/base/csv-line.ts';

test.each<[readonly string[], string]>([
  [['a', 'b'], 'a,b\n'],
  [['', ''], ',\n'],
  [[''], '""\n'],
  [['a,b', 'say "yes"'], '"a,b","say ""yes"""\n'],
  [['two\nlines', 'a\rb'], '"two\nlines","a\rb"\n'],
  [[' a', 'b\t', '\ufeffc'], '" a","b\t","\ufeffc"\n'],
  [['=1+1', "'x", 'a;b'], "=1+1,'x,a;b\n"],
])('B21, RFC 4180: the cells %j are the line %j', (cells, line) => {
  expect(csvLine(cells)).toBe(line);
});
